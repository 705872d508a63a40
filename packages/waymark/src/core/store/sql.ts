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
  readonly clock?: () => Promise<Clock>
  /**
   * Set where each answer of the server is waited for, and those of a transaction are remembered until a table that
   * they come from is changed: reads that will be needed are better begun together.
   */
  readonly remembers?: true
}

export interface Sql extends SqlReader {
  /** Key of caches of rows that transactions have seen; absent where a connection serves several projects. */
  readonly connection?: object
  /** Runs a statement and says how many rows it changed. */
  run(sql: string, values?: readonly SqlValue[]): Promise<number>
  /**
   * Runs a statement whose outcome nothing depends on. It may be sent later, together with the next one that is waited
   * for or with the commit; if it fails, the transaction does.
   */
  send(sql: string, values?: readonly SqlValue[]): Promise<void>
  /** The table `counter`, where the engine has it in memory while it holds the lock of the project. */
  readonly counters?: Counters
}

/** Numbers by their name, written with the commit. */
export interface Counters {
  get(name: string): Promise<number | undefined>
  set(name: string, value: number): Promise<void>
  /** Counts one further. */
  next<N extends number>(name: string): Promise<N | undefined>
  /** Whether an entity has this number, which is above all that the counter gave out. */
  isTaken(number: number): Promise<boolean>
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

/** The half-open range of ids that start with these hex digits: `g` sorts after every digit and hyphen. */
export function toIdRange(prefix: string): readonly [string, string] | undefined {
  const digits = prefix.replaceAll('-', '').toLowerCase()
  if (!/^[0-9a-f]{1,32}$/.test(digits)) return undefined
  const groups = /^(.{1,8})(.{0,4})(.{0,4})(.{0,4})(.{0,12})$/.exec(digits) ?? []
  const start = groups.slice(1).filter(Boolean).join('-')
  return [start, `${start}g`]
}
