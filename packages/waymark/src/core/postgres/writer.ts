import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '../error.ts'
import type { Sql } from '../store/sql.ts'
import type { WriteOptions } from '../store/store.ts'
import { isLost, isTransient, toFailure } from './failures.ts'
import type { Client, Pool } from './pool.ts'
import { Scope } from './scope.ts'
import { type Lock, Transaction } from './transaction.ts'

/** How long one transaction takes in new work before it commits, so that other replicas get their turn. */
const BATCH_MS = 20

/** Jobs of one project that may wait; more than are done while a caller waits would be in vain. */
const MOST_WAITING = 2000

/** The pause before a server that cannot be reached is tried again. */
const RETRY_MS = 50

interface WriterOptions {
  readonly pool: Pool
  readonly schema: string
  /** Transactions run as this role of the database. */
  readonly role: string
}

interface Job {
  readonly run: (tx: Sql) => Promise<void>
  readonly succeed: () => void
  readonly fail: (error: unknown) => void
  readonly deadline: number
  readonly isAlone: boolean
}

/** The row of the project is the lock: its writes are serial in all replicas, so events are numbered without gaps. */
const LOCK = `UPDATE project SET version = version + 1
  RETURNING usable_from, pg_current_xact_id()::text AS xid,
    left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) AS timeline,
    (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now`

/**
 * The one way to write. Writes that wait at the same time share a transaction, and with it the flush that a commit
 * costs; each has its own savepoint, so that one that throws is undone alone.
 */
export class Writer {
  /** As on SQLite: only tests set it, because the tracking makes each promise of the process slower. */
  static detectsNesting = false
  readonly #options: WriterOptions
  readonly #waiting: Job[] = []
  readonly #current = Writer.detectsNesting
    ? new AsyncLocalStorage<{ isRunning: boolean }>()
    : undefined
  #draining: Promise<void> | undefined

  constructor(options: WriterOptions) {
    this.#options = options
  }

  async write<T>(
    work: (tx: Sql) => Promise<T>,
    { signal, isAlone = false }: WriteOptions = {},
  ): Promise<T> {
    if (this.#current?.getStore()?.isRunning) {
      throw new Failure('internal', 'a write cannot start another write')
    }
    if (signal?.aborted) throw cancelled()
    if (this.#waiting.length >= MOST_WAITING) {
      throw new Failure('busy', 'too many writes wait for this project; try again')
    }
    const state = { isRunning: false }
    const tracked = this.#current
    // The loop that runs it may have been started by another caller, with another async context.
    const bound = AsyncLocalStorage.bind(
      tracked === undefined ? work : (tx: Sql) => tracked.run(state, () => work(tx)),
    )
    let cancel = (): void => {}
    const outcome = new Promise<T>((resolve, reject) => {
      let result: T
      const job: Job = {
        run: async (tx) => {
          state.isRunning = true
          try {
            result = await bound(tx)
          } finally {
            state.isRunning = false
          }
        },
        succeed: () => resolve(result),
        fail: (error) => reject(toFailure(error)),
        deadline: performance.now() + this.#options.pool.patience,
        isAlone,
      }
      cancel = () => {
        const index = this.#waiting.indexOf(job)
        if (index === -1) return
        this.#waiting.splice(index, 1)
        reject(cancelled())
      }
      this.#waiting.push(job)
      this.#draining ??= this.#drain()
    })
    signal?.addEventListener('abort', cancel)
    try {
      return await outcome
    } finally {
      signal?.removeEventListener('abort', cancel)
    }
  }

  async close(): Promise<void> {
    await this.#draining
    // Node before 24 keeps each storage that was used, and goes through all of them for every promise.
    this.#current?.disable()
  }

  async #drain(): Promise<void> {
    // Calls that arrived together get here one by one in this turn of the event loop.
    await nextTurn()
    while (this.#waiting.length > 0) {
      try {
        await this.#options.pool.use((client) => this.#runBatch(client))
      } catch (error) {
        if (isTransient(error)) {
          // Jobs that had begun are in the queue again: a server that is started again answers them in time.
          this.#expire(error)
          await sleep(RETRY_MS)
        } else {
          for (const job of this.#waiting.splice(0)) job.fail(error)
        }
      }
    }
    this.#draining = undefined
  }

