/** What a process can tell of the time. */
export interface Clock {
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

/** One moment on all clocks, which later readings are compared with. */
export interface Anchor extends Uptime {
  readonly wall: number
  /** The clock of the store. */
  readonly clock: number
}

interface ClockState {
  /** The latest time that was handed out; 0 for a new store. */
  readonly clock: number
  readonly anchor?: Anchor | undefined
}

interface Advance {
  readonly now: number
  /** How much of the way to `now` is a clock that was set, while no time has passed. */
  readonly skipped: number
  /** The machine was started since the last time: nothing but the wall clock tells for how long it was off. */
  readonly isRestart: boolean
  /** The moment to compare with from now on; absent when the last one is still good. */
  readonly anchor?: Anchor
}

/** Two clocks of one machine agree that well. Some systems count their uptime in whole seconds. */
export const CLOCK_TOLERANCE_MS = 2000

/** No store is left alone for longer, and no virtual machine is paused for longer. */
const LONGEST_AWAY_MS = 10 * 365.25 * 24 * 3_600_000

/** After so long the wall clock may have been slewed against the uptime by more than the tolerance. */
const ANCHOR_LIFETIME_MS = 600_000

/**
 * The time of a store that many processes write to. It never runs backwards and follows the wall clock, except where
 * the uptime shows that the wall clock was set: a step forward is followed too, but told as `skipped`, so that nothing
 * that was to last for a while ends by it; after a step back the time goes on at the pace of the uptime. A step that
 * no machine can have slept through is not followed at all.
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

/** Undefined when the machine was started since, or another one was. */
function elapsedSince(anchor: Anchor | undefined, { boot, ms }: Uptime): number | undefined {
  return anchor?.boot === boot && ms >= anchor.ms ? ms - anchor.ms : undefined
}

/** Both clocks have to agree that time has passed, unless the wall clock was set back and cannot tell. */
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
