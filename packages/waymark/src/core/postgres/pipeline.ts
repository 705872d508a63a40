import type { QueryResult } from 'pg'
import type { SqlValue } from '../store/sql.ts'
import { type Client, corked } from './pool.ts'
import { nameOf } from './prepared.ts'

interface Unsent {
  readonly text: string
  readonly values: readonly SqlValue[]
  /** It is prepared once, and then run by its name. */
  readonly isPrepared: boolean
  /** The job that fails with it; undefined if the whole transaction does. */
  readonly job: object | undefined
  readonly resolve: (result: QueryResult<object>) => void
  readonly reject: (error: unknown) => void
}

/** The first statement that failed, after which the server refuses all others of the transaction. */
interface Failed {
  readonly error: unknown
  readonly job: object | undefined
}

/** Statements of one transaction, queued and then sent together: the server is waited for once. */
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

  /** A statement with values, or one that is run often. */
  queue(
    text: string,
    values: readonly SqlValue[] = [],
    job?: object,
  ): Promise<QueryResult<object>> {
    return this.#add({ text, values, isPrepared: true, job }, this.#unsent.length)
  }

  /** `BEGIN` and the like, before what was queued as number `at`. */
  command(text: string, at = this.#unsent.length): Promise<QueryResult<object>> {
    return this.#add({ text, values: [], isPrepared: false, job: undefined }, at)
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
    corked(this.#client, () => {
      for (const one of unsent) this.#send(one)
    })
  }

  /** For a rollback to a savepoint, which comes next: what was sent before it may still be refused. */
  recover(): void {
    this.#failed = undefined
    this.#recoveries += 1
  }

  #add(statement: Omit<Unsent, 'resolve' | 'reject'>, at: number): Promise<QueryResult<object>> {
    const result = new Promise<QueryResult<object>>((resolve, reject) => {
      this.#unsent.splice(at, 0, { ...statement, resolve, reject })
    })
    // Not every statement is waited for by itself; `failed` tells.
    result.catch(() => {})
    return result
  }

  #send({ text, values, isPrepared, job, resolve, reject }: Unsent): void {
    const name = isPrepared ? nameOf(this.#client, this.#schema, text) : undefined
    const config = { text, values: [...values], ...(name !== undefined && { name }) }
    const sentAfter = this.#recoveries
    this.#client.query<object>(config).then(resolve, (error: unknown) => {
      if (sentAfter === this.#recoveries) this.#failed ??= { error, job }
      reject(this.#failed?.error ?? error)
    })
  }
}
