import { type Connection, retryWhileBusy } from '@waymark/sqlite'

interface Job {
  run(): void
  settle(): void
  reject(error: unknown): void
}

/** Group commit: concurrent writes share one transaction, and so one fsync. */
export class GroupCommit {
  readonly #connection: Connection
  #waiting: Job[] = []
  #draining: Promise<void> | undefined

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Runs synchronous work inside a transaction; the promise settles after the commit. */
  write<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.push(toJob(work, resolve, reject))
      this.#draining ??= this.#drain()
    })
  }

  /** Resolves when no write is pending. */
  async settled(): Promise<void> {
    await this.#draining
  }

  async #drain(): Promise<void> {
    // Writes of the same turn of the event loop join the first transaction.
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
    while (this.#waiting.length > 0) {
      const jobs = this.#waiting
      this.#waiting = []
      await this.#commit(jobs)
    }
    this.#draining = undefined
  }

  async #commit(jobs: readonly Job[]): Promise<void> {
    try {
      await retryWhileBusy(() => this.#connection.exec('BEGIN IMMEDIATE'))
      for (const job of jobs) this.#runInSavepoint(job)
      this.#connection.exec('COMMIT')
    } catch (error) {
      this.#connection.rollback()
      for (const job of jobs) job.reject(error)
      return
    }
    for (const job of jobs) job.settle()
  }

  /** A failed job rolls back its own changes only. */
  #runInSavepoint(job: Job): void {
    this.#connection.exec('SAVEPOINT job')
    try {
      job.run()
    } catch (error) {
      this.#connection.exec('ROLLBACK TO job')
      job.reject(error)
    }
    this.#connection.exec('RELEASE job')
  }
}

function toJob<T>(
  work: () => T,
  resolve: (value: T) => void,
  reject: (error: unknown) => void,
): Job {
  let settle = (): void => {}
  return {
    run: () => {
      const value = work()
      settle = () => resolve(value)
    },
    settle: () => settle(),
    reject,
  }
}
