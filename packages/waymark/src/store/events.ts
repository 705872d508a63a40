import type { Counters } from './counters.ts'
import type { Sql, SqlReader } from './sql.ts'

/** Something that happened, written in the transaction that made it happen. */
export interface EventRow {
  /** 1, 2, 3 … in the order of the commits, without gaps. */
  readonly id: number
  /** `noun.verbed`. */
  readonly type: string
  /** The id of the thing it happened to. */
  readonly subject: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly agent: string | null
  readonly data: Readonly<Record<string, unknown>>
}

export type NewEvent = Omit<EventRow, 'id'>

export interface EventQuery {
  readonly limit: number
  /** Only these types; all when absent. */
  readonly types?: readonly string[]
}

export interface EventReader {
  /** Events with an id above `cursor`, oldest first. */
  after(cursor: number, query: EventQuery): Promise<EventRow[]>
  /** The id of the newest event, 0 when nothing has happened yet. */
  latest(): Promise<number>
}

export interface Events extends EventReader {
  append(event: NewEvent): Promise<number>
}

interface EventRecord {
  readonly id: number
  readonly type: string
  readonly subject: string
  readonly at: number
  readonly agent: string | null
  readonly data: string
}

export function createEventReader(sql: SqlReader): EventReader {
  return {
    async after(cursor, { limit, types }) {
      if (types?.length === 0) return []
      const ofTypes = types === undefined ? '' : `AND type IN (${types.map(() => '?').join(', ')})`
      const records = await sql.all<EventRecord>(
        `SELECT id, type, subject, at, agent, data FROM event
          WHERE id > ? ${ofTypes} ORDER BY id LIMIT ?`,
        [cursor, ...(types ?? []), limit],
      )
      return records.map(toEvent)
    },

    async latest() {
      const row = await sql.get<{ id: number | null }>('SELECT max(id) AS id FROM event')
      return row?.id ?? 0
    },
  }
}

export function createEvents(sql: Sql, counters: Counters): Events {
  return {
    ...createEventReader(sql),

    async append({ type, subject, at, agent, data }) {
      const id = await counters.next('event')
      await sql.run(
        'INSERT INTO event (id, type, subject, at, agent, data) VALUES (?, ?, ?, ?, ?, ?)',
        [id, type, subject, at, agent, JSON.stringify(data)],
      )
      return id
    },
  }
}

function toEvent(record: EventRecord): EventRow {
  return { ...record, data: JSON.parse(record.data) as Record<string, unknown> }
}
