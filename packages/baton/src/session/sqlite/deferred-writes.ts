import type { SignsOfLife } from '../session-lifetime.ts'
import type { Connection } from './connection.ts'
import type { GroupCommit } from './group-commit.ts'

/** How much of these notes a crash may lose. */
export const FLUSH_AFTER_MS = 5_000

interface DeliveredMark {
  readonly sessionId: string
  readonly stream: number
  readonly sequence: number
}

/** Notes that every message makes and nobody waits for: collected, then written in one go. */
export class DeferredWrites {
  readonly #connection: Connection
  readonly #commits: GroupCommit
  readonly #touchesBySession = new Map<string, Partial<SignsOfLife>>()
  readonly #marksByStream = new Map<string, DeliveredMark>()
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(connection: Connection, commits: GroupCommit) {
    this.#connection = connection
    this.#commits = commits
  }

  touch(sessionId: string, signs: Partial<SignsOfLife>): void {
    const earlier = this.#touchesBySession.get(sessionId)
    this.#touchesBySession.set(sessionId, { ...earlier, ...signs })
    this.#schedule()
  }

  markDelivered(mark: DeliveredMark): void {
    const name = `${mark.sessionId}.${mark.stream}`
    if ((this.#marksByStream.get(name)?.sequence ?? 0) >= mark.sequence) return
    this.#marksByStream.set(name, mark)
    this.#schedule()
  }

  /** The stored signs of life with what is not written yet on top. */
  withTouch(sessionId: string, stored: SignsOfLife): SignsOfLife {
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
      // A note that is lost only makes its session look older than it is.
      this.#commits.write(() => this.flush()).catch(() => {})
    }, FLUSH_AFTER_MS)
    this.#timer.unref()
  }
}
