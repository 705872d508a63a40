import { nextNumber } from '../core/store/counters.ts'
import type { Sql, SqlReader, Stored } from '../core/store/sql.ts'
import { parseStored } from '../core/store/stored-json.ts'

/** An event, written in the same transaction as its change. */
export interface EventRow {
  /** 1, 2, 3 … in the order of the commits, without gaps. */
  readonly id: number
  /** `noun.verbed`. */
  readonly type: string
  /** The id of the thing it happened to. */
  readonly subject: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** Name of the agent that caused it. */
  readonly agent: string | null
  /** Id of that agent; absent for remote events, and for events of earlier versions. */
  readonly agentId?: string | undefined
  readonly data: Readonly<Record<string, unknown>>
}

type NewEvent = Omit<EventRow, 'id'>

interface EventQuery {
  readonly limit: number
  /** Only these types; all when absent. */
  readonly types?: readonly string[]
}

interface NewestQuery extends EventQuery {
  /** Only those with an id above this. */
  readonly after?: number
  /** Not these types. */
  readonly except?: readonly string[]
}

type EventRecord = Stored<EventRow, 'data'>

/** Stored inside `data`; older versions show it as an ordinary fact. */
const AGENT_ID = '_agent_id'

const DAY = 24 * 60 * 60 * 1000

/** Retention of events. Deletion events are kept forever. */
const EVENTS_KEPT_MS = 30 * DAY

/** Minimum number of events kept, so that a wrong clock cannot empty the stream. */
const EVENTS_KEPT_AT_LEAST = 500

/** Events written between two cleanups. */
const PRUNE_EVERY = 1000

export function createEventReader(sql: SqlReader) {
  return {
    /** Events with an id above `cursor`, oldest first. */
    async after(cursor: number, { limit, types }: EventQuery): Promise<EventRow[]> {
      if (types?.length === 0) return []
      const ofTypes = types === undefined ? '' : `AND type IN (${marks(types)})`
      const records = await sql.all<EventRecord>(
        `SELECT id, type, subject, at, agent, data FROM event
          WHERE id > ? ${ofTypes} ORDER BY id LIMIT ?`,
        [cursor, ...(types ?? []), limit],
      )
      return records.map(toEvent)
    },

    /** The id of the last event before a time, or 0. */
    async lastBefore(time: number): Promise<number> {
      const row = await sql.get<{ id: number }>(
        'SELECT id FROM event WHERE at < ? ORDER BY id DESC LIMIT 1',
        [time],
      )
      return row?.id ?? 0
    },

    /** The newest first. */
    async newest({ limit, after = 0, types, except = [] }: NewestQuery): Promise<EventRow[]> {
      const ofTypes = types === undefined ? '' : `AND type IN (${marks(types)})`
      const records = await sql.all<EventRecord>(
        `SELECT id, type, subject, at, agent, data FROM event
          WHERE id > ? ${ofTypes} AND type NOT IN (${marks(except)}) ORDER BY id DESC LIMIT ?`,
        [after, ...(types ?? []), ...except, limit],
      )
      return records.map(toEvent)
    },

    /** The id of the newest event, 0 when nothing has happened yet. */
    async latest(): Promise<number> {
      const row = await sql.get<{ id: number | null }>('SELECT max(id) AS id FROM event')
      return row?.id ?? 0
    },

    /** Events up to this id may have been dropped because they were too old. */
    async horizon(): Promise<number> {
      const row = await sql.get<{ value: number }>(
        "SELECT value FROM counter WHERE name = 'event_horizon'",
      )
      return row?.value ?? 0
    },
  }
}

export function createEvents(sql: Sql) {
  return {
    ...createEventReader(sql),

    async append({ type, subject, at, agent, agentId, data }: NewEvent): Promise<number> {
      const id = await nextNumber(sql, 'event')
      await sql.run(
        'INSERT INTO event (id, type, subject, at, agent, data) VALUES (?, ?, ?, ?, ?, ?)',
        [id, type, subject, at, agent, JSON.stringify({ ...data, [AGENT_ID]: agentId })],
      )
      if (id % PRUNE_EVERY === 0) {
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
  // Ids and times grow together, so this reads only the dropped rows and one more.
  const kept = await sql.get<{ id: number }>(
    'SELECT id FROM event WHERE at >= ? ORDER BY id LIMIT 1',
    [before],
  )
  const first = Math.min(kept?.id ?? below, below)
  const dropped = await sql.run(
    `DELETE FROM event WHERE id < ? AND type NOT IN ('entity.deleted', 'relation.deleted')`,
    [first],
  )
  if (dropped === 0) return
  await sql.run("UPDATE counter SET value = ? WHERE name = 'event_horizon'", [first - 1])
}

function marks(values: readonly string[]): string {
  return values.map(() => '?').join(', ')
}

function toEvent(record: EventRecord): EventRow {
  const stored = parseStored<Record<string, unknown>>(record.data, `event ${record.id}`)
  const { [AGENT_ID]: agentId, ...data } = stored
  return { ...record, ...(typeof agentId === 'string' && { agentId }), data }
}
