import type { Sql, SqlReader } from '../core/store/sql.ts'
import type { EventId } from '../event/event-id.ts'

/** The position in the event stream up to which a viewer has been briefed. */
export interface BriefCursor {
  /** The newest event at that time. */
  readonly eventId: EventId
  /** Milliseconds since 1970. */
  readonly at: number
}

export function createLookReader(sql: SqlReader) {
  return {
    async lastOf(viewer: string): Promise<BriefCursor | undefined> {
      return await sql.get<{ eventId: EventId; at: number }>(
        'SELECT event_id AS "eventId", at FROM look WHERE viewer = ?',
        [viewer],
      )
    },
  }
}

export function createLooks(sql: Sql) {
  return {
    ...createLookReader(sql),

    async put(viewer: string, { eventId, at }: BriefCursor): Promise<void> {
      await sql.run(
        `INSERT INTO look (viewer, event_id, at) VALUES (?, ?, ?)
          ON CONFLICT (viewer) DO UPDATE SET event_id = excluded.event_id, at = excluded.at`,
        [viewer, eventId, at],
      )
    },
  }
}
