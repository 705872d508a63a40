import { createSessionId } from '../random-id.ts'
import type { Connection } from './connection.ts'
import type { GroupCommit } from './group-commit.ts'

/** How long a process is believed to be alive without a further sign. */
const LEASE_MS = 30_000
const RENEW_MS = 10_000

/** Tells other processes that this one still writes its streams, for as long as it has any. */
export class WriterLease {
  readonly id: string = createSessionId()
  readonly #connection: Connection
  readonly #commits: GroupCommit
  readonly #now: () => number
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(connection: Connection, commits: GroupCommit, now: () => number) {
    this.#connection = connection
    this.#commits = commits
    this.#now = now
  }

  /** Makes sure that others know of us; to be called inside the transaction that opens a stream. */
  vouch(): void {
    if (this.#timer !== undefined) return
    this.#renew()
    this.#timer = setInterval(() => {
      // A renewal that fails is tried again before the lease runs out.
      this.#commits.write(() => this.#renew()).catch(() => {})
    }, RENEW_MS)
    this.#timer.unref()
  }

  /** Whether a stream's writer is gone for good; to be called inside a transaction or a read. */
  isDead(writer: string): boolean {
    if (writer === this.id) return false
    const row = this.#connection.get<{ alive_until: number }>(
      'SELECT alive_until FROM writer WHERE id = ?',
      writer,
    )
    return row === undefined || row.alive_until <= this.#now()
  }

  /** Lets others take over at once; to be called inside a transaction. */
  release(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#connection.run('DELETE FROM writer WHERE id = ?', this.id)
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #renew(): void {
    this.#connection.run(
      `INSERT INTO writer (id, alive_until) VALUES (?1, ?2)
         ON CONFLICT (id) DO UPDATE SET alive_until = ?2`,
      this.id,
      this.#now() + LEASE_MS,
    )
  }
}
