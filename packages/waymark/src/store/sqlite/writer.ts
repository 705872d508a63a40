import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Failure } from '../../error.ts'
import type { Sql } from '../sql.ts'
import type { WriteOptions } from '../store.ts'
import type { Connection } from './connection.ts'
import { closed, isBusy } from './failures.ts'
import { pause } from './patience.ts'

/** How long one transaction takes in new work before it commits, so that other processes get their turn. */
const BATCH_MS = 20

/** Work that waits for its transaction. */
interface Job {
  /** Does the work and returns how to report success, which is for after the commit. */
  readonly run: (connection: Connection) => Promise<() => void>
  readonly reject: (error: unknown) => void
  /** On the clock of `performance.now()`. */
  readonly deadline: number
}

interface WriterOptions {
  /** Opens a connection whose database is ready for this program, or throws a Failure. */
  readonly open: () => Promise<Connection>
  /** Throws a Failure if the database is no longer the one that was opened. Called with the write lock held. */
  readonly check: (connection: Connection) => void
  readonly onCommit: () => void
  /** How many milliseconds a write may wait for the lock. */
  readonly patience: number
}

/**
 * The one way to write. Writes that wait at the same time share a transaction, and with it the flush to disk that a
 * commit costs; each has its own savepoint, so that one that throws is undone alone.
 */
export class Writer {
  readonly #options: WriterOptions
  readonly #waiting: Job[] = []
  readonly #current = new AsyncLocalStorage<{ isRunning: boolean }>()
  #connection: Connection | undefined
  #draining: Promise<void> | undefined
  #isClosed = false

  constructor(options: WriterOptions) {
    this.#options = options
  }

  async write<T>(work: (tx: Sql) => Promise<T>, { signal }: WriteOptions = {}): Promise<T> {
    if (this.#isClosed) throw closed()
    if (this.#current.getStore()?.isRunning) {
      throw new Failure('internal', 'a write cannot start another write')
    }
    if (signal?.aborted) throw cancelled()
    const { promise, ...job } = this.#toJob(work)
    const cancel = (): void => this.#cancel(job)
    signal?.addEventListener('abort', cancel)
    this.#waiting.push(job)
    this.#draining ??= this.#drain()
    try {
      return await promise
    } finally {
      signal?.removeEventListener('abort', cancel)
    }
  }

  /** Finishes what is waiting, then closes the connection. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#draining
    this.#drop()
  }

  #toJob<T>(work: (tx: Sql) => Promise<T>): Job & { promise: Promise<T> } {
    let resolve!: (result: T) => void
    let reject!: Job['reject']
    const promise = new Promise<T>((...settle) => ([resolve, reject] = settle))
    const run = async (connection: Connection) => {
      const scope = { isRunning: true }
      try {
        const tx = toTransaction(connection, scope)
        const result = await this.#current.run(scope, () => work(tx))
        return () => resolve(result)
      } finally {
        scope.isRunning = false
      }
    }
    const deadline = performance.now() + this.#options.patience
    // The loop that runs it may have been started by another caller, with another async context.
    return { run: AsyncLocalStorage.bind(run), reject, deadline, promise }
  }

  #cancel(job: Job): void {
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
        // With work left over, others get a chance at the lock, and the event loop one at its sockets.
        if (this.#waiting.length > 0) await pause()
      } catch (error) {
        this.#drop()
        for (const job of this.#waiting.splice(0)) job.reject(error)
      }
    }
    this.#draining = undefined
  }

  /** The connection with the write lock, or undefined when everyone who waited has given up. */
  async #begin(): Promise<Connection | undefined> {
    if (this.#connection?.isBroken || this.#connection?.isMoved) this.#drop()
    const connection = (this.#connection ??= await this.#options.open())
    for (;;) {
      try {
        connection.exec('BEGIN IMMEDIATE')
        break
      } catch (error) {
        if (!isBusy(error)) throw error
        this.#expire(error)
      }
      if (this.#waiting.length === 0) return undefined
      await pause()
    }
    this.#options.check(connection)
    return connection
  }

  #expire(reason: unknown): void {
    const now = performance.now()
    for (const job of this.#waiting.filter(({ deadline }) => deadline <= now)) {
      this.#waiting.splice(this.#waiting.indexOf(job), 1)
      job.reject(reason)
    }
  }

  async #runBatch(connection: Connection): Promise<void> {
    const started: Job[] = []
    const reports: (() => void)[] = []
    const end = performance.now() + BATCH_MS
    try {
      do {
        const job = this.#waiting.shift()
        if (job === undefined) break
        started.push(job)
        const report = await runJob(connection, job)
        if (report) reports.push(report)
      } while (performance.now() < end)
      connection.exec(reports.length > 0 ? 'COMMIT' : 'ROLLBACK')
    } catch (error) {
      this.#drop()
      for (const job of started) job.reject(error)
      return
    }
    if (reports.length > 0) this.#options.onCommit()
    for (const report of reports) report()
  }

  /** Closing also rolls back whatever transaction the connection is in. */
  #drop(): void {
    this.#connection?.close()
    this.#connection = undefined
  }
}

/** Runs one job in its savepoint. Throws only if the whole transaction is lost. */
async function runJob(connection: Connection, job: Job): Promise<(() => void) | undefined> {
  connection.exec('SAVEPOINT job')
  try {
    const report = await job.run(connection)
    connection.exec('RELEASE job')
    return report
  } catch (error) {
    // Some errors, a full disk among them, make SQLite roll back the whole transaction.
    if (!connection.inTransaction || connection.isBroken) throw error
    connection.exec('ROLLBACK TO job; RELEASE job')
    job.reject(error)
    return undefined
  }
}

function toTransaction(connection: Connection, scope: { readonly isRunning: boolean }): Sql {
  const live = (): Connection => {
    // After SQLite's own rollback a statement would stand alone and be committed at once.
    if (scope.isRunning && connection.inTransaction) return connection
    throw new Failure('internal', 'a transaction was used after its end')
  }
  return {
    get: async (sql, values) => live().get(sql, values),
    all: async (sql, values) => live().all(sql, values),
    run: async (sql, values) => live().run(sql, values),
  }
}

function cancelled(): Failure {
  return new Failure('cancelled', 'cancelled before anything was written')
}
