import { Failure } from '../error.ts'
import type { SqlValue, Sql } from '../store/sql.ts'
import type { StoreEngine, WriteOptions } from '../store/store.ts'
import { isLost, toFailure } from './failures.ts'
import { POSTGRES_FULL_TEXT } from './full-text.ts'
import { Pipeline } from './wire/pipeline.ts'
import type { Pool } from './pool.ts'
import { isUnprepared } from './wire/prepared.ts'
import { assertUsable, schemaOf, searchPath } from './schema/schema.ts'
import { toPostgres } from './statement.ts'
import { STATEMENT_MS } from './transaction.ts'
import { Writer } from './writer.ts'

export interface DatabaseOptions {
  readonly pool: Pool
  readonly projectId: string
  /** Called when it is closed. */
  readonly release: () => Promise<void>
}

/** A project in a PostgreSQL database. Its tables lie in a schema of their own. */
export class PostgresDatabase implements StoreEngine {
  readonly fullText = POSTGRES_FULL_TEXT
  readonly #pool: Pool
  readonly #schema: string
  readonly #role: string
  readonly #writer: Writer
  readonly #release: () => Promise<void>
  #isClosed = false

  static async open(options: DatabaseOptions): Promise<PostgresDatabase> {
    const role = await assertUsable(options.pool, options.projectId)
    return new PostgresDatabase(options, role)
  }

  private constructor({ pool, projectId, release }: DatabaseOptions, role: string) {
    this.#pool = pool
    this.#schema = schemaOf(projectId)
    this.#role = role
    this.#release = release
    this.#writer = new Writer({ pool, schema: this.#schema, role })
  }

  async get<Row>(sql: string, values?: readonly SqlValue[]): Promise<Row | undefined> {
    return (await this.all<Row>(sql, values))[0]
  }

  async all<Row>(sql: string, values: readonly SqlValue[] = []): Promise<Row[]> {
    if (this.#isClosed) throw new Failure('storage_unavailable', 'the store is closed')
    try {
      return await this.#read<Row>(sql, values)
    } catch (error) {
      if (!isUnprepared(error)) throw toFailure(error)
    }
    // On another connection, or without prepared statements if a proxy sits in between.
    try {
      return await this.#read<Row>(sql, values)
    } catch (error) {
      throw toFailure(error)
    }
  }

  async #read<Row>(sql: string, values: readonly SqlValue[]): Promise<Row[]> {
    return await this.#pool.use(async (client) => {
      // One round trip. The path is set for the transaction alone, so that a pooling proxy may sit in between.
      const pipeline = new Pipeline(client, this.#schema)
      void pipeline.command('BEGIN READ ONLY')
      void pipeline.queue(
        `SELECT set_config('search_path', $1, true), set_config('statement_timeout', $2, true),
          set_config('role', $3, true)`,
        [searchPath(this.#schema), String(STATEMENT_MS), this.#role],
      )
      const found = pipeline.queue(toPostgres(sql), values)
      const ended = pipeline.command('COMMIT')
      pipeline.flush()
      try {
        await ended
      } catch (error) {
        if (!isLost(error)) await client.query('ROLLBACK')
        throw error
      }
      return (await found).rows as Row[]
    })
  }

  async write<T>(work: (tx: Sql) => Promise<T>, options?: WriteOptions): Promise<T> {
    if (this.#isClosed) throw new Failure('storage_unavailable', 'the store is closed')
    return await this.#writer.write(work, options)
  }

  watch(listener: () => void): () => void {
    return this.#pool.commits.watch(this.#schema, listener)
  }

  async version(): Promise<number> {
    return (await this.get<{ version: number }>('SELECT version FROM project'))?.version ?? 0
  }

  async copyToMemory(tables: readonly string[]): Promise<StoreEngine> {
    const { MemoryDatabase } = await import('../sqlite/memory-database.ts')
    const memory = await MemoryDatabase.create()
    for (const table of tables) memory.copyRows(table, await this.all(`SELECT * FROM ${table}`))
    return memory
  }

  /** The server keeps its own log. */
  releaseMemory(): void {}

  async emptyLog(): Promise<boolean> {
    return true
  }

  /** Purged rows are removed from the files by the server's own vacuum. */
  async rewrite(): Promise<boolean> {
    return true
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#writer.close()
    await this.#release()
  }
}
