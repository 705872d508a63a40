import * as z from 'zod'
import { listEvents, waitForEvents } from '../../event/operations.ts'
import type { EventView } from '../../event/view.ts'
import type { DialectTool, Fields } from '../dialect.ts'
import { when } from '../tool.ts'
import { limitOf, shortenRows } from './budget.ts'
import { calling, count, defineCore, maxTokens, pick, words } from './define-tool.ts'

export function eventsTool(): DialectTool {
  const listing = {
    name: 'events',
    description:
      'See what happened since a cursor (brief gives one); wait_seconds waits for the next event.',
    input: z.object({
      since: count.optional(),
      wait_seconds: count.optional(),
      types: words.optional().describe('as task.done'),
      limit: count.optional(),
      max_tokens: maxTokens,
    }),
  }
  return defineCore(listing, [
    calling({
      operation: listEvents,
      toInput: queryOf,
      toResult: toNews,
      toFitting,
    }),
    when(
      ({ wait_seconds }) => wait_seconds !== undefined,
      calling({
        operation: waitForEvents,
        toInput: (args) => ({ ...queryOf(args), seconds: args['wait_seconds'] }),
        toResult: toNews,
        toFitting,
      }),
    ),
  ])
}

function queryOf(args: Fields) {
  const { since, types } = args
  return { since, types, limit: limitOf(args, { perRow: 50, most: 30 }) }
}

type Page = z.output<typeof listEvents.output>

function toFitting(page: Page, args: Fields): Page {
  return { ...page, events: shortenRows(page.events, args, toEventRow) }
}

function toNews({ events, next_cursor, latest, missed }: Page) {
  return {
    events: events.map(toEventRow),
    next_cursor,
    ...(latest !== next_cursor && { latest }),
    ...(missed && { missed }),
  }
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
