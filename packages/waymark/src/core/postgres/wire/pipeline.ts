import type { SqlValue } from '../../store/sql.ts'
import type { Client } from '../pool.ts'
import { type Answer, sendBatch } from './batch.ts'

interface Unsent {
  readonly text: string
  readonly values?: readonly SqlValue[]
  /** The job that fails with it; undefined if the whole transaction does. */
  readonly job: object | undefined
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}

/** The first statement that failed, after which the server refuses all others of the transaction. */
interface Failed {
  readonly error: unknown
  readonly job: object | undefined
}

/**
 * Statements of one transaction, queued and then sent together: the server is waited for once. After one that fails the
 * rest is skipped, also a `COMMIT`: a transaction that has failed has to be rolled back.
 */
export class Pipeline {
  readonly #client: Client
  readonly #schema: string
  #unsent: Unsent[] = []
  #isScheduled = false
  #failed: Failed | undefined
  #recoveries = 0
  /** Called before statements are sent. */
  beforeFlush: () => void = () => {}

  constructor(client: Client, schema: string) {
    this.#client = client
    this.#schema = schema
  }

  get failed(): Failed | undefined {
    return this.#failed
  }

  /** How many are queued. */
  get length(): number {
    return this.#unsent.length
  }

  queue(text: string, values: readonly SqlValue[] = [], job?: object): Promise<Answer> {
    return this.#add({ text, values, job }, this.#unsent.length)
  }

  /** `BEGIN` and the like, before what was queued as number `at`. */
  command(text: string, at = this.#unsent.length): Promise<Answer> {
    return this.#add({ text, job: undefined }, at)
  }

  /** Forgets what was queued as number `from` and later. */
  drop(from: number): void {
    this.#unsent.length = Math.min(from, this.#unsent.length)
  }

  /** Flushes at the end of this turn of the event loop, so that statements issued together share a round trip. */
  flushSoon(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    process.nextTick(() => {
      this.#isScheduled = false
      this.flush()
    })
  }

  flush(): void {
    this.beforeFlush()
    const unsent = this.#unsent
    if (unsent.length === 0) return
    this.#unsent = []
    const sentAfter = this.#recoveries
    const statements = unsent.map(({ job, resolve, reject, ...statement }) => ({
      ...statement,
      succeed: resolve,
      fail: (error: unknown) => {
        if (sentAfter === this.#recoveries) this.#failed ??= { error, job }
        reject(this.#failed?.error ?? error)
      },
    }))
    sendBatch(this.#client, this.#schema, statements)
  }

  /** For a rollback to a savepoint, which comes next: what was sent before it may still be refused. */
  recover(): void {
    this.#failed = undefined
    this.#recoveries += 1
  }

  #add(statement: Omit<Unsent, 'resolve' | 'reject'>, at: number): Promise<Answer> {
    const answer = new Promise<Answer>((resolve, reject) => {
      this.#unsent.splice(at, 0, { ...statement, resolve, reject })
    })
    // Not every statement is waited for by itself; `failed` tells.
    answer.catch(() => {})
    return answer
  }
}
