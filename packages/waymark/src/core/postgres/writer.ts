import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { QueryResult } from 'pg'
import type { Clock } from '../clock/clock.ts'
import { Failure } from '../error.ts'
import type { Sql, SqlValue } from '../store/sql.ts'
import type { WriteOptions } from '../store/store.ts'
import { isLost, isTransient, toFailure } from './failures.ts'
import { POSTGRES_FULL_TEXT } from './full-text.ts'
import type { Client, Pool } from './pool.ts'
import { searchPath } from './schema.ts'
import { toPostgres } from './statement.ts'

/** How long one transaction takes in new work before it commits, so that other replicas get their turn. */
const BATCH_MS = 20

/** No statement of ours needs nearly so long; one that does is cancelled instead of holding its connection. */
export const STATEMENT_MS = 30_000

/** A replica that stops in the middle of a transaction holds the lock of the project until the server ends its session. */
const IDLE_MS = 10_000

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
  RETURNING pg_current_xact_id()::text AS xid,
    left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) AS timeline,
    (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now`

interface Lock {
  readonly xid: string
  /** Another one after each promotion of a standby, which gives numbers of lost transactions to new ones. */
  readonly timeline: string
  readonly now: number
}

/**
 * The one way to write. Writes that wait at the same time share a transaction, and with it the flush that a commit
 * costs; each has its own savepoint, so that one that throws is undone alone.
 */
export class Writer {
  readonly #options: WriterOptions
  readonly #waiting: Job[] = []
  readonly #current = new AsyncLocalStorage<{ isRunning: boolean }>()
  #draining: Promise<void> | undefined

  constructor(options: WriterOptions) {
    this.#options = options
  }

  async write<T>(
    work: (tx: Sql) => Promise<T>,
    { signal, isAlone = false }: WriteOptions = {},
  ): Promise<T> {
    if (this.#current.getStore()?.isRunning) {
      throw new Failure('internal', 'a write cannot start another write')
    }
    if (signal?.aborted) throw cancelled()
    if (this.#waiting.length >= MOST_WAITING) {
      throw new Failure('busy', 'too many writes wait for this project; try again')
    }
    // The loop that runs it may have been started by another caller, with another async context.
    const bound = AsyncLocalStorage.bind(work)
    let cancel = (): void => {}
    const outcome = new Promise<T>((resolve, reject) => {
      let result: T
      const job: Job = {
        run: async (tx) => {
          const state = { isRunning: true }
          try {
            result = await this.#current.run(state, () => bound(tx))
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
    const end = performance.now() + BATCH_MS
    const { lock, clock } = await this.#begin(client)
    let running: Job | undefined
    try {
      do {
        running = this.#waiting.shift()
        if (running === undefined) break
        if (await this.#runJob(client, running, clock)) done.push(running)
        if (running.isAlone) break
      } while (performance.now() < end && this.#waiting[0]?.isAlone !== true)
    } catch (error) {
      // The transaction is gone and nothing of it was committed: the jobs are tried again on another connection.
      this.#waiting.unshift(...done, ...(running === undefined ? [] : [running]))
      if (!isLost(error)) await client.query('ROLLBACK')
      throw error
    }
    if (done.length === 0) {
      await client.query('ROLLBACK')
      return
    }
    await this.#commit(client, lock, done)
    this.#options.pool.commits.notify(this.#options.schema)
    for (const job of done) job.succeed()
  }

  async #begin(client: Client): Promise<{ lock: Lock; clock: Clock }> {
    const { pool, schema, role } = this.#options
    const [, , locked] = await pipelined([
      client.query('BEGIN'),
      client.query(
        `SELECT set_config('search_path', $1, true), set_config('lock_timeout', $2, true),
          set_config('statement_timeout', $3, true),
          set_config('idle_in_transaction_session_timeout', $4, true), set_config('role', $5, true)`,
        [searchPath(schema), pool.patience, STATEMENT_MS, IDLE_MS, role].map(String),
      ),
      client.query<Lock>(LOCK),
    ]).catch(async (error: unknown) => {
      await client.query('ROLLBACK').catch(() => {})
      throw error
    })
    const [lock] = locked.rows
    if (lock === undefined) throw new Failure('storage_corrupt', 'the project has no row')
    const began = performance.now()
    const now = (): number => lock.now + Math.round(performance.now() - began)
    return { lock, clock: { now } }
  }

  /** Answers whether the job succeeded; a job that failed is undone alone. */
  async #runJob(client: Client, job: Job, clock: Clock): Promise<boolean> {
    const savepoint = client.query('SAVEPOINT job')
    // Awaited below, together with the release.
    savepoint.catch(() => {})
    const state = { isOver: false }
    try {
      await job.run(toTransaction(client, state, clock))
      state.isOver = true
      await pipelined([savepoint, client.query('RELEASE job')])
      return true
    } catch (error) {
      state.isOver = true
      if (isTransient(error)) throw error
      await pipelined([savepoint, client.query('ROLLBACK TO job'), client.query('RELEASE job')])
      job.fail(error)
      return false
    }
  }

  async #commit(client: Client, lock: Lock, jobs: readonly Job[]): Promise<void> {
    try {
      await client.query('COMMIT')
    } catch (error) {
      const outcome = isLost(error) ? await this.#findOutcome(lock) : 'aborted'
      if (outcome === 'committed') return
      if (outcome === 'unknown') for (const job of jobs) job.fail(unknownOutcome(error))
      else this.#waiting.unshift(...jobs)
      throw error
    }
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
          const { lock } = await this.#begin(client)
          const isSame = lock.timeline === timeline
          const { rows } = isSame
            ? await client.query<{ status: string | null }>(
                'SELECT pg_xact_status($1::xid8) AS status',
                [xid],
              )
            : { rows: [] }
          await client.query('COMMIT')
          return rows[0]?.status
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

function toTransaction(client: Client, state: { readonly isOver: boolean }, clock: Clock): Sql {
  const query = async <Row extends object>(
    sql: string,
    values: readonly SqlValue[] = [],
  ): Promise<QueryResult<Row>> => {
    if (state.isOver) throw new Failure('internal', 'a transaction was used after its end')
    try {
      return await client.query<Row>(toPostgres(sql), [...values])
    } catch (error) {
      throw isTransient(error) ? error : toFailure(error)
    }
  }
  return {
    get: async <Row>(sql: string, values?: readonly SqlValue[]) =>
      (await query<object>(sql, values)).rows[0] as Row | undefined,
    all: async <Row>(sql: string, values?: readonly SqlValue[]) =>
      (await query<object>(sql, values)).rows as Row[],
    run: async (sql, values) => (await query(sql, values)).rowCount ?? 0,
    fullText: POSTGRES_FULL_TEXT,
    clock,
  }
}

/** Waits for all of them, so that none is left to reject unseen; throws the first error. */
export async function pipelined<T extends readonly Promise<unknown>[]>(
  queries: readonly [...T],
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(queries)
  return await Promise.all(queries)
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
