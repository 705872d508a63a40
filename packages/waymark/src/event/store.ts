import { nextNumber } from '../core/store/counters.ts'
import type { Sql, SqlReader, SqlValue } from '../core/store/sql.ts'
import type { AgentId } from '../agent/agent.ts'
import { LEASE_SIGNS, pruneSpans, recordSpan } from '../task/lane/store.ts'
import { type EventId, toEventId, BEFORE_ALL } from './event-id.ts'
import {
  aboutSubjects,
  AGENT_IDS,
  type EventRecord,
  fromStoredType,
  marks,
  toEvent,
  toStoredData,
  toStoredSubject,
  toStoredType,
} from './event-record.ts'

/** An event, written in the same transaction as its change. */
export interface EventRow {
  /** 1, 2, 3 … in the order of the commits, without gaps. */
  readonly id: EventId
  /** `noun.verbed`. */
  readonly type: string
  /** The id of the thing it happened to. */
  readonly subject: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** Name of the agent that caused it. */
  readonly agent: string | null
  /** Id of that agent; absent for remote events, and for events of earlier versions. */
  readonly agentId?: AgentId | undefined
  readonly data: Readonly<Record<string, unknown>>
}

type NewEvent = Omit<EventRow, 'id'>

interface EventQuery {
  readonly limit: number
  /** Only these types; all when absent. */
  readonly types?: readonly string[]
}

interface SelectedQuery extends EventQuery {
  /** Only those with an id above this. */
  readonly after?: EventId | undefined
  /** Only those with an id below this. */
  readonly before?: EventId | undefined
  /** Not these types. */
  readonly except?: readonly string[]
  /** Only those that agents of one of these names or ids have caused. */
  readonly agents?: readonly string[] | undefined
  /** Only about these ids. */
  readonly subjects?: readonly string[] | undefined
}

interface CountQuery {
  readonly after: EventId
  readonly upTo: EventId
  readonly bucketMs: number
  readonly by: keyof typeof COUNTED_BY
}

interface EventCount {
  /** Begin of the span, in milliseconds since 1970. */
  readonly at: number
  readonly name: string | null
  readonly count: number
}

/** Constants, so that no input becomes SQL. */
const COUNTED_BY = { none: 'NULL', type: 'type', agent: 'agent' } as const

interface Ordered {
  readonly order: 'oldest' | 'newest'
}

const DAY = 24 * 60 * 60 * 1000

/** Retention of events. Deletion events are kept forever. */
const EVENTS_KEPT_MS = 30 * DAY

/** Minimum number of events kept, so that a wrong clock cannot empty the stream. */
const EVENTS_KEPT_AT_LEAST = 500

/** Events written between two cleanups. */
const PRUNE_EVERY = 100

/**
 * Most events that a cleanup looks at. More than are written between two, so that a backlog shrinks without a stall:
 * in a large project each is in a page of the index of its own.
 */
const PRUNED_AT_ONCE = 300

