import { lstat, open } from 'node:fs/promises'
import { retryWhileBusy } from './busy-retry.ts'
import type { SqliteDatabase, SqliteModule, SqliteStatement, SqliteValue } from './driver.ts'
import { APPLICATION_ID, MIGRATIONS } from './schema.ts'

/** A row; STRICT tables guarantee the column types. */
export type Row = Readonly<Record<string, SqliteValue>>

/** One open database: owns the handle, the pragmas and the prepared statements. */
export class Connection {
  // In some drivers statements do not keep their database alive, so this reference must live as long as they do.
  readonly #database: SqliteDatabase
  readonly #statementsBySql = new Map<string, SqliteStatement>()

  private constructor(database: SqliteDatabase) {
    this.#database = database
  }

  static async open(path: string, { DatabaseSync }: SqliteModule): Promise<Connection> {
    await createFile(path)
    const connection = new Connection(new DatabaseSync(path))
    try {
      await connection.#configure()
      await connection.#migrate()
      return connection
    } catch (error) {
      connection.close()
      throw error
    }
  }

  exec(sql: string): void {
    this.#database.exec(sql)
  }

  run(sql: string, ...values: SqliteValue[]): number {
    return Number(this.#statement(sql).run(...values).changes)
  }

  get<R extends object = Row>(sql: string, ...values: SqliteValue[]): R | undefined {
    return this.#statement(sql).get(...values) as R | undefined
  }

  all<R extends object = Row>(sql: string, ...values: SqliteValue[]): R[] {
    return this.#statement(sql).all(...values) as R[]
  }

  close(): void {
    this.#statementsBySql.clear()
    this.#database.close()
  }

  #statement(sql: string): SqliteStatement {
    const known = this.#statementsBySql.get(sql)
    if (known !== undefined) return known
    const statement = this.#database.prepare(sql)
    this.#statementsBySql.set(sql, statement)
    return statement
  }

  async #configure(): Promise<void> {
    // Locks are retried in JavaScript, which does not block the event loop.
    this.exec('PRAGMA busy_timeout = 0')
    // Busy if several processes create the file at the same time.
    await retryWhileBusy(() => this.exec('PRAGMA journal_mode = WAL'))
    // An acknowledged event must survive a power cut, which NORMAL does not guarantee.
    this.exec('PRAGMA synchronous = FULL')
    this.exec('PRAGMA foreign_keys = ON')
    // The file may be hostile: run no functions from its schema, check cells, do not map it into memory.
    this.exec('PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0')
  }

  async #migrate(): Promise<void> {
    await retryWhileBusy(() => this.exec('BEGIN IMMEDIATE'))
    try {
      const version = this.#checkedVersion()
      for (const migration of MIGRATIONS.slice(version)) this.exec(migration)
      this.exec(`PRAGMA application_id = ${APPLICATION_ID}`)
      this.exec(`PRAGMA user_version = ${MIGRATIONS.length}`)
      this.exec('COMMIT')
    } catch (error) {
      this.exec('ROLLBACK')
      throw error
    }
  }

  #checkedVersion(): number {
    const version = Number(this.get('PRAGMA user_version')?.['user_version'])
    const applicationId = this.get('PRAGMA application_id')?.['application_id']
    const tables = this.get('SELECT count(*) AS tables FROM sqlite_schema')?.['tables']
    const isNew = version === 0 && tables === 0
    if (!isNew && applicationId !== APPLICATION_ID)
      throw new Error('the session file is a database of another application')
    if (version > MIGRATIONS.length)
      throw new Error('the session file was written by a newer version of baton')
    return version
  }
}

/** SQLite would create the file readable for all users; its side files take the mode from this one. */
async function createFile(path: string): Promise<void> {
  try {
    await (await open(path, 'wx', 0o600)).close()
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'EEXIST') throw error
  }
  // SQLite would follow a symbolic link, and write into the file that it leads to.
  if ((await lstat(path)).isFile()) return
  throw new Error('the session file is a symbolic link or not a regular file; name a file')
}
