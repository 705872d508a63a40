import type { Sql, SqlReader } from '../core/store/sql.ts'

/** The position in the event stream up to which a viewer has been briefed. */
export interface BriefCursor {
  /** The newest event at that time. */
  readonly eventId: number
  /** Milliseconds since 1970. */
  readonly at: number
}

export interface LookReader {
  lastOf(viewer: string): Promise<BriefCursor | undefined>
}

export interface Looks extends LookReader {
  put(viewer: string, cursor: BriefCursor): Promise<void>
}

export function createLookReader(sql: SqlReader): LookReader {
  return {
    async lastOf(viewer) {
      return await sql.get<{ eventId: number; at: number }>(
        'SELECT event_id AS "eventId", at FROM look WHERE viewer = ?',
        [viewer],
      )
    },
  }
}

export function createLooks(sql: Sql): Looks {
  return {
    ...createLookReader(sql),

    async put(viewer, { eventId, at }) {
      await sql.run(
        `INSERT INTO look (viewer, event_id, at) VALUES (?, ?, ?)
          ON CONFLICT (viewer) DO UPDATE SET event_id = excluded.event_id, at = excluded.at`,
        [viewer, eventId, at],
      )
    },
  }
}