  #expire(error: unknown): void {
    const now = performance.now()
    for (const job of this.#waiting.filter(({ deadline }) => deadline <= now)) {
      this.#waiting.splice(this.#waiting.indexOf(job), 1)
      job.fail(error)
    }
  }

  async #runBatch(client: Client): Promise<void> {
    const done: Job[] = []
    const transaction = this.#begin(client)
    let running: Job | undefined
    try {
      do {
        running = this.#waiting.shift()
        if (running === undefined) break
        const outcome = await this.#runJob(transaction, running, done.length === 0)
        if (outcome === 'done') done.push(running)
        else if (outcome === 'lost') return await transaction.rollback()
        if (running.isAlone) break
      } while (transaction.age < BATCH_MS && this.#waiting[0]?.isAlone !== true)
      running = undefined
    } catch (error) {
      await this.#giveUp(transaction, [...done, ...(running === undefined ? [] : [running])], error)
      return
    }
    if (done.length === 0) return await transaction.rollback()
    if (!(await this.#commit(transaction, done))) return
    this.#options.pool.commits.notify(this.#options.schema)
    for (const job of done) job.succeed()
  }

  #begin(client: Client): Transaction {
    const { pool, schema, role } = this.#options
    return new Transaction({ client, schema, role, patience: pool.patience, lock: LOCK })
  }

  /** `lost`: the job failed, and the transaction with it. Throws where other jobs are lost as well. */
  async #runJob(
    transaction: Transaction,
    job: Job,
    isFirst: boolean,
  ): Promise<'done' | 'failed' | 'lost'> {
    const scope = new Scope(transaction, job, isFirst)
    try {
      await job.run(scope)
      // An error that the job has caught, or one of a statement that it did not wait for.
      if (transaction.pipeline.failed !== undefined) throw transaction.pipeline.failed.error
      scope.end()
      return 'done'
    } catch (error) {
      if (isTransient(error)) throw error
      const isUndone = scope.undo()
      if (!isUndone && !isFirst) throw error
      job.fail(error)
      return isUndone ? 'failed' : 'lost'
    }
  }

  /**
   * The transaction is lost and nothing of it was committed: the job whose statement failed is told, and the others are
   * tried again on another connection.
   */
  async #giveUp(transaction: Transaction, jobs: readonly Job[], error: unknown): Promise<void> {
    const culprit = isTransient(error)
      ? undefined
      : jobs.find((job) => job === transaction.pipeline.failed?.job)
    this.#waiting.unshift(...jobs.filter((job) => job !== culprit))
    culprit?.fail(error)
    if (!isLost(error)) await transaction.rollback()
    if (culprit === undefined) throw error
  }

  /** False if the jobs have to be tried again, but one that was told why it failed. */
  async #commit(transaction: Transaction, jobs: readonly Job[]): Promise<boolean> {
    // Known since the first statement.
    const lock = await transaction
      .locked()
      .catch((error: unknown) => this.#giveUp(transaction, jobs, error))
    if (lock === undefined) return false
    try {
      await transaction.commit()
    } catch (error) {
      const outcome = isLost(error) ? await this.#findOutcome(lock) : 'aborted'
      if (outcome === 'aborted') {
        await this.#giveUp(transaction, jobs, error)
        return false
      }
      if (outcome === 'unknown') {
        for (const job of jobs) job.fail(unknownOutcome(error))
        throw error
      }
    }
    return true
  }

  /**
   * The answer to the commit was lost; the server knows what became of it, as soon as it is there again. Asked in a
   * transaction that is committed too: after a crash of the primary, the standby then has all that it was asked about.
   */
  async #findOutcome({ xid, timeline }: Lock): Promise<'committed' | 'aborted' | 'unknown'> {
    const { pool } = this.#options
    const deadline = performance.now() + pool.patience
    while (performance.now() < deadline) {
      try {
        const found = await pool.use(async (client) => {
          const transaction = this.#begin(client)
          const isSame = (await transaction.locked()).timeline === timeline
          const status = isSame ? await readStatus(client, xid) : undefined
          await transaction.commit()
          return status
        })
        return found === 'committed' || found === 'aborted' ? found : 'unknown'
      } catch (error) {
        if (!isTransient(error)) return 'unknown'
      }
      await sleep(RETRY_MS)
    }
    return 'unknown'
  }
}

async function readStatus(client: Client, xid: string): Promise<string | undefined> {
  const sql = 'SELECT pg_xact_status($1::xid8) AS status'
  const { rows } = await client.query<{ status: string | null }>(sql, [xid])
  return rows[0]?.status ?? undefined
}

function unknownOutcome(cause: unknown): Failure {
  return new Failure(
    'storage_unavailable',
    'the connection was lost during the commit, and it is not known whether the write was kept; repeat it with the same idempotency key',
    { cause },
  )
}

function cancelled(): Failure {
  return new Failure('cancelled', 'cancelled before anything was written')
}
