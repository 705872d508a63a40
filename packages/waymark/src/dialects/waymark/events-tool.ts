import * as z from 'zod'
import { listEvents, waitForEvents } from '../../event/operations.ts'
import type { EventView } from '../../event/view.ts'
import type { DialectTool, Fields } from '../dialect.ts'
import { route, when } from '../tool.ts'
import { limitOf, shorten } from './budget.ts'
import { count, defineCore, lines, maxTokens, pick, plain, titled, words } from './define-tool.ts'

export function eventsTool(): DialectTool {
  const listing = {
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
  }
  return defineCore(listing, [
    route({
      operation: listEvents,
      toInput: queryOf,
      toResult: toNews,
      toText: newsLines,
    }),
    when(
      ({ wait_seconds }) => wait_seconds !== undefined,
      route({
        operation: waitForEvents,
        toInput: (args) => ({ ...queryOf(args), seconds: args['wait_seconds'] }),
        toResult: toNews,
        toText: newsLines,
      }),
    ),
  ])
}

function queryOf(args: Fields) {
  const { since, types } = args
  return { since, types, limit: limitOf(args, { perRow: 50, most: 30 }) }
}

function toNews(page: z.output<typeof listEvents.output>, args: Fields) {
  const { events, next_cursor, latest, missed } = page
  return {
    events: shorten(events.map(toEventRow), args),
    next_cursor,
    ...(latest !== next_cursor && { latest }),
    ...(missed && { missed }),
  }
}

function newsLines({ events, next_cursor, missed }: ReturnType<typeof toNews>): string {
  return lines(
    ...events.map(eventLine),
    `next cursor: ${next_cursor}`,
    missed === true ? 'older events were dropped: call brief' : '',
  )
}

function toEventRow({ id, type, subject, at, agent, data }: EventView) {
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

function eventLine(event: ReturnType<typeof toEventRow>): string {
  const { id, type, number, title, subject, message_id, agent, at } = event
  const about = number === undefined ? (message_id ?? subject ?? '') : `#${plain(number)}`
  const by = agent === undefined ? '' : ` by ${titled(agent)}`
  return `${plain(id)} ${plain(at)} ${plain(type)} ${plain(about)} ${title === undefined ? '' : titled(title)}${by}`
}
