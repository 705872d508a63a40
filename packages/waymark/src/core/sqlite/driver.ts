import { createRequire } from 'node:module'
import { Failure } from '../error.ts'
import type { SqlValue } from '../store/sql.ts'

/** The part of the `node:sqlite` API that we use; `@photostructure/sqlite` offers the same. */
export interface SqliteStatement {
  get(...values: readonly SqlValue[]): unknown
  all(...values: readonly SqlValue[]): unknown[]
  run(...values: readonly SqlValue[]): { readonly changes: number | bigint }
}

export interface SqliteHandle {
  readonly isTransaction: boolean
  exec(sql: string): void
  prepare(sql: string): SqliteStatement
  close(): void
  /** Missing in Node 22. */
  enableDefensive?(active: boolean): void
}

interface SqliteModule {
  readonly DatabaseSync: new (location: string, options: SqliteOptions) => SqliteHandle
}

interface SqliteOptions {
  readonly readOnly: boolean
  /** How long a call may block the whole process while another one holds the lock. */
  readonly timeout: number
}

/**
 * Opens a `file:` URL with the SQLite built into Node where that is safe, else with the packaged one.
 * Older versions can lose committed pages when several processes write: https://sqlite.org/wal.html#walresetbug
 */
export function openHandle(
  url: string,
  options: SqliteOptions,
  { DatabaseSync }: SqliteModule = loadModule(),
): SqliteHandle {
  const handle = new DatabaseSync(url, options)
  const { version } = handle.prepare('SELECT sqlite_version() AS version').get() as {
    version: string
  }
  if (isSafe(version)) return handle
  handle.close()
  throw new Failure(
    'storage_unavailable',
    `SQLite ${version} can lose data when several processes write; install waymark again or update Node`,
    { details: { version, needed: '3.51.3' } },
  )
}

/** 3.52.0 was withdrawn by its authors. */
export function isSafe(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  return (major - 3 || minor - 51 || patch - 3) >= 0 && version !== '3.52.0'
}

function loadModule(): SqliteModule {
  // Loaded at run time only, so that a bundler leaves the native addon alone and Node 24 never reads it.
  return isSafe(process.versions['sqlite'] ?? '0')
    ? loadBuiltIn()
    : (createRequire(import.meta.url)('@photostructure/sqlite') as SqliteModule)
}

/** Node 22 announces its SQLite as experimental on stderr, which is nothing the user could act on. */
function loadBuiltIn(): SqliteModule {
  const emitWarning: unknown = Reflect.get(process, 'emitWarning')
  process.emitWarning = () => {}
  try {
    return process.getBuiltinModule('node:sqlite') as SqliteModule
  } finally {
    Reflect.set(process, 'emitWarning', emitWarning)
  }
}
