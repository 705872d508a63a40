import { Failure } from '../error.ts'
import type { Sql, SqlReader, SqlValue } from './sql.ts'

/** Numbers that only grow. They live in rows, so a rolled back transaction gives its numbers back: no gaps. */
export interface Counters {
  next(name: 'entity' | 'event' | 'message'): Promise<number>
  /** The later of `wallClock` and the latest time handed out by any process: time that never runs backwards. */
  now(wallClock: number): Promise<number>
}

export function createCounters(sql: Sql): Counters {
  return {
    next: (name) =>
      value(sql, 'UPDATE counter SET value = value + 1 WHERE name = ? RETURNING value', [name]),

    now: (wallClock) =>
      value(
        sql,
        `UPDATE counter SET value = CASE WHEN value < ? THEN ? ELSE value END
          WHERE name = 'clock' RETURNING value`,
        [wallClock, wallClock],
      ),
  }
}

/** The same clock for those who only look: later than or equal to every time handed out so far. */
export async function readClock(sql: SqlReader, wallClock: number): Promise<number> {
  const row = await sql.get<{ value: number }>("SELECT value FROM counter WHERE name = 'clock'")
  return Math.max(row?.value ?? 0, wallClock)
}

async function value(sql: Sql, statement: string, values: readonly SqlValue[]): Promise<number> {
  const row = await sql.get<{ value: number }>(statement, values)
  if (row === undefined)
    throw new Failure('storage_corrupt', 'a counter is missing in the database')
  return row.value
}
