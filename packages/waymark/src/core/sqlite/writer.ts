import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'
import { existsSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Connection, isBusy, pauseBeforeRetry } from '@waymark/sqlite'
import { Failure } from '../error.ts'
import type { Sql, SqlValue } from '../store/sql.ts'
import type { WriteOptions } from '../store/store.ts'
import { closed, toFailure } from './failures.ts'
import { LockQueue } from './lock-queue.ts'

/** How long one transaction takes in new work before it commits, so that other processes get their turn. */
const BATCH_MS = 20

/** How many of the longest waiting processes try the lock, so that a dead one at the front does not leave it idle. */
const LOCK_CANDIDATES = 2

/** Cap of the delay, a millisecond per process ahead; far below the heartbeat timeout of the lock queue. */
const MAX_AHEAD_MS = 12

interface WriterOptions {
  /** Opens a connection whose database is ready for this program, or throws a Failure. */
  readonly open: () => Promise<Connection>
  /** Throws a Failure if this program cannot write the database any more. Called with the write lock held. */
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
    const cancel = (): void => this.#cancel(job)
    signal?.addEventListener('abort', cancel)
    this.#waiting.push(job)
    this.#draining ??= this.#drain()
    try {
      return await job.result
    } finally {
      signal?.removeEventListener('abort', cancel)
    }
  }

  /** Frees what the connection has cached, unless it is in use. */
  releaseMemory(): void {
    if (this.#draining === undefined) this.#connection?.releaseMemory()
  }

  /** Runs the queued jobs, then closes the connection. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#draining
    this.#drop()
    // Node before 24 keeps each storage that was used, and goes through all of them for every promise.
    this.#current?.disable()
  }

  #cancel(job: WaitingJob): void {
    const index = this.#waiting.indexOf(job)
    if (index === -1) return
    this.#waiting.splice(index, 1)
    job.reject(cancelled())
  }

  async #drain(): Promise<void> {
    // Calls that arrived together get here one by one in this turn of the event loop.
    await nextTurn()
    while (this.#waiting.length > 0) {
      try {
        const connection = await this.#begin()
        if (connection) await this.#runBatch(connection)
        // Release the lock to other processes and yield to the event loop before the rest.
        if (this.#waiting.length > 0) await pauseBeforeRetry()
      } catch (error) {
        this.#drop()
        for (const job of this.#waiting.splice(0)) job.reject(error)
      }
    }
    this.#draining = undefined
  }

  /** The connection with the write lock, or undefined when all waiting jobs were cancelled or timed out. */
  async #begin(): Promise<Connection | undefined> {
    for (;;) {
      const connection = await this.#lock()
      if (connection?.isMoved !== true) {
        if (connection !== undefined) this.#options.check(connection)
        return connection
      }
      // The path has another database now, which is the one to write.
      this.#drop()
    }
  }

  async #lock(): Promise<Connection | undefined> {
    if (this.#connection?.isBroken) this.#drop()
    const connection = (this.#connection ??= await this.#options.open())
    try {
      for (;;) {
        const ahead = this.#ahead()
        if ((ahead < LOCK_CANDIDATES || this.#isAnyOverdue()) && this.#tryLock(connection)) break
        // All jobs were cancelled or timed out.
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
      connection.exec('BEGIN IMMEDIATE')
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
        const job = this.#waiting.shift()
        if (job === undefined) break
        // The first job needs no savepoint: while it is alone, the transaction is its own.
        const isFirst = open.size === 0
        open.set(job, () => {})
        const report = isFirst ? await job.runFirst(connection) : await job.run(connection)
        if (report) open.set(job, report)
        else open.delete(job)
        // The transaction of a first job that failed is over.
        if (job.isAlone || !connection.inTransaction) break
      } while (elapsed() < end && this.#waiting[0]?.isAlone !== true)
      if (open.size > 0) connection.exec('COMMIT')
      else connection.rollback()
    } catch (error) {
      this.#drop()
      this.#giveUp([...open.keys()], error)
      return
    }
    if (open.size > 0) this.#options.onCommit()
    for (const report of open.values()) report()
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
  }
}

function cancelled(): Failure {
  return new Failure('cancelled', 'cancelled before anything was written')
}

/** Work that waits for its transaction, and the promise that its caller holds. */
class Job<T> {
  readonly result: Promise<T>
  /** When its caller stops waiting, in milliseconds of `elapsed`. */
  readonly deadline: number
  /** It shares its transaction with no other. */
  isAlone = false
  readonly #work: (tx: Sql) => Promise<T>
  readonly #patience: number
  #resolve!: (result: T) => void
  #reject!: (error: unknown) => void
  #isRunning = false
  // The loop that runs the work may have been started by another caller, with another async context.
  readonly #caller = new AsyncResource('Write')

  /** `patience`: the time limit in milliseconds for the wait, and the same for the work. */
  constructor(work: (tx: Sql) => Promise<T>, patience: number) {
    this.#work = work
    this.#patience = patience
    this.deadline = elapsed() + patience
    this.result = new Promise<T>((...settle) => ([this.#resolve, this.#reject] = settle))
  }

  get isRunning(): boolean {
    return this.#isRunning
  }

  /** The same for the first job of a transaction: a failure of its work ends the transaction. */
  async runFirst(connection: Connection): Promise<(() => void) | undefined> {
    try {
      const result = await this.#runWork(connection)
      return () => this.#resolve(result)
    } catch (error) {
      if (!connection.inTransaction || connection.isBroken) throw error
      connection.exec('ROLLBACK')
      this.reject(error)
      return undefined
    }
  }

  /**
   * Runs the work in its own savepoint and returns a function that reports success, to be called after the commit. A
   * failure of the work is rolled back and reported here; a thrown error has rolled back the whole transaction.
   */
  async run(connection: Connection): Promise<(() => void) | undefined> {
    connection.exec('SAVEPOINT job')
    try {
      const result = await this.#runWork(connection)
      connection.exec('RELEASE job')
      return () => this.#resolve(result)
    } catch (error) {
      // Some errors, a full disk among them, make SQLite roll back everything.
      if (!connection.inTransaction || connection.isBroken) throw error
      connection.exec('ROLLBACK TO job; RELEASE job')
      this.reject(error)
      return undefined
    }
  }

  reject(error: unknown): void {
    this.#reject(toFailure(error))
  }

  async #runWork(connection: Connection): Promise<T> {
    this.#isRunning = true
    try {
      return await within(
        this.#patience,
        this.#caller.runInAsyncScope(this.#work, undefined, this.#toTransaction(connection)),
      )
    } finally {
      this.#isRunning = false
    }
  }

  #toTransaction(connection: Connection): Sql {
    const use = <R>(statement: (live: Connection) => R): R => {
      // After SQLite's own rollback a statement would stand alone and be committed at once.
      if (!this.#isRunning || !connection.inTransaction) {
        throw new Failure('internal', 'a transaction was used after its end')
      }
      try {
        return statement(connection)
      } catch (error) {
        throw toFailure(error)
      }
    }
    return {
      connection,
      get: async <Row>(sql: string, values: readonly SqlValue[] = []) =>
        use((live) => live.get<Row>(sql, ...values)),
      all: async <Row>(sql: string, values: readonly SqlValue[] = []) =>
        use((live) => live.all<Row>(sql, ...values)),
      run: async (sql, values = []) => use((live) => live.run(sql, ...values)),
    }
  }
}

/** A job for those to whom its result is nothing. */
export type WaitingJob = Omit<Job<unknown>, 'result'>

/** Work that only runs SQL ends before a timer can fire; other work would block all writers, so it times out. */
async function within<T>(limit: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const overdue = new Promise<never>((_, reject) => {
    const expire = (): void =>
      reject(new Failure('timeout', 'the write took too long and was undone'))
    timer = setTimeout(expire, limit)
  })
  try {
    return await Promise.race([work, overdue])
  } finally {
    clearTimeout(timer)
  }
}

/** Milliseconds since this process started. Not `performance.now()`, whose module is loaded at its first use. */
function elapsed(): number {
  return process.uptime() * 1000
}
