import * as z from 'zod'
import type { ReadContext } from '../core/context.ts'
import { isTimeUp, withDeadline } from '../support/deadline.ts'
import { defineOperation } from '../core/operation.ts'
import { listenForCommit } from '../core/commit-listener.ts'
import { settleExpiredLeases } from '../task/lease/expire-leases.ts'
import { parseMoment } from '../support/text/moment.ts'
import { moment } from '../task/fields.ts'
import { describeEvent } from './about.ts'
import { showEvents, showEventsToAgent } from './show.ts'
import { eventView, toEventView } from './view.ts'

const LONGEST_WAIT = 300

const query = z.object({
  types: z
    .array(z.string().trim().max(100))
    .max(50)
    .default([])
    .describe('Only these types, such as task.done'),
  limit: z.int().min(1).max(1000).default(200).describe('How many at most'),
})

const page = z.object({
  events: z.array(eventView),
  next_cursor: z.int().describe('Pass it as since to go on from here'),
  latest: z.int().describe('Id of the newest event there is'),
  missed: z
    .boolean()
    .describe(
      'true when events after since were dropped, or since is from before a copy was put back',
    ),
})
type Page = z.output<typeof page>

export const listEvents = defineOperation({
  name: 'event.list',
  summary: 'Read what happened since a cursor, oldest first',
  example: '--type task.done --limit 20',
  effect: 'read',
  input: query.extend({
    since: z.int().min(0).default(0).describe('Cursor: the id of the last event you have seen'),
    since_time: moment().optional().describe('Only what happened at or after this time'),
    newest: z.boolean().default(false).describe('The newest ones, newest first'),
  }),
  output: page,
  positional: ['since'],
  async run(context, { since, since_time, ...query }) {
    await settleExpiredLeases(context)
    const time = since_time === undefined ? undefined : parseMoment(since_time)
    const before = time === undefined ? 0 : await context.store.events.lastBefore(time)
    return await readPage(context, Math.max(since, before), query)
  },
  show: showEvents,
  showToAgent: showEventsToAgent,
})

export const waitForEvents = defineOperation({
  name: 'event.wait',
  summary: 'Wait until something happens, then read it',
  example: '--since 42 --seconds 60',
  effect: 'read',
  input: query.extend({
    since: z.int().min(0).optional().describe('Cursor; without it only what happens from now on'),
    seconds: z.int().min(0).max(LONGEST_WAIT).default(20).describe('How long to wait at most'),
  }),
  output: page,
  async run(context, { since, seconds, ...query }) {
    const { store, signal } = context
    const cursor = since ?? (await store.events.latest())
    using wait = withDeadline(seconds * 1000, signal)
    for (;;) {
      // The server's request timeout may be shorter than the caller's wait: answer with no events before it.
      if (!isTimeUp(signal)) signal.throwIfAborted()
      using commit = listenForCommit(store)
      await settleExpiredLeases(context)
      const found = await readPage(context, cursor, query)
      if (found.events.length > 0 || found.missed || wait.signal.aborted) return found
      await commit.nextCommit(await untilExpiry(context), wait.signal)
    }
  },
  show: showEvents,
  showToAgent: showEventsToAgent,
})

/** Milliseconds until the next lease expires. An expired one that could not be recorded is no reason to wake up. */
async function untilExpiry(context: ReadContext): Promise<number | undefined> {
  const expiry = await context.store.leases.nextExpiry()
  const left = expiry === undefined ? 0 : expiry - (await context.store.now(context))
  return left > 0 ? left : undefined
}

async function readPage(
  context: ReadContext,
  since: number,
  { types, limit, newest = false }: { types: readonly string[]; limit: number; newest?: boolean },
): Promise<Page> {
  const { store } = context
  const wanted = { limit, ...(types.length > 0 && { types }) }
  const events = newest
    ? await store.events.newest({ ...wanted, after: since })
    : await store.events.after(since, wanted)
  const latest = await store.events.latest()
  const horizon = await store.events.horizon()
  const views = events.map(async (event) => toEventView(event, await describeEvent(context, event)))
  return {
    events: await Promise.all(views),
    // Dropped events are reported once: the next cursor is past them.
    next_cursor: events.at(newest ? 0 : -1)?.id ?? Math.min(Math.max(since, horizon), latest),
    latest,
    // A cursor ahead of the stream predates the restore of an older backup: its events are not these.
    missed: since < horizon || since > latest,
  }
}
