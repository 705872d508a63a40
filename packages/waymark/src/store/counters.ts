import { Failure } from '../error.ts'
import { nextEntityNumber } from './entity-numbers.ts'
import type { Sql, SqlReader, SqlValue } from './sql.ts'

/** Numbers that only grow. They live in rows, so a rolled back transaction gives its numbers back: no gaps. */
export interface Counters {
  next(name: 'entity' | 'event' | 'message'): Promise<number>
  /** The later of `wallClock` and the latest time handed out by any process: time that never runs backwards. */
  now(wallClock: number): Promise<number>
}

export function createCounters(sql: Sql): Counters {
  return {
    next: async (name) =>
      name === 'entity'
        ? ((await nextEntityNumber(sql)) ?? missing())
        : await value(sql, 'UPDATE counter SET value = value + 1 WHERE name = ? RETURNING value', [
            name,
          ]),

    async now(wallClock) {
      const isLater = await sql.run(
        "UPDATE counter SET value = ? WHERE name = 'clock' AND value <= ?",
        [wallClock, wallClock],
      )
      return isLater > 0 ? wallClock : await goOn(sql, wallClock)
    },
  }
}

/** The same clock for those who only look: later than or equal to every time handed out so far. */
export async function readClock(sql: SqlReader, wallClock: number): Promise<number> {
  return (await read(sql, wallClock)).now
}

/** Where the clock stood, and what the wall clock of that moment said, when that was behind it. */
interface Reading {
  readonly now: number
  readonly wall: number
}

async function read(sql: SqlReader, wallClock: number): Promise<Reading> {
  const rows = await sql.all<{ name: string; value: number }>(
    "SELECT name, value FROM counter WHERE name IN ('clock', 'late_clock', 'late_wall')",
  )
  const values = new Map(rows.map(({ name, value }) => [name, value]))
  const clock = values.get('clock') ?? 0
  if (wallClock >= clock) return { now: wallClock, wall: wallClock }
  // Only of use if the clock has not moved since by itself.
  const lastWall = values.get('late_clock') === clock ? values.get('late_wall') : undefined
  if (lastWall === undefined || wallClock <= lastWall)
    return { now: clock, wall: lastWall ?? wallClock }
  return { now: clock + (wallClock - lastWall), wall: wallClock }
}

/**
 * Somebody's clock was ahead, and now this one is behind the time that was handed out then. That time cannot be taken
 * back, but from there it goes on at the pace of the clock that is behind: if it stood still until that one has caught
 * up, no lease would end. Of several clocks only the latest counts, so that they do not push it ahead together.
 */
async function goOn(sql: Sql, wallClock: number): Promise<number> {
  const { now, wall } = await read(sql, wallClock)
  await value(sql, "UPDATE counter SET value = ? WHERE name = 'clock' RETURNING value", [now])
  for (const [name, latest] of [
    ['late_clock', now],
    ['late_wall', wall],
  ] as const) {
    await sql.run(
      `INSERT INTO counter (name, value) VALUES (?, ?)
        ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      [name, latest],
    )
  }
  return now
}

async function value(sql: Sql, statement: string, values: readonly SqlValue[]): Promise<number> {
  const row = await sql.get<{ value: number }>(statement, values)
  return row === undefined ? missing() : row.value
}

function missing(): never {
  throw new Failure('storage_corrupt', 'a counter is missing in the database')
}
