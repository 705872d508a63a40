import { parseEventId } from '../event-id.ts'
import type { SessionTimes } from '../session-lifetime.ts'
import type { SessionActivity } from '../session.ts'
import { CLOCK, type SessionTables, toSpan, toTime } from './session-database.ts'

/** The time span of updates that a crash may lose. */
export const FLUSH_AFTER_MS = 5_000

/** On the clock of this process, which measures only how long ago something was. */
interface Touch {
  readonly seenAt?: number
  readonly connectedUntil?: number
}

/** Updates that every message makes and that need not be durable at once: collected, then written together. */
export class DeferredWrites {
  readonly #tables: SessionTables
  readonly #connectionLeaseMs: number
  readonly #touchesBySession = new Map<string, Touch>()
  readonly #deliveredByStream = new Map<string, number>()
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(tables: SessionTables, connectionLeaseMs: number) {
    this.#tables = tables
    this.#connectionLeaseMs = connectionLeaseMs
  }

  touch(sessionId: string, activity: SessionActivity): void {
    const now = toSpan(this.#tables)
    const lease = activity === 'disconnected' ? 0 : this.#connectionLeaseMs
    const touch = activity === 'message' ? { seenAt: now } : { connectedUntil: now + lease }
    this.#touchesBySession.set(sessionId, { ...this.#touchesBySession.get(sessionId), ...touch })
    this.#schedule()
  }

  markDelivered(streamId: string, sequence: number): void {
    if (this.deliveredIn(streamId) >= sequence) return
    this.#deliveredByStream.set(streamId, sequence)
    this.#schedule()
  }

  /** The stored times, as of `now` on the database's clock, with those that are not written yet. */
  withTouch(sessionId: string, stored: SessionTimes, now: number): SessionTimes {
    const { seenAt, connectedUntil } = this.#touchesBySession.get(sessionId) ?? {}
    const offset = now - toSpan(this.#tables)
    return {
      seenAt: seenAt === undefined ? stored.seenAt : Math.max(stored.seenAt, seenAt + offset),
      connectedUntil:
        connectedUntil === undefined ? stored.connectedUntil : connectedUntil + offset,
    }
  }

  deliveredIn(streamId: string): number {
    return this.#deliveredByStream.get(streamId) ?? 0
  }

  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const touches = [...this.#touchesBySession]
    const delivered = [...this.#deliveredByStream]
    this.#touchesBySession.clear()
    this.#deliveredByStream.clear()
    if (touches.length > 0) await this.#storeTouches(touches)
    if (delivered.length > 0) await this.#storeDelivered(delivered)
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  async #storeTouches(touches: readonly (readonly [string, Touch])[]): Promise<void> {
    const { database, schema, endpoint } = this.#tables
    const span = toSpan(this.#tables)
    const toOffset = (time: number | undefined): number | null =>
      time === undefined ? null : Math.round(time - span)
    await database.query(
      `WITH ${CLOCK}, touched AS (
         SELECT * FROM unnest($3::text[], $4::bigint[], $5::bigint[]) AS t (id, seen, connected)),
       locked AS (
         SELECT id FROM ${schema}.mcp_session
           WHERE id = ANY($3::text[]) AND endpoint = $2 ORDER BY id FOR UPDATE)
       UPDATE ${schema}.mcp_session AS s SET
           seen_at = greatest(s.seen_at, now + t.seen),
           connected_until = coalesce(now + t.connected, s.connected_until)
         FROM clock, locked JOIN touched AS t USING (id) WHERE s.id = locked.id`,
      [
        toTime(this.#tables),
        endpoint,
        touches.map(([id]) => id),
        touches.map(([, { seenAt }]) => toOffset(seenAt)),
        touches.map(([, { connectedUntil }]) => toOffset(connectedUntil)),
      ],
    )
  }

  async #storeDelivered(delivered: readonly (readonly [string, number])[]): Promise<void> {
    const { database, schema } = this.#tables
    const positions = delivered.flatMap(([streamId, sequence]) => {
      const position = parseEventId(`${streamId}.${sequence}`)
      return position === undefined ? [] : [position]
    })
    await database.query(
      `UPDATE ${schema}.mcp_stream AS s
         SET delivered_sequence = greatest(s.delivered_sequence, d.sequence)
         FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS d (event_tag, number, sequence)
         WHERE s.event_tag = d.event_tag AND s.number = d.number`,
      [
        positions.map(({ tag }) => tag),
        positions.map(({ stream }) => stream),
        positions.map(({ sequence }) => sequence),
      ],
    )
  }

  #schedule(): void {
    if (this.#timer !== undefined) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      // A lost update only makes the session look older than it is.
      this.flush().catch(() => {})
    }, FLUSH_AFTER_MS)
    this.#timer.unref?.()
  }
}
