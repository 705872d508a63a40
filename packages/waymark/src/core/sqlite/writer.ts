import { AsyncLocalStorage } from 'node:async_hooks'
import { existsSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Connection, isBusy, pauseBeforeRetry } from '@waymark/sqlite'
import { Failure } from '../error.ts'
import type { Sql } from '../store/sql.ts'
import type { WriteOptions } from '../store/store.ts'
import { closed, toFailure } from './failures.ts'
import { elapsed, Job, type WaitingJob } from './job.ts'
import { LockQueue } from './lock-queue.ts'
import { TransactionSql } from './transaction-sql.ts'

/** How long one transaction takes in new work before it commits, so that other processes get their turn. */
const BATCH_MS = 20

/** How many of the longest waiting processes try the lock, so that a dead one at the front does not leave it idle. */
const LOCK_CANDIDATES = 2

/** Cap of the delay, a millisecond per process ahead; far below the heartbeat timeout of the lock queue. */
const MAX_AHEAD_MS = 12

interface WriterOptions {
  /** Opens a connection whose database is ready for this program, or throws a Failure. */
  readonly open: () => Promise<Connection>
  /**
   * Throws a Failure if this program cannot write the database any more. Called with the write lock held, after another
   * connection has committed.
   */
  readonly check: (connection: Connection) => void
  readonly onCommit: () => void
  /** The file of the lock queue. */
  readonly linePath: string
  /** How many milliseconds a write may wait to begin, and how many it may take. */
  readonly patience: number
}

/**
 * The one way to write. Writes that wait at the same time share a transaction, and with it the flush to disk that a
 * commit costs; each has its own savepoint, so that one that throws is undone alone.
 */
export class Writer {
  /**
   * Whether a write that starts another one is refused at once; otherwise it times out. Only tests set it: the
   * tracking makes each promise of the process slower, by a tenth of a write.
   */
  static detectsNesting = false
  readonly #options: WriterOptions
  readonly #waiting: WaitingJob[] = []
  // Created when this process or another one has to wait.
  #queue: LockQueue | undefined
  readonly #current = Writer.detectsNesting ? new AsyncLocalStorage<WaitingJob>() : undefined
  #connection: Connection | undefined
  #sql: TransactionSql | undefined
  /** Another number after each commit of another connection, which may be one of this process. */
  #dataVersion: number | undefined
  #draining: Promise<void> | undefined
  #isClosed = false

  constructor(options: WriterOptions) {
    this.#options = options
  }

