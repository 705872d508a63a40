import type { Sql, SqlReader } from './sql.ts'

/** The largest number that an entity may have. */
export const LARGEST_NUMBER = 2 ** 31 - 1

/**
 * A number that is further than this above all others is left where it is: new entities do not go on from there.
 * Otherwise one entity from elsewhere could use up all numbers.
 */
const FURTHEST_STEP = 10_000

/** The counter, and what it leads to over numbers that are taken, in steps that are not too far. */
const CLIMB = `WITH RECURSIVE climb(n) AS (
    SELECT value FROM counter WHERE name = 'entity'
    UNION ALL
    SELECT (SELECT max(number) FROM entity WHERE number > n AND number <= n + ${FURTHEST_STEP})
      FROM climb WHERE n IS NOT NULL)
  SELECT max(n) FROM climb`

/** What the counter should say at least. It may say less only if the next number is free. */
export const COUNTED_NUMBER = `CASE WHEN EXISTS (SELECT 1 FROM entity
    WHERE number = 1 + coalesce((SELECT value FROM counter WHERE name = 'entity'), 0))
  THEN coalesce((${CLIMB}), (SELECT max(number) FROM entity WHERE number <= ${LARGEST_NUMBER}))
  ELSE 0 END`

/** A number that no entity has or had; when they have run out, the smallest that none has. */
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

/** Lets the counter go on behind the numbers that others have given. */
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

/** An entity whose document says another number than it goes by here. */
export interface NumberClaim {
  readonly id: string
  /** 0 when it says none that can be given. */
  readonly wanted: number
  /** The number that the entity had here before; 0 if it was not here. */
  readonly former: number
}

/** Claims that wait until everything that arrived with them is here. */
export interface NumberClaims {
  /** In the order in which they came. */
  all(): Promise<NumberClaim[]>
  /** A later claim of the same entity takes the place of an earlier one. */
  put(claim: NumberClaim): Promise<void>
  /** Forgets and answers the claim of this entity, if it has one. */
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
