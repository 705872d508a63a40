import type { Connection } from '@waymark/sqlite'
import { Failure } from '../error.ts'
import type { Sql, SqlValue } from '../store/sql.ts'
import { toFailure } from './failures.ts'
import { KeptCounters } from './kept-counters.ts'
import { KeptReads, type Statement, toStatement } from './kept-reads.ts'

const NONE: readonly SqlValue[] = []

/**
 * The statements of the job that runs. One object serves many jobs, one after the other; once the work of a job has
 * failed it serves no more, because parts of that work may still be under way. What it keeps of the tables holds as
 * long as no other connection commits.
 */
export class TransactionSql implements Sql {
  readonly connection: Connection
  readonly counters: KeptCounters
  readonly #reads = new KeptReads()
  #isOpen = false
  #isRetired = false

  constructor(connection: Connection) {
    this.connection = connection
    this.counters = new KeptCounters(connection, () => this.#assertOpen())
  }

  get isRetired(): boolean {
    return this.#isRetired
  }

  begin(): void {
    this.#isOpen = true
  }

  /** Writes what the job has counted. */
  end(): void {
    this.counters.save()
    this.#isOpen = false
  }

  retire(): void {
    this.#isOpen = false
    this.#isRetired = true
  }

  /** Another connection has committed. */
  forget(): void {
    this.counters.forget()
    this.#reads.forget()
  }

  async get<Row>(sql: string, values = NONE): Promise<Row | undefined> {
    this.#assertOpen()
    try {
      const statement = this.#prepare(sql)
      if (!statement.isKept) return this.connection.get<Row>(sql, ...values)
      return this.#keep<Row>(sql, values, statement)[0]
    } catch (error) {
      throw toFailure(error)
    }
  }

  async all<Row>(sql: string, values = NONE): Promise<Row[]> {
    this.#assertOpen()
    try {
      const statement = this.#prepare(sql)
      if (!statement.isKept) return this.connection.all<Row>(sql, ...values)
      return [...this.#keep<Row>(sql, values, statement)]
    } catch (error) {
      throw toFailure(error)
    }
  }

  async run(sql: string, values = NONE): Promise<number> {
    return this.#change(sql, values)
  }

  async send(sql: string, values = NONE): Promise<void> {
    this.#change(sql, values)
  }

  #change(sql: string, values: readonly SqlValue[]): number {
    this.#assertOpen()
    try {
      this.#prepare(sql)
      return this.connection.run(sql, ...values)
    } catch (error) {
      throw toFailure(error)
    }
  }

  /** Before a statement runs: the table has all counters that it reads, and nothing is kept that it changes. */
  #prepare(sql: string): Statement {
    const statement = toStatement(sql)
    if (statement.readsCounters) this.counters.save()
    if (statement.changesCounters) this.counters.forget()
    if (!statement.isRead) this.#reads.forget(statement.changes)
    return statement
  }

  #keep<Row>(sql: string, values: readonly SqlValue[], { names }: Statement): readonly Row[] {
    return this.#reads.read({ sql, names }, values, () => this.connection.all<Row>(sql, ...values))
  }

  /** After SQLite's own rollback a statement would stand alone and be committed at once. */
  #assertOpen(): void {
    if (this.#isOpen && this.connection.inTransaction) return
    throw new Failure('internal', 'a transaction was used after its end')
  }
}
