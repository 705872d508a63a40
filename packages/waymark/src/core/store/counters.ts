import { Failure } from '../error.ts'
import type { Sql, SqlReader } from './sql.ts'

/** The largest number that an entity may have. */
export const LARGEST_NUMBER = 2 ** 31 - 1

/**
 * The counter does not follow a number that is further than this above all others, or one remote entity could exhaust
 * the numbers.
 */
const FURTHEST_STEP = 10_000

/** The counter, advanced over used numbers without large gaps. */
const CLIMB = `WITH RECURSIVE climb(n) AS (
    SELECT value FROM counter WHERE name = 'entity'
    UNION ALL
    SELECT (SELECT max(number) FROM entity WHERE number > n AND number <= n + ${FURTHEST_STEP})
      FROM climb WHERE n IS NOT NULL)
  SELECT max(n) FROM climb`

/** The minimum value of the counter. It may be lower only if the next number is free. */
export const COUNTED_NUMBER = `CASE WHEN EXISTS (SELECT 1 FROM entity
    WHERE number = 1 + coalesce((SELECT value FROM counter WHERE name = 'entity'), 0))
  THEN coalesce((${CLIMB}), (SELECT max(number) FROM entity WHERE number <= ${LARGEST_NUMBER}))
  ELSE 0 END`

/** The next number of a counter. It is stored in a row, so a rolled back transaction gives its numbers back: no gaps. */
export async function nextNumber<N extends number = number>(
  sql: Sql,
  name: 'entity' | 'event' | 'message' | 'document',
): Promise<N> {
  const number = await (sql.counters?.next<N>(name) ?? countInTable<N>(sql, name))
  if (number !== undefined) return number
  throw new Failure('storage_corrupt', 'a counter is missing in the database')
}

async function countInTable<N extends number>(sql: Sql, name: string): Promise<N | undefined> {
  const row = await sql.get<{ value: N }>(
    'UPDATE counter SET value = value + 1 WHERE name = ? RETURNING value',
    [name],
  )
  return row?.value
}

/** A number that no entity ever had; when they are exhausted, the smallest free one. */
export async function nextEntityNumber(sql: Sql): Promise<number> {
  const number = await nextNumber(sql, 'entity')
  if (number > LARGEST_NUMBER) return await smallestFree(sql)
  if (!(await (sql.counters?.isTaken(number) ?? isTaken(sql, number)))) return number
  await raiseCounter(sql)
  return await nextEntityNumber(sql)
}

/** Keeps the next number free after an entity got this one by merging. */
export async function skipNumber(sql: Sql, number: number): Promise<void> {
  const isNext = await sql.run(
    "UPDATE counter SET value = ? WHERE name = 'entity' AND value = ? - 1",
    [number, number],
  )
  if (isNext > 0) await raiseCounter(sql)
}

/** Advances the counter past the numbers of received entities. */
export async function raiseCounter(sql: Sql): Promise<void> {
  await sql.run(`UPDATE counter SET value = max(value, (${CLIMB})) WHERE name = 'entity'`)
}

async function isTaken(sql: SqlReader, number: number): Promise<boolean> {
  return (await sql.get('SELECT 1 FROM entity WHERE number = ?', [number])) !== undefined
}

async function smallestFree(sql: SqlReader): Promise<number> {
  if (!(await isTaken(sql, 1))) return 1
  const row = await sql.get<{ number: number }>(
    `SELECT min(number) + 1 AS number FROM entity AS e
      WHERE number > 0 AND NOT EXISTS (SELECT 1 FROM entity WHERE number = e.number + 1)`,
  )
  return row?.number ?? 1
}

/** Records, in the transaction of a purge, that a vacuum is due. */
export async function requestVacuum(sql: Sql): Promise<void> {
  await sql.run(
    `INSERT INTO counter (name, value) VALUES ('unswept', 1)
      ON CONFLICT (name) DO UPDATE SET value = counter.value + 1`,
  )
}

/** How many purges still have bytes in the files. */
export function countUnswept(sql: SqlReader & Pick<Sql, 'counters'>): Promise<number> {
  return readCounter(sql, 'unswept')
}

/** What a counter has come to; 0 for one that has not begun. */
export async function readCounter(
  sql: SqlReader & Pick<Sql, 'counters'>,
  name: 'unswept' | 'word_deletions',
): Promise<number> {
  if (sql.counters !== undefined) return (await sql.counters.get(name)) ?? 0
  const row = await sql.get<{ value: number }>('SELECT value FROM counter WHERE name = ?', [name])
  return row?.value ?? 0
}
