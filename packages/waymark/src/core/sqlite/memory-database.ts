import { setImmediate as nextTurn } from 'node:timers/promises'
import { Connection, type SqliteValue } from '@waymark/sqlite'
import type { Sql, SqlValue } from '../store/sql.ts'
import type { StoreEngine } from '../store/store.ts'
import { withFailures } from './failures.ts'
import { migrate } from './database.ts'

/** No other process can hold a lock. */
const BUSY_LIMIT_MS = 0

/**
 * A database in memory with the tables of a project, for tables that are derived from other data and may not be
 * written to the disk. Reads wait for a write that has begun, because there is only one connection.
 */
export class MemoryDatabase implements StoreEngine {
  readonly #connection = new Connection('memory', 'memory')
  /** Settled when the last write has ended. */
  #written: Promise<unknown> = Promise.resolve()
  #version = 0

  static async create(): Promise<MemoryDatabase> {
    const database = new MemoryDatabase()
    // The rows that they refer to are not copied.
    database.#connection.exec('PRAGMA foreign_keys = OFF')
    await migrate(database.#connection, BUSY_LIMIT_MS)
    return database
  }

  private constructor() {}

  /** Copies the rows of these tables, all as of one commit. */
  fill(source: Connection, tables: readonly string[]): void {
    this.#connection.transaction(() => {
      source.exec('BEGIN')
      try {
        for (const table of tables) this.#copy(source, table)
      } finally {
        source.rollback()
      }
    })
  }

  async get<Row>(sql: string, values: readonly SqlValue[] = []): Promise<Row | undefined> {
    await this.#written
    return this.#connection.get<Row>(sql, ...values)
  }

  async all<Row>(sql: string, values: readonly SqlValue[] = []): Promise<Row[]> {
    await this.#written
    return this.#connection.all<Row>(sql, ...values)
  }

  async write<T>(work: (tx: Sql) => Promise<T>): Promise<T> {
    const result = this.#written.then(() => this.#transaction(work))
    this.#written = result.catch(() => undefined)
    return await withFailures(() => result)
  }

  watch(): () => void {
    return () => {}
  }

  async version(): Promise<number> {
    return this.#version
  }

  async copyToMemory(tables: readonly string[]): Promise<StoreEngine> {
    const copy = await MemoryDatabase.create()
    await this.#written
    copy.fill(this.#connection, tables)
    return copy
  }

  releaseMemory(): void {}

  async emptyLog(): Promise<boolean> {
    return true
  }

  async rewrite(): Promise<boolean> {
    return true
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#written
    this.#connection.close()
  }

  #copy(source: Connection, table: string): void {
    this.copyRows(table, source.all<Record<string, SqliteValue>>(`SELECT * FROM ${table}`))
  }

  /** Replaces the rows of a table. */
  copyRows(table: string, rows: readonly Readonly<Record<string, SqliteValue>>[]): void {
    const columns = Object.keys(rows[0] ?? {})
    const marks = columns.map(() => '?').join(', ')
    // Migrations have put rows into some tables.
    this.#connection.run(`DELETE FROM ${table}`)
    for (const row of rows) {
      this.#connection.run(
        `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${marks})`,
        ...Object.values(row),
      )
    }
  }

  async #transaction<T>(work: (tx: Sql) => Promise<T>): Promise<T> {
    const connection = this.#connection
    // Nothing here waits for a disk, so a long series of writes would block the event loop.
    await nextTurn()
    connection.exec('BEGIN')
    try {
      const result = await work({
        connection,
        get: async <Row>(sql: string, values: readonly SqlValue[] = []) =>
          connection.get<Row>(sql, ...values),
        all: async <Row>(sql: string, values: readonly SqlValue[] = []) =>
          connection.all<Row>(sql, ...values),
        run: async (sql, values = []) => connection.run(sql, ...values),
        send: async (sql, values = []) => void connection.run(sql, ...values),
      })
      connection.exec('COMMIT')
      this.#version += 1
      return result
    } catch (error) {
      connection.rollback()
      throw error
    }
  }
}
