import type { Connection } from '@waymark/sqlite'
import { createSessionId } from '../random-id.ts'
import type { GroupCommit } from './group-commit.ts'

/** A process counts as dead when its lease has expired. */
const LEASE_MS = 30_000
const RENEW_MS = 10_000

/** The lease of this process on the streams it writes, which tells other processes that it is alive. */
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

  /** Registers this process as a writer; to be called inside the transaction that opens a stream. */
  register(): void {
    if (this.#timer !== undefined) return
    this.#renew()
    this.#timer = setInterval(() => {
      // A failed renewal is retried before the lease expires.
      this.#commits.write(() => this.#renew()).catch(() => {})
    }, RENEW_MS)
    this.#timer.unref()
  }

  /** Whether the process that writes a stream has died; to be called inside a transaction or a read. */
  isDead(writer: string): boolean {
    if (writer === this.id) return false
    const row = this.#connection.get<{ alive_until: number }>(
      'SELECT alive_until FROM writer WHERE id = ?',
      writer,
    )
    return row === undefined || row.alive_until <= this.#now()
  }

  /** Ends the lease, so that other processes take over at once; to be called inside a transaction. */
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
