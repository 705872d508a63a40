import type { Connection } from '@waymark/sqlite'
import type { SessionTimes } from '../session-lifetime.ts'
import type { GroupCommit } from './group-commit.ts'

/** The time span of updates that a crash may lose. */
export const FLUSH_AFTER_MS = 5_000

interface DeliveredMark {
  readonly sessionId: string
  readonly stream: number
  readonly sequence: number
}

/** Updates that every message makes and that need not be durable at once: collected, then written in one transaction. */
export class DeferredWrites {
  readonly #connection: Connection
  readonly #commits: GroupCommit
  readonly #touchesBySession = new Map<string, Partial<SessionTimes>>()
  readonly #marksByStream = new Map<string, DeliveredMark>()
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(connection: Connection, commits: GroupCommit) {
    this.#connection = connection
    this.#commits = commits
  }

  touch(sessionId: string, times: Partial<SessionTimes>): void {
    const earlier = this.#touchesBySession.get(sessionId)
    this.#touchesBySession.set(sessionId, { ...earlier, ...times })
    this.#schedule()
  }

  markDelivered(mark: DeliveredMark): void {
    const name = `${mark.sessionId}.${mark.stream}`
    if ((this.#marksByStream.get(name)?.sequence ?? 0) >= mark.sequence) return
    this.#marksByStream.set(name, mark)
    this.#schedule()
  }

  /** The stored times, overridden by those that are not written yet. */
  withTouch(sessionId: string, stored: SessionTimes): SessionTimes {
    return { ...stored, ...this.#touchesBySession.get(sessionId) }
  }

  deliveredIn(sessionId: string, stream: number): number {
    return this.#marksByStream.get(`${sessionId}.${stream}`)?.sequence ?? 0
  }

  /** Writes everything; to be called inside a transaction. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (const [id, { seenAt, connectedUntil }] of this.#touchesBySession) {
      this.#connection.run(
        `UPDATE session SET seen_at = max(seen_at, coalesce(?, 0)),
           connected_until = coalesce(?, connected_until) WHERE id = ?`,
        seenAt ?? null,
        connectedUntil ?? null,
        id,
      )
    }
    for (const { sessionId, stream, sequence } of this.#marksByStream.values()) {
      this.#connection.run(
        `UPDATE stream SET delivered_sequence = max(delivered_sequence, ?)
           WHERE session_id = ? AND number = ?`,
        sequence,
        sessionId,
        stream,
      )
    }
    this.#touchesBySession.clear()
    this.#marksByStream.clear()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #schedule(): void {
    if (this.#timer !== undefined) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      // A lost update only makes the session look older than it is.
      this.#commits.write(() => this.flush()).catch(() => {})
    }, FLUSH_AFTER_MS)
    this.#timer.unref()
  }
}
