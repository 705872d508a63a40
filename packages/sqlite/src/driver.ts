import { createRequire } from 'node:module'
import { SqliteError } from './sqlite-error.ts'

/** A value that SQLite can store. */
export type SqliteValue = string | number | bigint | null | Uint8Array

/** The part of `StatementSync` that is used here. */
export interface SqliteStatement {
  run(...values: SqliteValue[]): { readonly changes: number | bigint }
  get(...values: SqliteValue[]): unknown
  all(...values: SqliteValue[]): unknown[]
}

/** The part of `DatabaseSync` that is used here. */
export interface SqliteDatabase {
  exec(sql: string): void
  prepare(sql: string): SqliteStatement
  close(): void
  /** Both drivers that `loadSqlite` chooses from have it. */
  readonly isTransaction?: boolean
  /** Missing in Node 22. */
  enableDefensive?(active: boolean): void
}

/** A module with the interface of `node:sqlite`. */
export interface SqliteModule {
  readonly DatabaseSync: new (
    path: string,
    options?: { readonly readOnly?: boolean },
  ) => SqliteDatabase
}

/**
 * Older versions can lose committed pages when several processes write: https://sqlite.org/wal.html#walresetbug
 * 3.52.0 was withdrawn by its authors.
 */
const OLDEST_SAFE_VERSION = '3.51.3'
const WITHDRAWN_VERSION = '3.52.0'

let chosen: SqliteModule | undefined

/** The SQLite built into Node where it is safe for several processes on one file, else `@photostructure/sqlite`. */
export function loadSqlite(): SqliteModule {
  return (chosen ??= loadBuiltIn() ?? loadPackaged())
}

/** Throws if a SQLite is not safe for several processes on one file. */
export function assertSafeVersion(module: SqliteModule): void {
  const version = sqliteVersion(module)
  if (isSafeVersion(version)) return
  throw new SqliteError(
    'unsafe_version',
    `SQLite ${version} can lose committed data; ${OLDEST_SAFE_VERSION} or newer is needed`,
    { details: { version, needed: OLDEST_SAFE_VERSION } },
  )
}

export function sqliteVersion({ DatabaseSync }: SqliteModule): string {
  const handle = new DatabaseSync(':memory:')
  try {
    const row = handle.prepare('SELECT sqlite_version() AS version').get()
    return (row as { readonly version: string }).version
  } finally {
    handle.close()
  }
}

export function isSafeVersion(version: string): boolean {
  if (version === WITHDRAWN_VERSION) return false
  const parts = version.split('.').map(Number)
  for (const [index, oldest] of OLDEST_SAFE_VERSION.split('.').map(Number).entries()) {
    const part = parts[index] ?? 0
    if (part !== oldest) return part > oldest
  }
  return true
}

/** Undefined if it is missing or not safe. A Node that links the system's SQLite may run another version than it names. */
function loadBuiltIn(): SqliteModule | undefined {
  if (!isSafeVersion(process.versions['sqlite'] ?? '0')) return undefined
  const module = withoutWarnings(
    () => process.getBuiltinModule('node:sqlite') as SqliteModule | undefined,
  )
  return module !== undefined && isSafeVersion(sqliteVersion(module)) ? module : undefined
}

/** Loaded at run time only, so that a bundler leaves the native addon alone and Node 24 never reads it. */
function loadPackaged(): SqliteModule {
  let module: SqliteModule
  try {
    module = createRequire(import.meta.url)('@photostructure/sqlite') as SqliteModule
  } catch (cause) {
    const hint = `install @photostructure/sqlite, or use a Node version with SQLite ${OLDEST_SAFE_VERSION} or newer`
    throw new SqliteError('no_driver', `no safe SQLite found: ${hint}`, { cause })
  }
  assertSafeVersion(module)
  return module
}

/** Node 22 prints that its SQLite is experimental, which no user can act on. */
function withoutWarnings<T>(load: () => T): T {
  const emitWarning: unknown = Reflect.get(process, 'emitWarning')
  process.emitWarning = () => {}
  try {
    return load()
  } finally {
    Reflect.set(process, 'emitWarning', emitWarning)
  }
}
