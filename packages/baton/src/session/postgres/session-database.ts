/** A PostgreSQL database, through the driver of the application. */
export interface SessionDatabase {
  /**
   * Runs one statement in a transaction of its own; resolves once it is durable. Integers come back as numbers. A
   * connection that was lost is replaced for the next statement.
   */
  query<Row extends object>(sql: string, values: readonly unknown[]): Promise<readonly Row[]>
  /** Wakes the watchers of the topic in other processes; may get lost, because the store polls too. */
  signal(topic: string): void
  /** Calls `wake` for signals of other processes; returns the function that stops it. */
  watch(topic: string, wake: () => void): () => void
}

/** Where the tables are, and which of their rows belong to the store. */
export interface SessionTables {
  readonly database: SessionDatabase
  /** The schema of the tables, which `sessionTables` creates. */
  readonly schema: string
  /** Stores of the same name share sessions. A session with one set of tools is none with another. */
  readonly endpoint: string
  /** Epoch milliseconds, for tests; the clock of the database when absent. */
  readonly now: (() => number) | undefined
}

/** The current time in a statement whose first parameter is `toTime`. */
export const CLOCK = `clock AS (
  SELECT coalesce($1::bigint, (extract(epoch FROM clock_timestamp()) * 1000)::bigint) AS now)`

/** The first parameter of statements with `CLOCK`: replicas have clocks of their own, the database has one. */
export function toTime({ now }: SessionTables): number | null {
  return now?.() ?? null
}

/** Milliseconds of a clock of this process that only measures spans. */
export function toSpan({ now }: SessionTables): number {
  return now?.() ?? performance.now()
}
