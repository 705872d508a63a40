import { advance, type Anchor, type Clock, CLOCK_TOLERANCE_MS, type Uptime } from './clock.ts'
import { Failure } from '../error.ts'
import type { Sql, SqlReader } from '../store/sql.ts'
import { keepAnswers, moveTimes } from './kept-times.ts'

/** Reading two clocks takes less than this. */
const PROMPT_MS = 100
const ATTEMPTS = 3

/** The time of a transaction, never before that of an earlier one. */
export async function tellTime(sql: Sql, given: Clock): Promise<number> {
  const clock = await clockOf(sql, given)
  const wall = clock.now()
  // Fast path: the last transaction was a moment ago and the wall clock agrees with it.
  if (await advanceTo(sql, wall)) return wall
  const state = await readState(sql)
  const { now, skipped, isRestart, anchor } = advance(state, readClocks(clock))
  await keep(sql, { clock: now, ...(anchor !== undefined && toCounters(anchor)) })
  if (skipped > 0) await moveTimes(sql, { from: now - skipped, by: skipped })
  if (isRestart) await keepAnswers(sql, { before: state.clock, now })
  return now
}

async function advanceTo(sql: Sql, wall: number): Promise<boolean> {
  const { counters } = sql
  const earliest = wall - CLOCK_TOLERANCE_MS
  if (counters === undefined) {
    const advanced = await sql.run(
      `UPDATE counter SET value = ? WHERE name = 'clock' AND value BETWEEN ? AND ?`,
      [wall, earliest, wall],
    )
    return advanced > 0
  }
  const last = await counters.get('clock')
  if (last === undefined || last < earliest || last > wall) return false
  await counters.set('clock', wall)
  return true
}

/**
 * The same for a reader, which cannot move leases along: after a step of the wall clock it advances without the step
 * until the next write.
 */
export async function readTime(sql: SqlReader, clock: Clock): Promise<number> {
  const { now, skipped } = advance(await readState(sql), readClocks(await clockOf(sql, clock)))
  return now - skipped
}

/** By how much the time of the store is ahead of the wall clock; negative when it is behind. */
export async function readLead(sql: SqlReader, clock: Clock): Promise<number> {
  return (await readTime(sql, clock)) - (await clockOf(sql, clock)).now()
}

/** Makes the time of the store that of the wall clock, backwards if need be. */
export async function setTime(sql: Sql, clock: Clock): Promise<void> {
  const { wall: now, uptime } = readClocks(clock)
  const before = await readTime(sql, clock)
  const anchor = uptime === undefined ? {} : toCounters({ ...uptime, wall: now, clock: now })
  await keep(sql, { clock: now, ...anchor })
  await moveTimes(sql, { from: before, by: now - before })
}

/** That of the engine, if it has one, unless the caller's is fixed. */
async function clockOf({ clock }: SqlReader, given: Clock): Promise<Clock> {
  return given.isFixed === true || clock === undefined ? given : await clock()
}

/** Reads both at one moment; the process may be suspended between the two calls. */
function readClocks(clock: Clock): { readonly wall: number; readonly uptime: Uptime | undefined } {
  for (let attempt = 1; ; attempt += 1) {
    const wall = clock.now()
    const uptime = clock.uptime?.()
    if (clock.now() - wall < PROMPT_MS || attempt === ATTEMPTS) return { wall, uptime }
  }
}

const ANCHOR_NAMES = {
  boot: 'clock_boot',
  ms: 'clock_uptime',
  wall: 'clock_wall',
  clock: 'clock_anchor',
} as const satisfies Record<keyof Anchor, string>

function toCounters(anchor: Anchor): Record<string, number> {
  return {
    [ANCHOR_NAMES.boot]: anchor.boot,
    [ANCHOR_NAMES.ms]: anchor.ms,
    [ANCHOR_NAMES.wall]: anchor.wall,
    [ANCHOR_NAMES.clock]: anchor.clock,
  }
}

async function readState(sql: SqlReader): Promise<{ clock: number; anchor: Anchor | undefined }> {
  const rows = await sql.all<{ name: string; value: number }>(
    "SELECT name, value FROM counter WHERE name BETWEEN 'clock' AND 'clock_wall'",
  )
  const values = new Map(rows.map(({ name, value }) => [name, value]))
  const clock = values.get('clock')
  if (clock === undefined) {
    throw new Failure('storage_corrupt', 'a counter is missing in the database')
  }
  const [boot, ms, wall, anchored] = [
    values.get(ANCHOR_NAMES.boot),
    values.get(ANCHOR_NAMES.ms),
    values.get(ANCHOR_NAMES.wall),
    values.get(ANCHOR_NAMES.clock),
  ]
  const isAnchored =
    boot !== undefined && ms !== undefined && wall !== undefined && anchored !== undefined
  return { clock, anchor: isAnchored ? { boot, ms, wall, clock: anchored } : undefined }
}

async function keep(sql: Sql, values: Readonly<Record<string, number>>): Promise<void> {
  const rows = Object.entries(values)
  await sql.run(
    `INSERT INTO counter (name, value) VALUES ${rows.map(() => '(?, ?)').join(', ')}
      ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    rows.flat(),
  )
}
