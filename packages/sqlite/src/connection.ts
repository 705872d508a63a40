import { type BigIntStats, closeSync, lstatSync, openSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import {
  assertSafeVersion,
  loadSqlite,
  type SqliteDatabase,
  type SqliteModule,
  type SqliteStatement,
  type SqliteValue,
} from './driver.ts'
import { toSqliteError } from './result-codes.ts'
import { SqliteError } from './sqlite-error.ts'

export interface ConnectionOptions {
  /** Chosen by `loadSqlite` when absent. */
  readonly sqlite?: SqliteModule | undefined
  /** How much of the file to keep in memory; SQLite's default is 2,000. */
  readonly cacheKilobytes?: number
}

/** A row; STRICT tables guarantee the column types. */
type AnyRow = Readonly<Record<string, SqliteValue>>

// busy_timeout: locks are retried in JavaScript, because SQLite's busy handler blocks the event loop.
// The others, because the file may be hostile: run no functions from its schema, check cells, do not map it into memory.
const GUARDS = `
  PRAGMA busy_timeout = 0;
  PRAGMA trusted_schema = OFF;
  PRAGMA cell_size_check = ON;
  PRAGMA mmap_size = 0;`

// FULL: a commit returns when the log is on disk. With NORMAL a power cut loses the last commits.
// fullfsync: macOS flushes the drive's cache only with it; it has no effect on other systems.
// temp_store: a savepoint keeps the old content of changed pages, from 64 KB on in a temporary file.
const DURABILITY = `
  PRAGMA synchronous = FULL;
  PRAGMA fullfsync = ON;
  PRAGMA temp_store = MEMORY;
  PRAGMA foreign_keys = ON;
  PRAGMA journal_size_limit = 33554432;`

const MAX_STATEMENTS = 200

/**
 * One open database: its handle, its settings and its prepared statements. Throws SqliteErrors and never waits for a
 * lock: any call may fail as `busy`, opening included.
 */
export class Connection {
  readonly #path: string
  // In some drivers statements do not keep their database alive, so this reference must live as long as they do.
  readonly #handle: SqliteDatabase
  /** Undefined for a database in memory. */
  readonly #file: BigIntStats | undefined
  readonly #statements = new Map<string, SqliteStatement>()
  #isBroken = false

  constructor(path: string, access: Access, options: ConnectionOptions = {}) {
    const { sqlite = loadSqlite(), cacheKilobytes } = options
    if (options.sqlite !== undefined) assertSafeVersion(options.sqlite)
    this.#path = path
    this.#file = access === 'memory' ? undefined : prepareFile(path, access)
    try {
      this.#handle = openHandle(path, access, sqlite)
    } catch (error) {
      throw this.#toError(error)
    }
    try {
      if (this.isMoved)
        throw new SqliteError('replaced', 'the database was replaced while it was opened')
      this.#handle.enableDefensive?.(true)
      this.exec(access === 'read' ? GUARDS : GUARDS + DURABILITY + toCacheSize(cacheKilobytes))
    } catch (error) {
      this.#handle.close()
      throw error
    }
  }

  /** Whether an error has left the connection in an unknown state. */
  get isBroken(): boolean {
    return this.#isBroken
  }

  /** Whether the path has another file now, so that writes to the open one would be lost. */
  get isMoved(): boolean {
    if (this.#file === undefined) return false
    const file = statFile(this.#path)
    return file === undefined || file.ino !== this.#file.ino || file.dev !== this.#file.dev
  }

  /** False with a driver that cannot tell. */
  get inTransaction(): boolean {
    return this.#handle.isTransaction ?? false
  }

  exec(sql: string): void {
    try {
      this.#handle.exec(sql)
    } catch (error) {
      throw this.#toError(error)
    }
  }

  /** The first row; its type is what the schema promises. */
  get<Row = AnyRow>(sql: string, ...values: SqliteValue[]): Row | undefined {
    try {
      return this.#prepare(sql).get(...values) as Row | undefined
    } catch (error) {
      throw this.#toError(error)
    }
  }

  all<Row = AnyRow>(sql: string, ...values: SqliteValue[]): Row[] {
    try {
      return this.#prepare(sql).all(...values) as Row[]
    } catch (error) {
      throw this.#toError(error)
    }
  }

  /** Runs a statement and returns how many rows it changed. */
  run(sql: string, ...values: SqliteValue[]): number {
    try {
      return Number(this.#prepare(sql).run(...values).changes)
    } catch (error) {
      throw this.#toError(error)
    }
  }

  /** A pragma whose value is one integer. */
  pragma(name: 'application_id' | 'data_version' | 'user_version'): number {
    return this.get<Record<string, number>>(`PRAGMA ${name}`)?.[name] ?? 0
  }

  /** All of the changes, or none. `change` must be synchronous. */
  transaction<T>(change: () => T): T {
    this.exec('BEGIN IMMEDIATE')
    try {
      const result = change()
      this.exec('COMMIT')
      return result
    } catch (error) {
      this.rollback()
      throw error
    }
  }

  /** Ends the transaction, if there is one. */
  rollback(): void {
    if (this.#handle.isTransaction === false) return
    try {
      this.#handle.exec('ROLLBACK')
    } catch {
      // A full disk or an I/O error has already ended the transaction; the caller learns of that error.
    }
  }

  /** Turns on the write-ahead log, which stays on. Returns the journal mode: not every file system can have a log. */
  useWriteAheadLog(): string {
    const row = this.get<{ journal_mode: string }>('PRAGMA journal_mode = WAL')
    return row?.journal_mode ?? ''
  }

  /** Frees what is cached of the file, and the prepared statements. */
  releaseMemory(): void {
    this.#statements.clear()
    this.exec('PRAGMA shrink_memory')
  }

  close(): void {
    // The packaged SQLite closes only when its statements have been garbage-collected; until then an open transaction
    // would keep the write lock.
    this.rollback()
    this.#statements.clear()
    this.#handle.close()
  }

  #prepare(sql: string): SqliteStatement {
    const known = this.#statements.get(sql)
    if (known) return known
    if (this.#statements.size >= MAX_STATEMENTS) {
      const [oldest] = this.#statements.keys()
      if (oldest !== undefined) this.#statements.delete(oldest)
    }
    const statement = this.#handle.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }

  #toError(error: unknown): unknown {
    const known = toSqliteError(error, this.#path)
    if (known?.isFatal) this.#isBroken = true
    return known ?? error
  }
}

function openHandle(path: string, access: Access, { DatabaseSync }: SqliteModule): SqliteDatabase {
  if (access === 'memory') return new DatabaseSync(':memory:')
  // The file exists by now. As a path, because a module that the caller chose may not know URIs.
  if (access === 'create') return new DatabaseSync(path)
  const mode = access === 'read' ? 'ro' : 'rw'
  return new DatabaseSync(`${pathToFileURL(path).href}?mode=${mode}`, {
    readOnly: access === 'read',
  })
}

function toCacheSize(kilobytes: number | undefined): string {
  return kilobytes === undefined ? '' : `PRAGMA cache_size = -${kilobytes}`
}

/** `read` and `write` need an existing file that is not empty; only `create` makes one. */
type FileAccess = 'read' | 'write' | 'create'
/** `memory` has no file: its path is only a name for errors. */
export type Access = FileAccess | 'memory'

/** The file to be opened, which has exactly this path: SQLite would follow a symbolic link. */
function prepareFile(path: string, access: FileAccess): BigIntStats {
  if (access === 'create' && statFile(path) === undefined) createFile(path)
  const file = statFile(path)
  if (file === undefined) throw new SqliteError('missing', 'the database is missing')
  assertRegular(file, path)
  // SQLite takes an empty file for a new database, which would hide that the data is gone.
  if (access !== 'create' && file.size === 0n)
    throw new SqliteError('empty', 'the database is empty')
  return file
}

function statFile(path: string): BigIntStats | undefined {
  return lstatSync(path, { bigint: true, throwIfNoEntry: false })
}

/** SQLite would create the file readable for all users; its side files take the mode from this one. */
function createFile(path: string): void {
  try {
    // Fails without opening a file that another process has just created: closing that one again would drop the locks
    // that this process may hold on it.
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'EEXIST') throw error
  }
}

function assertRegular(file: BigIntStats, path: string): void {
  if (file.isFile()) return
  const kind = kindOf(file)
  throw new SqliteError('not_regular', `the database is a ${kind}, not a regular file`, {
    details: { kind, path },
  })
}

function kindOf(file: BigIntStats): string {
  if (file.isSymbolicLink()) return 'symbolic link'
  if (file.isDirectory()) return 'folder'
  return file.isFIFO() ? 'named pipe' : 'socket or device'
}
