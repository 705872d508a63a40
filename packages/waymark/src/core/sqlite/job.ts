import { AsyncLocalStorage } from 'node:async_hooks'
import type { Connection } from '@waymark/sqlite'
import { Failure } from '../error.ts'
import type { Sql, SqlValue } from '../store/sql.ts'
import { toFailure } from './failures.ts'

/** Work that waits for its transaction, and the promise that its caller holds. */
export class Job<T> {
  readonly result: Promise<T>
  /** When its caller stops waiting, on the clock of `performance.now()`. */
  readonly deadline: number
  /** It shares its transaction with no other. */
  isAlone = false
  readonly #work: (tx: Sql) => Promise<T>
  readonly #patience: number
  #resolve!: (result: T) => void
  #reject!: (error: unknown) => void
  #isRunning = false

  /** `patience`: the time limit in milliseconds for the wait, and the same for the work. */
  constructor(work: (tx: Sql) => Promise<T>, patience: number) {
    // The loop that runs it may have been started by another caller, with another async context.
    this.#work = AsyncLocalStorage.bind(work)
    this.#patience = patience
    this.deadline = performance.now() + patience
    this.result = new Promise<T>((...settle) => ([this.#resolve, this.#reject] = settle))
  }

  get isRunning(): boolean {
    return this.#isRunning
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
      return await within(this.#patience, this.#work(this.#toTransaction(connection)))
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
    const failure = new Failure('timeout', 'the write took too long and was undone')
    timer = setTimeout(() => reject(failure), limit)
  })
  try {
    return await Promise.race([work, overdue])
  } finally {
    clearTimeout(timer)
  }
}
