import { AsyncResource } from 'node:async_hooks'
import { Failure } from '../error.ts'
import type { Sql } from '../store/sql.ts'
import { toFailure } from './failures.ts'
import type { TransactionSql } from './transaction-sql.ts'

/** Work that waits for its transaction, and the promise that its caller holds. */
export class Job<T> {
  readonly result: Promise<T>
  /** When its caller stops waiting, in milliseconds of `elapsed`. */
  readonly deadline: number
  /** It shares its transaction with no other. */
  isAlone = false
  /** Aborted when its caller no longer waits. Only before the work begins. */
  signal: AbortSignal | undefined
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
  async runFirst(sql: TransactionSql): Promise<(() => void) | undefined> {
    const { connection } = sql
    try {
      const result = await this.#runWork(sql)
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
  async run(sql: TransactionSql): Promise<(() => void) | undefined> {
    const { connection } = sql
    connection.exec('SAVEPOINT job')
    try {
      const result = await this.#runWork(sql)
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

  async #runWork(sql: TransactionSql): Promise<T> {
    this.#isRunning = true
    sql.begin()
    try {
      const result = await within(
        this.#patience,
        this.#caller.runInAsyncScope(this.#work, undefined, sql),
      )
      sql.end()
      return result
    } catch (error) {
      sql.retire()
      throw error
    } finally {
      this.#isRunning = false
    }
  }
}

/** A job for those to whom its result is nothing. */
export type WaitingJob = Omit<Job<unknown>, 'result'>

/** Work that only runs SQL ends before a timer can fire; other work would block all writers, so it times out. */
function within<T>(limit: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Failure('timeout', 'the write took too long and was undone')),
      limit,
    )
    work.then(resolve, reject)
    const clear = (): void => clearTimeout(timer)
    work.then(clear, clear)
  })
}

/** Milliseconds since this process started. Not `performance.now()`, whose module is loaded at its first use. */
export function elapsed(): number {
  return process.uptime() * 1000
}
