import { createSessionId } from '../random-id.ts'
import { CLOCK, type SessionTables, toTime } from './session-database.ts'

/** A process counts as dead when its lease has expired. */
const LEASE_MS = 30_000
const RENEW_MS = 10_000

/** The lease of this process on the streams it writes and the sessions it notifies. */
export class WriterLease {
  readonly id: string = createSessionId()
  readonly #tables: SessionTables
  #registering: Promise<void> | undefined
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(tables: SessionTables) {
    this.#tables = tables
  }

  /** Tells other processes that this one is alive; before its id is stored anywhere. */
  async register(): Promise<void> {
    this.#registering ??= this.#start()
    try {
      await this.#registering
    } catch (error) {
      this.#registering = undefined
      throw error
    }
  }

  /** Ends the lease, so that other processes take over at once. */
  async release(): Promise<void> {
    clearInterval(this.#timer)
    this.#timer = undefined
    if (this.#registering === undefined) return
    const { database, schema } = this.#tables
    await database.query(`DELETE FROM ${schema}.mcp_writer WHERE id = $1`, [this.id])
  }

  async #start(): Promise<void> {
    await this.#renew()
    this.#timer = setInterval(() => {
      // A failed renewal is retried before the lease expires.
      this.#renew().catch(() => {})
    }, RENEW_MS)
    this.#timer.unref?.()
  }

  async #renew(): Promise<void> {
    const { database, schema } = this.#tables
    await database.query(
      `WITH ${CLOCK} INSERT INTO ${schema}.mcp_writer (id, alive_until)
         SELECT $2, now + $3 FROM clock
         ON CONFLICT (id) DO UPDATE SET alive_until = excluded.alive_until`,
      [toTime(this.#tables), this.id, LEASE_MS],
    )
  }
}
