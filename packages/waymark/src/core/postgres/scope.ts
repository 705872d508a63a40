import { Failure } from '../error.ts'
import type { Counters, Sql, SqlValue } from '../store/sql.ts'
import { isTransient, toFailure } from './failures.ts'
import { POSTGRES_FULL_TEXT } from './full-text.ts'
import { type Statement, toStatement } from './statement.ts'
import type { Transaction } from './transaction.ts'
import type { Answer } from './wire/batch.ts'

const NONE: readonly SqlValue[] = []

/** What one job sees of a transaction that it shares with others, so that a job that fails is undone alone. */
export class Scope implements Sql {
  readonly fullText = POSTGRES_FULL_TEXT
  readonly remembers = true
  readonly counters: Counters
  readonly #transaction: Transaction
  readonly #job: object
  /** Nothing that other jobs have written would be lost with the transaction. */
  readonly #isFirst: boolean
  readonly #resetCounters: () => void
  /** Number of its first statement among those that are queued. */
  #start: number
  #hasUnsent = false
  #hasSent = false
  #hasSavepoint = false
  #isOver = false

  constructor(transaction: Transaction, job: object, isFirst: boolean) {
    this.#transaction = transaction
    this.#job = job
    this.#isFirst = isFirst
    this.#start = transaction.pipeline.length
    this.#resetCounters = transaction.counters.mark()
    this.counters = transaction.counters
    transaction.pipeline.beforeFlush = () => this.#protectOthers()
  }

  clock = () => this.#transaction.clock()

  async get<Row>(sql: string, values = NONE): Promise<Row | undefined> {
    return (await this.#rows(sql, values))[0] as Row | undefined
  }

  async all<Row>(sql: string, values = NONE): Promise<Row[]> {
    return [...(await this.#rows(sql, values))] as Row[]
  }

  async run(sql: string, values = NONE): Promise<number> {
    return (await this.#ask(toStatement(sql), values)).count
  }

  async send(sql: string, values = NONE): Promise<void> {
    void this.#queue(toStatement(sql), values)
  }

  /** Ends the work of the job; its statements may still be queued. */
  end(): void {
    this.#close()
    if (this.#hasSavepoint) void this.#transaction.pipeline.command('RELEASE job')
  }

  /** Undoes the job. False if the whole transaction has to be given up for it. */
  undo(): boolean {
    this.#close()
    const { pipeline } = this.#transaction
    const hasFailed = pipeline.failed !== undefined
    const isAlone = !hasFailed || pipeline.failed?.job === this.#job
    if (!isAlone || (!this.#hasSavepoint && (this.#hasSent || hasFailed))) return false
    pipeline.drop(this.#start)
    if (this.#hasSavepoint) {
      pipeline.recover()
      void pipeline.command('ROLLBACK TO job')
      void pipeline.command('RELEASE job')
    }
    this.#transaction.forgetReads()
    this.#resetCounters()
    return true
  }

  #close(): void {
    this.#isOver = true
    this.#transaction.pipeline.beforeFlush = () => {}
  }

  async #rows(sql: string, values: readonly SqlValue[]): Promise<object[]> {
    const statement = toStatement(sql)
    if (!statement.isRead) return (await this.#ask(statement, values)).rows
    this.#assertOpen()
    return await this.#transaction.read(statement, values, () => this.#ask(statement, values))
  }

  async #ask(statement: Statement, values: readonly SqlValue[]): Promise<Answer> {
    const answer = this.#queue(statement, values)
    this.#transaction.pipeline.flushSoon()
    try {
      return await answer
    } catch (error) {
      throw isTransient(error) ? error : toFailure(error)
    }
  }

  #queue(statement: Statement, values: readonly SqlValue[]): Promise<Answer> {
    this.#assertOpen()
    const { pipeline, counters } = this.#transaction
    if (statement.names.has('counter')) this.#transaction.saveCounters(this.#job)
    const answer = pipeline.queue(statement.text, values, this.#job)
    if (statement.isRead) return answer
    this.#hasUnsent = true
    this.#transaction.noteWrite(statement)
    if (statement.changes.includes('counter')) counters.forget()
    return answer
  }

  #protectOthers(): void {
    if (this.#hasUnsent && !this.#isFirst && !this.#hasSavepoint) {
      void this.#transaction.pipeline.command('SAVEPOINT job', this.#start)
      this.#hasSavepoint = true
    }
    this.#hasSent ||= this.#hasUnsent
    this.#hasUnsent = false
    this.#start = 0
  }

  #assertOpen(): void {
    if (this.#isOver) throw new Failure('internal', 'a transaction was used after its end')
  }
}
