import type { Sql, SqlReader } from '../core/store/sql.ts'

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

/** A number that was never used; when they are exhausted, the smallest free one. */
export async function nextEntityNumber(sql: Sql): Promise<number | undefined> {
  const row = await sql.get<{ value: number }>(
    "UPDATE counter SET value = value + 1 WHERE name = 'entity' RETURNING value",
  )
  if (row === undefined) return undefined
  if (row.value > LARGEST_NUMBER) return await smallestFree(sql)
  if (!(await isTaken(sql, row.value))) return row.value
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

/** An entity whose document claims another number than its present one. */
export interface NumberClaim {
  readonly id: string
  /** 0 when it says none that can be given. */
  readonly wanted: number
  /** The number that the entity had here before; 0 if it was not here. */
  readonly former: number
}

/** Claims that are settled after the whole merge. */
export interface NumberClaims {
  /** In the order in which they came. */
  all(): Promise<NumberClaim[]>
  /** A later claim of the same entity takes the place of an earlier one. */
  put(claim: NumberClaim): Promise<void>
  /** Removes and returns the claim of this entity, if any. */
  take(id: string): Promise<NumberClaim | undefined>
}

export function createNumberClaims(sql: Sql): NumberClaims {
  return {
    all: () =>
      sql.all<NumberClaim>(
        'SELECT entity_id AS id, wanted, former FROM number_claim ORDER BY number_claim.id',
      ),

    async put({ id, wanted, former }) {
      await sql.run(
        `INSERT INTO number_claim (entity_id, wanted, former) VALUES (?, ?, ?)
          ON CONFLICT (entity_id) DO UPDATE SET wanted = excluded.wanted`,
        [id, wanted, former],
      )
    },

    take: (id) =>
      sql.get<NumberClaim>(
        'DELETE FROM number_claim WHERE entity_id = ? RETURNING entity_id AS id, wanted, former',
        [id],
      ),
  }
}
