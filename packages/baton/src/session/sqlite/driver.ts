/** A value that SQLite can store. */
export type SqliteValue = string | number | bigint | null | Uint8Array

/** The part of `StatementSync` that the store uses. */
export interface SqliteStatement {
  run(...values: SqliteValue[]): { readonly changes: number | bigint }
  get(...values: SqliteValue[]): unknown
  all(...values: SqliteValue[]): unknown[]
}

/** The part of `DatabaseSync` that the store uses. */
export interface SqliteDatabase {
  exec(sql: string): void
  prepare(sql: string): SqliteStatement
  close(): void
}

/** A module with the interface of `node:sqlite`. */
export interface SqliteModule {
  readonly DatabaseSync: new (path: string) => SqliteDatabase
}

/** Older versions can lose committed pages when two processes checkpoint the same write-ahead log. */
const OLDEST_SAFE_VERSION = [3, 51, 3] as const

/** The first is built into newer Node versions; the second has the same API and its own SQLite. */
const CANDIDATES = ['node:sqlite', '@photostructure/sqlite'] as const

/** Loads a SQLite that is safe for several processes on one file. */
export async function loadSqlite(): Promise<SqliteModule> {
  const reasons: Error[] = []
  for (const name of CANDIDATES) {
    try {
      const module: unknown = await import(name)
      if (!isSqliteModule(module)) throw new Error(`${name} has no DatabaseSync`)
      assertSafeVersion(module)
      return module
    } catch (error) {
      reasons.push(new Error(`${name} cannot be used`, { cause: error }))
    }
  }
  const hint = 'install @photostructure/sqlite, or use a Node version with SQLite 3.51.3 or newer'
  throw new AggregateError(reasons, `no safe SQLite found: ${hint}`)
}

/** Throws if a SQLite is not safe for several processes on one file. */
export function assertSafeVersion(module: SqliteModule): void {
  const database = new module.DatabaseSync(':memory:')
  const row = database.prepare('SELECT sqlite_version() AS version').get()
  database.close()
  const version = String((row as { version: unknown }).version)
  if (!isSafeVersion(version))
    throw new Error(`SQLite ${version} can lose committed data; 3.51.3 or newer is needed`)
}

/** Whether a version such as `3.53.0` has the fix for the write-ahead log. 3.52.0 was withdrawn by its authors. */
export function isSafeVersion(version: string): boolean {
  if (version === '3.52.0') return false
  const parts = version.split('.').map(Number)
  for (const [index, oldest] of OLDEST_SAFE_VERSION.entries()) {
    const part = parts[index] ?? 0
    if (part !== oldest) return part > oldest
  }
  return true
}

function isSqliteModule(module: unknown): module is SqliteModule {
  return (
    typeof module === 'object' &&
    module !== null &&
    'DatabaseSync' in module &&
    typeof module.DatabaseSync === 'function'
  )
}