  async write<T>(
    work: (tx: Sql) => Promise<T>,
    { signal, isAlone = false }: WriteOptions = {},
  ): Promise<T> {
    if (this.#isClosed) throw closed()
    if (this.#current?.getStore()?.isRunning) {
      throw new Failure('internal', 'a write cannot start another write')
    }
    if (signal?.aborted) throw cancelled()
    const tracked = this.#current
    const job: Job<T> = new Job(
      tracked === undefined ? work : (tx) => tracked.run(job, () => work(tx)),
      this.#options.patience,
    )
    job.isAlone = isAlone
    job.signal = signal
    this.#waiting.push(job)
    this.#draining ??= this.#drain()
    return await job.result
  }

  /** Frees what the connection has cached, unless it is in use. */
  releaseMemory(): void {
    if (this.#draining !== undefined) return
    this.#sql?.forget()
    this.#connection?.releaseMemory()
  }

  /** Runs the queued jobs, then closes the connection. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#draining
    this.#drop()
    // Node before 24 keeps each storage that was used, and goes through all of them for every promise.
    this.#current?.disable()
  }

  async #drain(): Promise<void> {
    // Calls that arrived together get here one by one in this turn of the event loop.
    await nextTurn()
    while (this.#waiting.length > 0) {
      try {
        const connection = await this.#begin()
        if (connection) await this.#runBatch(connection)
        if (this.#waiting.length > 0) await this.#yield()
      } catch (error) {
        this.#drop()
        for (const job of this.#waiting.splice(0)) job.reject(error)
      }
    }
    this.#draining = undefined
  }

  /** Before the rest: lets the event loop run, and leaves the lock to processes that wait for it. */
  async #yield(): Promise<void> {
    if (this.#ahead() > 0) await pauseBeforeRetry()
    else await nextTurn()
  }

  /** The connection with the write lock, or undefined when all waiting jobs were cancelled or timed out. */
  async #begin(): Promise<Connection | undefined> {
    for (;;) {
      const connection = await this.#lock()
      if (connection?.isMoved !== true) {
        if (connection !== undefined) this.#noticeOthers(connection)
        return connection
      }
      // The path has another database now, which is the one to write.
      this.#drop()
    }
  }

  #noticeOthers(connection: Connection): void {
    const version = connection.pragma('data_version')
    if (version === this.#dataVersion) return
    this.#options.check(connection)
    this.#sql?.forget()
    this.#dataVersion = version
  }

  async #lock(): Promise<Connection | undefined> {
    if (this.#connection?.isBroken) this.#drop()
    const connection = (this.#connection ??= await this.#options.open())
    try {
      for (;;) {
        this.#dropCancelled()
        // All jobs were cancelled or timed out.
        if (this.#waiting.length === 0) return undefined
        const ahead = this.#ahead()
        if ((ahead < LOCK_CANDIDATES || this.#isAnyOverdue()) && this.#tryLock(connection)) break
        if (this.#waiting.length === 0) return undefined
        this.#queue ??= new LockQueue(this.#options.linePath)
        this.#queue.wait()
        await pauseBeforeRetry(Math.min(ahead, MAX_AHEAD_MS))
      }
    } finally {
      this.#queue?.leave()
    }
    return connection
  }

  /** How many processes have waited longer for the lock. The first one that has to wait makes the file. */
  #ahead(): number {
    const { linePath } = this.#options
    if (this.#queue === undefined && existsSync(linePath)) this.#queue = new LockQueue(linePath)
    return this.#queue?.ahead() ?? 0
  }

  #tryLock(connection: Connection): boolean {
    try {
      connection.run('BEGIN IMMEDIATE')
      return true
    } catch (error) {
      if (!isBusy(error)) throw error
      this.#expire(error)
      return false
    }
  }

  #isAnyOverdue(): boolean {
    const now = elapsed()
    return this.#waiting.some(({ deadline }) => deadline <= now)
  }

  /** Looked at while they wait: to listen to the signal of each would take longer than most of them wait. */
  #dropCancelled(): void {
    if (!this.#waiting.some(({ signal }) => signal?.aborted)) return
    for (const job of this.#waiting.splice(0)) {
      if (job.signal?.aborted === true) job.reject(cancelled())
      else this.#waiting.push(job)
    }
  }

  #expire(reason: unknown): void {
    const now = elapsed()
    for (const job of this.#waiting.filter(({ deadline }) => deadline <= now)) {
      this.#waiting.splice(this.#waiting.indexOf(job), 1)
      job.reject(reason)
    }
  }

  async #runBatch(connection: Connection): Promise<void> {
    /** Jobs that have run, or are running, and whose promise is not settled. */
    const open = new Map<WaitingJob, () => void>()
    const end = elapsed() + BATCH_MS
    try {
      do {
        this.#dropCancelled()
        const job = this.#waiting.shift()
        if (job === undefined) break
        // The first job needs no savepoint: while it is alone, the transaction is its own.
        const isFirst = open.size === 0
        open.set(job, () => {})
        const sql = this.#sqlOf(connection)
        const report = isFirst ? await job.runFirst(sql) : await job.run(sql)
        if (report) open.set(job, report)
        else open.delete(job)
        // The transaction of a first job that failed is over.
        if (job.isAlone || !connection.inTransaction) break
      } while (elapsed() < end && this.#waiting[0]?.isAlone !== true)
      // Prepared once, unlike what `exec` runs.
      if (open.size > 0) connection.run('COMMIT')
      else connection.rollback()
    } catch (error) {
      this.#drop()
      this.#giveUp([...open.keys()], error)
      return
    }
    if (open.size > 0) this.#options.onCommit()
    for (const report of open.values()) report()
  }

  /** Kept between transactions, and with it what the store has made for it, unless work that failed may still use it. */
  #sqlOf(connection: Connection): TransactionSql {
    if (this.#sql === undefined || this.#sql.isRetired) this.#sql = new TransactionSql(connection)
    return this.#sql
  }

  /**
   * Handles an error that rolled back the whole transaction. On a full disk one large write may have failed the small
   * ones, so each job is retried alone. After any other disk error it is unknown what was committed: all jobs fail.
   */
  #giveUp(jobs: readonly WaitingJob[], error: unknown): void {
    const failure = toFailure(error)
    if (jobs.length > 1 && failure instanceof Failure && failure.code === 'storage_full') {
      for (const job of jobs) job.isAlone = true
      this.#waiting.unshift(...jobs)
      return
    }
    for (const job of jobs) job.reject(error)
  }

  /** Closing also rolls back an open transaction. */
  #drop(): void {
    this.#queue?.close()
    this.#connection?.close()
    this.#connection = undefined
    this.#sql = undefined
    this.#dataVersion = undefined
  }
}

function cancelled(): Failure {
  return new Failure('cancelled', 'cancelled before anything was written')
}
