import * as z from 'zod'
import { listEvents, waitForEvents } from '../../event/operations.ts'
import type { EventView } from '../../event/view.ts'
import type { DialectTool } from '../dialect.ts'
import { limitOf, shorten } from './budget.ts'
import { count, define, type Fields, maxTokens, pick, plain, titled, words } from './define-tool.ts'

export function eventsTool(): DialectTool {
  return define({
    name: 'events',
    description:
      'See what happened since a cursor (brief gives one), instead of polling: wait_seconds returns as soon as something happens.',
    input: z.object({
      since: count.optional(),
      wait_seconds: count.optional(),
      types: words.optional().describe('as task.done'),
      limit: count.optional(),
      max_tokens: maxTokens,
    }),
    operations: [listEvents, waitForEvents],
    toOperation: ({ wait_seconds }) => (wait_seconds === undefined ? listEvents : waitForEvents),
    toInput: (args) => {
      const { since, wait_seconds, types } = args
      const limit = limitOf(args, { perRow: 50, most: 30 })
      return { since, types, limit, ...(wait_seconds !== undefined && { seconds: wait_seconds }) }
    },
    toResult: (output, args) => {
      const { events, next_cursor, latest, missed } = output
      return {
        events: shorten((events as EventView[]).map(toEventRow), args),
        next_cursor,
        ...(latest !== next_cursor && { latest }),
        ...(missed === true && { missed }),
      }
    },
    toText: ({ events, next_cursor, missed }) =>
      [
        ...(events as Fields[]).map(eventLine),
        `next cursor: ${plain(next_cursor)}`,
        missed === true ? 'older events were dropped: call brief' : '',
      ]
        .filter((line) => line !== '')
        .join('\n'),
  })
}

function toEventRow({ id, type, subject, at, agent, data }: EventView): Fields {
  const { number, title, message_id, to } = data
  return {
    ...pick({ id, type, number, title, agent, message_id, to }, [
      'id',
      'type',
      'number',
      'title',
      'agent',
      'message_id',
      'to',
    ]),
    ...(number === undefined && message_id === undefined && { subject }),
    at,
  }
}

function eventLine({ id, type, number, title, subject, message_id, agent, at }: Fields): string {
  const about = number === undefined ? (message_id ?? subject ?? '') : `#${plain(number)}`
  const by = agent === undefined ? '' : ` by ${titled(agent)}`
  return `${plain(id)} ${plain(at)} ${plain(type)} ${plain(about)} ${title === undefined ? '' : titled(title)}${by}`
}
