/** The clocks that a process can read. */
export interface Clock {
  /** The time is the caller's own, as in tests, and that of an engine does not replace it. */
  readonly isFixed?: boolean
  /** The wall clock, in milliseconds since 1970. */
  now(): number
  /** How long the machine has been running, where that is known. Setting the wall clock does not change it. */
  uptime?(): Uptime | undefined
}

export interface Uptime {
  /** Another one after each start of the machine. */
  readonly boot: number
  /** In milliseconds, including the time that the machine was asleep. */
  readonly ms: number
}

/** A reading of all clocks that later readings are compared with. */
export interface Anchor extends Uptime {
  readonly wall: number
  /** The clock of the store. */
  readonly clock: number
}

interface ClockState {
  /** The latest time that a transaction was given; 0 in a new store. */
  readonly clock: number
  readonly anchor?: Anchor | undefined
}

interface Advance {
  readonly now: number
  /** The part of the advance that is a step of the wall clock and not elapsed time. */
  readonly skipped: number
  /** The machine was restarted since the anchor: how long it was off is known from the wall clock alone. */
  readonly isRestart: boolean
  /** Replaces the anchor; absent while the current one is good. */
  readonly anchor?: Anchor
}

/** Largest difference between two clocks that agree; some systems count uptime in whole seconds. */
export const CLOCK_TOLERANCE_MS = 2000

/** A store is not idle, and a virtual machine not paused, for longer than this. */
const LONGEST_AWAY_MS = 10 * 365.25 * 24 * 3_600_000

/** A time server may slew the wall clock by more than the tolerance in more than this. */
const ANCHOR_LIFETIME_MS = 600_000

/**
 * Advances the clock of a store that many processes write to. It is monotonic and follows the wall clock. The uptime
 * tells elapsed time from a wall clock that was set: a step forward is followed and reported as `skipped`, so that
 * leases and other durations can be moved along; after a step back the clock advances with the uptime. A step of more
 * than ten years is not followed.
 */
export function advance(
  { clock, anchor }: ClockState,
  { wall, uptime }: { readonly wall: number; readonly uptime: Uptime | undefined },
): Advance {
  if (uptime === undefined) return { now: Math.max(clock, wall), skipped: 0, isRestart: false }
  const elapsed = elapsedSince(anchor, uptime)
  const expected = Math.max(clock, (anchor?.clock ?? 0) + passedSince(anchor, wall, elapsed))
  const next = isGood(anchor, wall, elapsed) ? undefined : { ...uptime, wall }
  const to = (now: number, skipped = 0): Advance => ({
    now,
    skipped,
    isRestart: anchor !== undefined && elapsed === undefined && uptime.ms < wall - anchor.wall,
    ...(next !== undefined && { anchor: { ...next, clock: now } }),
  })
  const isAbsurd = clock > 0 && Math.max(wall, expected) - clock > LONGEST_AWAY_MS
  if (isAbsurd) return to(elapsed === undefined ? clock : expected)
  const step = wall - expected
  const isSet = elapsed !== undefined && step > CLOCK_TOLERANCE_MS
  return to(Math.max(expected, wall), isSet ? step : 0)
}

/** Undefined after a restart, and on another machine. */
function elapsedSince(anchor: Anchor | undefined, { boot, ms }: Uptime): number | undefined {
  return anchor?.boot === boot && ms >= anchor.ms ? ms - anchor.ms : undefined
}

/** The smaller of what both clocks say, unless the wall clock was set back and says nothing. */
function passedSince(anchor: Anchor | undefined, wall: number, elapsed?: number): number {
  if (anchor === undefined) return 0
  const onWall = wall - anchor.wall
  if (elapsed === undefined) return Math.max(0, onWall)
  return onWall < 0 ? elapsed : Math.min(onWall, elapsed)
}

function isGood(anchor: Anchor | undefined, wall: number, elapsed: number | undefined): boolean {
  if (anchor === undefined || elapsed === undefined || elapsed > ANCHOR_LIFETIME_MS) return false
  return Math.abs(wall - anchor.wall - elapsed) <= CLOCK_TOLERANCE_MS
}
