import type { Clock } from '../clock/clock.ts'
import { Failure } from '../error.ts'
import type { SqlValue } from '../store/sql.ts'
import { type CounterRow, KeptCounters, READ_COUNTERS, WRITE_COUNTERS } from './kept-counters.ts'
import type { Answer } from './wire/batch.ts'
import { Pipeline } from './wire/pipeline.ts'
import type { Client } from './pool.ts'
import { assertNotNewer, searchPath } from './schema/schema.ts'
import type { Statement } from './statement.ts'

/** No statement of ours needs nearly so long; one that does is cancelled instead of holding its connection. */
export const STATEMENT_MS = 30_000

/** A replica that stops in the middle of a transaction holds the lock of the project until the server ends its session. */
const IDLE_MS = 10_000

/** Reads that a transaction remembers; a long one makes many that it does not repeat. */
const MOST_READS = 1000

export interface TransactionOptions {
  readonly client: Client
  readonly schema: string
  /** It runs as this role of the database. */
  readonly role: string
  /** How many milliseconds it may wait for the lock. */
  readonly patience: number
  /** The statement that takes the lock of the project. */
  readonly lock: string
}

/** What the server says when it gives the lock. */
export interface Lock {
  readonly xid: string
  /** Another one after each promotion of a standby, which gives numbers of lost transactions to new ones. */
  readonly timeline: string
  readonly now: number
  readonly usable_from: number
}

interface Read {
  readonly rows: Promise<object[]>
  /** How many writes came before it. */
  readonly after: number
}

/**
 * A transaction with the lock of its project. Statements whose outcome nothing depends on wait for the next one that is
 * read, or for the commit, and are sent together with it. What was read is remembered until its tables are written:
 * while the lock is held, only this transaction changes them.
 */
export class Transaction {
  readonly pipeline: Pipeline
  readonly counters: KeptCounters
  readonly #locked: Promise<Lock>
  readonly #reads = new Map<string, Read>()
  /** By table: the number of the last write to it. */
  readonly #writes = new Map<string, number>()
  #writeCount = 0
  #lockedAt = 0

  constructor({ client, schema, role, patience, lock }: TransactionOptions) {
    const pipeline = new Pipeline(client, schema)
    this.pipeline = pipeline
    void pipeline.command('BEGIN')
    void pipeline.queue(
      `SELECT set_config('search_path', $1, true), set_config('lock_timeout', $2, true),
        set_config('statement_timeout', $3, true),
        set_config('idle_in_transaction_session_timeout', $4, true), set_config('role', $5, true)`,
      [searchPath(schema), patience, STATEMENT_MS, IDLE_MS, role].map(String),
    )
    this.#locked = pipeline.queue(lock).then(({ rows }) => {
      this.#lockedAt = performance.now()
      const [locked] = rows as Lock[]
      if (locked === undefined) throw new Failure('storage_corrupt', 'the project has no row')
      assertNotNewer(locked.usable_from)
      return locked
    })
    this.#locked.catch(() => {})
    this.counters = new KeptCounters(
      async () => (await pipeline.queue(READ_COUNTERS)).rows as CounterRow[],
      () => pipeline.flushSoon(),
    )
  }

  locked(): Promise<Lock> {
    this.pipeline.flushSoon()
    return this.#locked
  }

  /** The time of the server, which all replicas share. */
  async clock(): Promise<Clock> {
    const { now } = await this.locked()
    return { now: () => now + Math.round(performance.now() - this.#lockedAt) }
  }

  /** How many milliseconds it has had the lock. */
  get age(): number {
    return this.#lockedAt === 0 ? 0 : performance.now() - this.#lockedAt
  }

  /** Answers what was read before, unless it may have changed. */
  read(statement: Statement, values: readonly SqlValue[], ask: () => Promise<Answer>) {
    const key = keyOf(statement, values)
    const known = key === undefined ? undefined : this.#reads.get(key)
    if (known !== undefined && !this.#isWrittenSince(statement, known.after)) return known.rows
    const rows = ask().then((result) => result.rows)
    if (this.#reads.size >= MOST_READS) this.#reads.clear()
    if (key !== undefined) this.#reads.set(key, { rows, after: this.#writeCount })
    return rows
  }

  noteWrite({ changes }: Statement): void {
    this.#writeCount += 1
    for (const table of changes) this.#writes.set(table, this.#writeCount)
    if (changes.length === 0) this.#reads.clear()
  }

  saveCounters(job?: object): void {
    const values = this.counters.unsaved()
    if (values !== undefined) void this.pipeline.queue(WRITE_COUNTERS, values, job)
  }

  /** Forgets what was read, for a rollback to a savepoint. */
  forgetReads(): void {
    this.#reads.clear()
  }

  async commit(): Promise<void> {
    this.saveCounters()
    const committed = this.pipeline.command('COMMIT')
    this.pipeline.flush()
    await committed
    // The server takes the commit of a failed transaction for a rollback, and answers it without an error.
    if (this.pipeline.failed !== undefined) throw this.pipeline.failed.error
  }

  async rollback(): Promise<void> {
    this.pipeline.drop(0)
    this.pipeline.recover()
    const undone = this.pipeline.command('ROLLBACK')
    this.pipeline.flush()
    await undone
  }

  #isWrittenSince({ names }: Statement, after: number): boolean {
    if (after === this.#writeCount) return false
    for (const [table, at] of this.#writes) if (at > after && names.has(table)) return true
    return false
  }
}

/** Undefined for what is not remembered. */
function keyOf({ text }: Statement, values: readonly SqlValue[]): string | undefined {
  return values.some((value) => value instanceof Uint8Array)
    ? undefined
    : `${text} ${JSON.stringify(values)}`
}
