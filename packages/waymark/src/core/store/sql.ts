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
}

export interface Sql extends SqlReader {
  /** Runs a statement and says how many rows it changed. */
  run(sql: string, values?: readonly SqlValue[]): Promise<number>
}
