import type { EndedSession } from '../session.ts'
import type { SessionLimits } from '../session-limits.ts'
import type { SessionStats } from '../session-store.ts'
import { FLUSH_AFTER_MS } from './deferred-writes.ts'
import { CLOCK, type SessionTables, toTime } from './session-database.ts'

interface EndedRow {
  readonly id: string
  readonly created_at: number
}

/** Other processes write activity late, so a session must not end while one of them may have an unwritten update. */
const GRACE_MS = 2 * FLUSH_AFTER_MS

/** Parameters 3 and 4: idle limits of sessions with and without an open stream. */
const isExpired = (at: string): string => `((connected_until > ${at} AND seen_at <= ${at} - $3)
  OR (connected_until <= ${at} AND greatest(seen_at, connected_until) <= ${at} - $4))`

/** Ends what has expired, in the database's time. */
export class Housekeeping {
  readonly #tables: SessionTables
  readonly #limits: SessionLimits

  constructor(tables: SessionTables, limits: SessionLimits) {
    this.#tables = tables
    this.#limits = limits
  }

  /** Deletes expired sessions, streams and records; returns the sessions that this process deleted. */
  async sweep(): Promise<EndedSession[]> {
    const { database, schema } = this.#tables
    // Rows that another process is writing or sweeping are left for the next time.
    const rows = await database.query<EndedRow>(
      `WITH ${CLOCK} DELETE FROM ${schema}.mcp_session WHERE id IN (
         SELECT id FROM ${schema}.mcp_session, clock
           WHERE endpoint = $2 AND ${isExpired(`(now - ${GRACE_MS})`)} FOR UPDATE SKIP LOCKED)
       RETURNING id, created_at`,
      this.#asked(),
    )
    await database.query(
      `WITH ${CLOCK} DELETE FROM ${schema}.mcp_stream WHERE (event_tag, number) IN (
         SELECT event_tag, number FROM ${schema}.mcp_stream JOIN ${schema}.mcp_session AS s
           USING (event_tag), clock
           WHERE s.endpoint = $2 AND closed_at <= now - $3 FOR UPDATE OF mcp_stream SKIP LOCKED)`,
      [toTime(this.#tables), this.#tables.endpoint, this.#limits.disconnectedIdleMs],
    )
    await database.query(
      `WITH ${CLOCK}, dead AS (
         DELETE FROM ${schema}.mcp_writer USING clock WHERE alive_until <= now)
       DELETE FROM ${schema}.mcp_record USING clock WHERE endpoint = $2 AND expires_at <= now`,
      [toTime(this.#tables), this.#tables.endpoint],
    )
    await this.#reclaimBytes()
    return rows.map((row) => ({ id: row.id, createdAt: row.created_at, reason: 'idle' }))
  }

  /** Counts the live sessions. */
  async count(): Promise<SessionStats> {
    const { database, schema } = this.#tables
    const [row] = await database.query<SessionStats>(
      `WITH ${CLOCK} SELECT count(*) AS total,
           count(*) FILTER (WHERE connected_until > now) AS connected
         FROM ${schema}.mcp_session, clock WHERE endpoint = $2 AND NOT ${isExpired('now')}`,
      this.#asked(),
    )
    return { total: row?.total ?? 0, connected: row?.connected ?? 0 }
  }

  /** Drops the events of the longest idle sessions until the total size is within its limit. */
  async #reclaimBytes(): Promise<void> {
    const { database, schema, endpoint } = this.#tables
    const streams = `${schema}.mcp_stream AS st JOIN ${schema}.mcp_session AS s USING (event_tag)`
    await database.query(
      `WITH sized AS (
         SELECT event_tag, number, sum(bytes) OVER () AS total,
             sum(bytes) OVER (ORDER BY s.seen_at, s.id, number) - bytes AS freed_before
           FROM ${streams} WHERE s.endpoint = $1 AND bytes > 0),
       dropped AS (SELECT event_tag, number FROM sized WHERE total - freed_before > $2),
       gone AS (
         DELETE FROM ${schema}.mcp_event AS e USING dropped AS d
           WHERE e.event_tag = d.event_tag AND e.number = d.number)
       UPDATE ${schema}.mcp_stream AS st SET first_sequence = last_sequence + 1, bytes = 0
         FROM dropped AS d WHERE st.event_tag = d.event_tag AND st.number = d.number`,
      [endpoint, this.#limits.bytesTotal],
    )
  }

  #asked(): unknown[] {
    const { connectedIdleMs, disconnectedIdleMs } = this.#limits
    return [toTime(this.#tables), this.#tables.endpoint, connectedIdleMs, disconnectedIdleMs]
  }
}
