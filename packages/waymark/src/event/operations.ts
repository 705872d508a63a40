import * as z from 'zod'
import type { ReadContext } from '../core/context.ts'
import { isTimeUp, withDeadline } from '../support/deadline.ts'
import { defineOperation } from '../core/operation.ts'
import { listenForCommit } from '../core/store/signal/commit-listener.ts'
import { settleExpiredLeases } from '../task/lease/expire-leases.ts'
import { parseMoment } from '../support/text/moment.ts'
import { toTime } from '../entity/view.ts'
import type { Failure } from '../core/error.ts'
import { violation } from '../core/input/parse.ts'
import { line, table, when } from '../core/show.ts'
import { yieldToEventLoop } from '../support/yield-to-event-loop.ts'
import { moment } from '../task/fields.ts'
import { describeEvent } from './about.ts'
import { showEvents, showEventsToAgent } from './show.ts'
import { refuseUnknownTypes } from './types.ts'
import { eventView, toEventView } from './view.ts'
import { type EventId, toEventId, BEFORE_ALL } from './event-id.ts'

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
  next_cursor: z.int().brand<'EventId'>().describe('Pass it as since to go on from here'),
  latest: z.int().brand<'EventId'>().describe('Id of the newest event there is'),
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
    until_time: moment().optional().describe('Only what happened before this time'),
    before: z.int().min(1).optional().describe('Only events with an id below this'),
    agents: z
      .array(z.string().trim().max(100))
      .max(50)
      .default([])
      .describe('Only what agents of these names or ids have done'),
    subjects: z
      .array(z.string().trim().max(200))
      .max(50)
      .default([])
      .describe('Only what happened to these: numbers of entities, or ids'),
    newest: z.boolean().default(false).describe('The newest ones, newest first'),
  }),
  output: page,
  positional: ['since'],
  async run(context, { since, since_time, until_time, before, subjects, ...query }) {
    await settleExpiredLeases(context)
    const { from, to } = await toRange(context, { since_time, until_time })
    return await readPage(context, toEventId(Math.max(since, from)), {
      ...query,
      before: before === undefined ? to : toEventId(Math.min(before, to ?? before)),
      subjects: await toSubjects(context, subjects),
    })
  },
  show: showEvents,
  showToAgent: showEventsToAgent,
})

/** Most buckets in one answer: a year of hours. */
const MOST_BUCKETS = 10_000

/** Counted in one go, before other requests get their turn. */
const COUNTED_AT_ONCE = 20_000

export const countEvents = defineOperation({
  name: 'event.counts',
  summary: 'Count what happened in each span of time, for programs that draw it',
  example: '--bucket 3600 --by type',
  effect: 'read',
  input: z.object({
    from: moment().optional().describe('Only what happened at or after this time'),
    to: moment().optional().describe('Only what happened before this time'),
    bucket: z.int().min(1).max(31_536_000).default(3600).describe('Length of a span in seconds'),
    by: z.enum(['none', 'type', 'agent']).default('none').describe('What is counted apart'),
  }),
  output: z.object({
    bucket: z.int(),
    buckets: z
      .array(z.tuple([z.int(), z.string().nullable(), z.int()]))
      .describe('Begin in milliseconds since 1970, type or agent, count; empty spans are left out'),
  }),
  async run(context, { from: since_time, to: until_time, bucket, by }) {
    const { store, signal } = context
    const { from, to } = await toRange(context, { since_time, until_time })
    const end = to === undefined ? await store.events.latest() : to - 1
    const counts = new Map<string, [number, string | null, number]>()
    for (let after = from; after < end; after = toEventId(after + COUNTED_AT_ONCE)) {
      const upTo = toEventId(Math.min(after + COUNTED_AT_ONCE, end))
      const found = await store.events.counts({ after, upTo, bucketMs: bucket * 1000, by })
      for (const { at, name, count } of found) {
        const key = `${at} ${name ?? ''}`
        const known = counts.get(key)
        if (known === undefined) counts.set(key, [at, name, count])
        else known[2] += count
      }
      if (counts.size > MOST_BUCKETS) throw tooFine(bucket)
      await yieldToEventLoop(signal)
    }
    return { bucket, buckets: [...counts.values()] }
  },
  show: ({ buckets }) => [
    buckets.length === 0
      ? line`nothing happened`
      : table(buckets, [
          { head: 'FROM', value: ([at]) => when(toTime(at)) },
          { head: 'OF', value: ([, name]) => name ?? '' },
          { head: 'EVENTS', value: ([, , count]) => count },
        ]),
  ],
})

function tooFine(bucket: number): Failure {
  const message = `makes more than ${MOST_BUCKETS} spans; use a longer one, or a shorter range`
  return violation('bucket', 'too_small', message, { value: bucket })
}

interface TimeRange {
  readonly since_time: string | undefined
  readonly until_time: string | undefined
}

/** Times as ids: events with an id above `from` and below `to`. */
async function toRange(
  { store }: ReadContext,
  { since_time, until_time }: TimeRange,
): Promise<{ readonly from: EventId; readonly to: EventId | undefined }> {
  const lastBefore = async (text: string | undefined): Promise<EventId | undefined> => {
    const time = text === undefined ? undefined : parseMoment(text)
    return time === undefined ? undefined : await store.events.lastBefore(time)
  }
  const last = await lastBefore(until_time)
  return {
    from: (await lastBefore(since_time)) ?? BEFORE_ALL,
    to: last === undefined ? undefined : toEventId(last + 1),
  }
}

/** Entities may be named by their number; the subject of an event is an id. */
async function toSubjects(
  { store }: ReadContext,
  named: readonly string[],
): Promise<readonly string[] | undefined> {
  if (named.length === 0) return undefined
  return await Promise.all(
    named.map(async (text) => {
      const [, digits] = /^#?(\d{1,15})$/.exec(text) ?? []
      if (digits === undefined) return text
      return (await store.entities.byNumber(Number(digits)))?.id ?? text
    }),
  )
}

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
    const cursor = since === undefined ? await store.events.latest() : toEventId(since)
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

interface PageQuery {
  readonly types: readonly string[]
  readonly agents?: readonly string[]
  readonly subjects?: readonly string[] | undefined
  readonly before?: EventId | undefined
  readonly limit: number
  readonly newest?: boolean
}

async function readPage(
  context: ReadContext,
  since: EventId,
  { types, agents = [], subjects, before, limit, newest = false }: PageQuery,
): Promise<Page> {
  refuseUnknownTypes(types)
  const { store } = context
  const wanted = {
    limit,
    before,
    subjects,
    ...(types.length > 0 && { types }),
    ...(agents.length > 0 && { agents }),
  }
  const events = newest
    ? await store.events.newest({ ...wanted, after: since })
    : await store.events.after(since, wanted)
  const latest = await store.events.latest()
  const horizon = await store.events.horizon()
  const views = events.map(async (event) => toEventView(event, await describeEvent(context, event)))
  return {
    events: await Promise.all(views),
    // Dropped events are reported once: the next cursor is past them.
    next_cursor:
      events.at(newest ? 0 : -1)?.id ?? toEventId(Math.min(Math.max(since, horizon), latest)),
    latest,
    // A cursor ahead of the stream predates the restore of an older backup: its events are not these.
    missed: since < horizon || since > latest,
  }
}
