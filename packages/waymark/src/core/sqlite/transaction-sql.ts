import type { Connection } from '@waymark/sqlite'
import { Failure } from '../error.ts'
import type { Sql, SqlValue } from '../store/sql.ts'
import { toFailure } from './failures.ts'

const NONE: readonly SqlValue[] = []

/**
 * The statements of the job that runs. One object serves many jobs, one after the other; once the work of a job has
 * failed it serves no more, because parts of that work may still be under way.
 */
export class TransactionSql implements Sql {
  readonly connection: Connection
  #isOpen = false
  #isRetired = false

  constructor(connection: Connection) {
    this.connection = connection
  }

  get isRetired(): boolean {
    return this.#isRetired
  }

  begin(): void {
    this.#isOpen = true
  }

  end(): void {
    this.#isOpen = false
  }

  retire(): void {
    this.#isOpen = false
    this.#isRetired = true
  }

  async get<Row>(sql: string, values = NONE): Promise<Row | undefined> {
    this.#assertOpen()
    try {
      return this.connection.get<Row>(sql, ...values)
    } catch (error) {
      throw toFailure(error)
    }
  }

  async all<Row>(sql: string, values = NONE): Promise<Row[]> {
    this.#assertOpen()
    try {
      return this.connection.all<Row>(sql, ...values)
    } catch (error) {
      throw toFailure(error)
    }
  }

  async run(sql: string, values = NONE): Promise<number> {
    this.#assertOpen()
    try {
      return this.connection.run(sql, ...values)
    } catch (error) {
      throw toFailure(error)
    }
  }

  async send(sql: string, values = NONE): Promise<void> {
    await this.run(sql, values)
  }

  /** After SQLite's own rollback a statement would stand alone and be committed at once. */
  #assertOpen(): void {
    if (this.#isOpen && this.connection.inTransaction) return
    throw new Failure('internal', 'a transaction was used after its end')
  }
}