export function createEventReader(sql: SqlReader) {
  const select = async (query: SelectedQuery & Ordered): Promise<EventRow[]> => {
    const { types, agents, subjects, except = [], after = 0, before, limit, order } = query
    // An empty list asks for nothing.
    if ([types, agents, subjects].some((list) => list?.length === 0)) return []
    const conditions = ['id > ?']
    const values: SqlValue[] = [after]
    const demand = (condition: string, given: readonly SqlValue[]): void => {
      conditions.push(condition)
      values.push(...given)
    }
    if (before !== undefined) demand('id < ?', [before])
    if (types !== undefined) demand(`type IN (${marks(types)})`, types.map(toStoredType))
    if (except.length > 0) demand(`type NOT IN (${marks(except)})`, except.map(toStoredType))
    if (subjects !== undefined) {
      const about = aboutSubjects(subjects)
      demand(about.condition, about.values)
    }
    if (agents !== undefined) {
      const known = [
        `agent IN (${marks(agents)})`,
        ...AGENT_IDS.map((id) => `${id} IN (${marks(agents)})`),
      ]
      demand(
        `(${known.join(' OR ')})`,
        known.flatMap(() => agents),
      )
    }
    const records = await sql.all<EventRecord>(
      `SELECT id, type, subject, at, agent, data FROM event WHERE ${conditions.join(' AND ')}
        ORDER BY id ${order === 'newest' ? 'DESC' : 'ASC'} LIMIT ?`,
      [...values, limit],
    )
    return records.map(toEvent)
  }
  return {
    /** Events with an id above `cursor`, oldest first. */
    after: (cursor: EventId, query: EventQuery): Promise<EventRow[]> =>
      select({ ...query, after: cursor, order: 'oldest' }),

    /** The newest first. */
    newest: (query: SelectedQuery): Promise<EventRow[]> => select({ ...query, order: 'newest' }),

    /** The id of the last event before a time, or 0. Ids grow with time, so they are bisected. */
    async lastBefore(time: number): Promise<EventId> {
      const ends = await sql.get<{ low: number | null; high: number | null }>(
        'SELECT min(id) AS low, max(id) AS high FROM event',
      )
      let [low, high] = [(ends?.low ?? 1) - 1, ends?.high ?? 0]
      // Events up to `low` are before the time or do not exist, those after `high` are not before it.
      while (low < high) {
        const middle = Math.ceil((low + high) / 2)
        const row = await sql.get<{ id: number; at: number }>(
          'SELECT id, at FROM event WHERE id <= ? ORDER BY id DESC LIMIT 1',
          [middle],
        )
        if (row === undefined || row.at < time) low = middle
        else high = row.id - 1
      }
      return toEventId(low)
    },

    /** How many events of each kind fall into each span of time. */
    async counts({ after, upTo, bucketMs, by }: CountQuery): Promise<EventCount[]> {
      const counts = await sql.all<EventCount>(
        `SELECT (at / ?) * ? AS at, ${COUNTED_BY[by]} AS name, count(*) AS count FROM event
          WHERE id > ? AND id <= ? GROUP BY 1, 2 ORDER BY 1, 2`,
        [bucketMs, bucketMs, after, upTo],
      )
      if (by !== 'type') return counts
      return counts.map((each) => ({ ...each, name: each.name && fromStoredType(each.name) }))
    },

    /** The id of the newest event, 0 when nothing has happened yet. */
    async latest(): Promise<EventId> {
      const row = await sql.get<{ id: EventId | null }>('SELECT max(id) AS id FROM event')
      return row?.id ?? BEFORE_ALL
    },

    /** Events up to this id may have been dropped because they were too old. */
    async horizon(): Promise<EventId> {
      const row = await sql.get<{ value: EventId }>(
        "SELECT value FROM counter WHERE name = 'event_horizon'",
      )
      return row?.value ?? BEFORE_ALL
    },
  }
}

export function createEvents(sql: Sql) {
  return {
    ...createEventReader(sql),

    async append({ type, subject, at, agent, agentId, data }: NewEvent): Promise<EventId> {
      const id = await nextNumber<EventId>(sql, 'event')
      await sql.send(
        'INSERT INTO event (id, type, subject, at, agent, data) VALUES (?, ?, ?, ?, ?, ?)',
        [id, toStoredType(type), toStoredSubject(subject), at, agent, toStoredData(data, agentId)],
      )
      if (LEASE_SIGNS.has(type)) await recordSpan(sql, { type, subject, at, agentId, data })
      if (id % PRUNE_EVERY === 0) {
        await pruneSpans(sql, { now: at, limit: PRUNED_AT_ONCE })
        await prune(sql, { before: at - EVENTS_KEPT_MS, below: id - EVENTS_KEPT_AT_LEAST })
      }
      return id
    },
  }
}

async function prune(
  sql: Sql,
  { before, below }: { readonly before: number; readonly below: number },
): Promise<void> {
  const horizon = await createEventReader(sql).horizon()
  const end = Math.min(below, horizon + 1 + PRUNED_AT_ONCE)
  // Ids and times grow together: all before the first one that is kept are too old.
  const kept = await sql.get<{ id: number }>(
    'SELECT id FROM event WHERE id > ? AND id < ? AND at >= ? ORDER BY id LIMIT 1',
    [horizon, end, before],
  )
  const first = kept?.id ?? end
  if (first <= horizon + 1) return
  await sql.send(
    `DELETE FROM event
      WHERE id > ? AND id < ? AND type NOT IN ('entity.deleted', 'relation.deleted')`,
    [horizon, first],
  )
  await sql.send("UPDATE counter SET value = ? WHERE name = 'event_horizon'", [first - 1])
}
