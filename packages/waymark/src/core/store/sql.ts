import type { Clock } from '../clock/clock.ts'
import type { FullText } from './full-text.ts'

/** What a database column holds. Booleans and dates are converted by the noun that owns the column. */
export type SqlValue = string | number | Uint8Array | null

/**
 * The port every noun store is written against: a statement with `?` placeholders and its values.
 * It is asynchronous so that the same noun runs on an engine behind a socket. The row type states what the
 * statement selects; it stands next to the SQL and the migrations keep it true.
 */
export interface SqlReader {
  get<Row>(sql: string, values?: readonly SqlValue[]): Promise<Row | undefined>
  all<Row>(sql: string, values?: readonly SqlValue[]): Promise<Row[]>
  /** How this engine searches texts; absent for that of SQLite. */
  readonly fullText?: FullText
  /** The time of the engine, where callers on several machines share it; absent where theirs counts. */
  readonly clock?: Clock
}

export interface Sql extends SqlReader {
  /** Key of caches of rows that transactions have seen; absent where a connection serves several projects. */
  readonly connection?: object
  /** Runs a statement and says how many rows it changed. */
  run(sql: string, values?: readonly SqlValue[]): Promise<number>
}

/** A row as it is stored: JSON in these columns. */
export type Stored<Row, Json extends keyof Row> = Omit<Row, Json> & {
  readonly [Column in Json]: string
}

/** Selects columns under their names in camel case: `created_at` → `created_at AS createdAt`. */
export function camelColumns(names: string, table = ''): string {
  const toColumn = (name: string): string => {
    const camel = name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
    return camel === name ? table + name : `${table}${name} AS ${camel}`
  }
  return names.split(/,\s*/).map(toColumn).join(', ')
}
