import type { Connection } from '@waymark/sqlite'
import type { EndedSession } from '../session.ts'
import type { SessionLimits } from '../session-limits.ts'
import { SessionCapacityError, type SessionStats } from '../session-store.ts'
import { FLUSH_AFTER_MS } from './deferred-writes.ts'

interface EndedRow {
  readonly id: string
  readonly created_at: number
}

/** Other processes write activity late, so a session must not expire while one of them may have an unwritten update. */
const GRACE_MS = 2 * FLUSH_AFTER_MS

/** ?1: now; ?2 and ?3: idle limits of sessions with and without an open stream. */
const IS_EXPIRED = `((connected_until > ?1 AND seen_at <= ?1 - ?2)
  OR (connected_until <= ?1 AND max(seen_at, connected_until) <= ?1 - ?3))`

/** Expiry and eviction; every method runs inside a transaction of the caller. */
export class Housekeeping {
  readonly #connection: Connection
  readonly #limits: SessionLimits

  constructor(connection: Connection, limits: SessionLimits) {
    this.#connection = connection
    this.#limits = limits
  }

  /** Evicts the longest idle session if the store is full, and returns it. */
  makeRoom(now: number): EndedSession | undefined {
    const count = this.#connection.get<{ n: number }>('SELECT count(*) AS n FROM session')
    if ((count?.n ?? 0) < this.#limits.maxSessions) return undefined
    const row = this.#connection.get<EndedRow>(
      `DELETE FROM session WHERE id = (
         SELECT id FROM session
           WHERE connected_until <= ?1 AND max(seen_at, connected_until) <= ?1 - ?2
           ORDER BY seen_at, id LIMIT 1)
       RETURNING id, created_at`,
      now,
      this.#limits.evictableAfterMs,
    )
    if (row === undefined) throw new SessionCapacityError(this.#limits.evictableAfterMs)
    return { id: row.id, createdAt: row.created_at, reason: 'evicted' }
  }

  /** Deletes expired sessions, streams and records; returns the sessions. */
  sweep(now: number): EndedSession[] {
    const { connectedIdleMs, disconnectedIdleMs } = this.#limits
    const rows = this.#connection.all<EndedRow>(
      `DELETE FROM session
         WHERE ${IS_EXPIRED}
       RETURNING id, created_at`,
      now - GRACE_MS,
      connectedIdleMs,
      disconnectedIdleMs,
    )
    this.#connection.run('DELETE FROM stream WHERE closed_at <= ?', now - disconnectedIdleMs)
    this.#connection.run('DELETE FROM record WHERE expires_at <= ?', now)
    this.#connection.run('DELETE FROM writer WHERE alive_until <= ?', now)
    this.#reclaimBytes()
    return rows.map((row) => ({ id: row.id, createdAt: row.created_at, reason: 'idle' }))
  }

  /** Counts the live sessions. */
  count(now: number): SessionStats {
    const { connectedIdleMs, disconnectedIdleMs } = this.#limits
    const row = this.#connection.get<{ total: number; connected: number }>(
      `SELECT count(*) AS total, count(*) FILTER (WHERE connected_until > ?1) AS connected
         FROM session WHERE NOT ${IS_EXPIRED}`,
      now,
      connectedIdleMs,
      disconnectedIdleMs,
    )
    return { total: row?.total ?? 0, connected: row?.connected ?? 0 }
  }

  /** Drops the events of the longest idle sessions until the total size is within its limit. */
  #reclaimBytes(): void {
    const sum = this.#connection.get<{ bytes: number }>(
      'SELECT coalesce(sum(bytes), 0) AS bytes FROM stream',
    )
    let excess = (sum?.bytes ?? 0) - this.#limits.bytesTotal
    if (excess <= 0) return
    const streams = this.#connection.all<{ key: number; bytes: number }>(
      `SELECT key, bytes FROM stream JOIN session ON session.id = session_id
         WHERE bytes > 0 ORDER BY seen_at, session.id, number`,
    )
    for (const { key, bytes } of streams) {
      if (excess <= 0) return
      excess -= bytes
      this.#connection.run('DELETE FROM event WHERE stream_key = ?', key)
      this.#connection.run(
        'UPDATE stream SET first_sequence = last_sequence + 1, bytes = 0 WHERE key = ?',
        key,
      )
    }
  }
}
