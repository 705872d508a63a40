import { latestAt } from './latest-at.ts'

/** From a tick on, a beat lasts so long. */
export interface TempoChange {
  readonly tick: number
  readonly microsecondsPerBeat: number
}

const MICROSECONDS_PER_MINUTE = 60_000_000
const DEFAULT_BEAT = 500_000

/** Turns the ticks of a file whose tempo changes into beats at its first tempo, so that the rest need not care. */
export function createTempoMap(
  changes: readonly TempoChange[],
  ticksPerBeat: number,
): { readonly tempo: number; readonly toBeats: (tick: number) => number } {
  const sorted = changes
    .filter(({ microsecondsPerBeat }) => microsecondsPerBeat > 0)
    .toSorted((one, other) => one.tick - other.tick)
  const first = sorted.find(({ tick }) => tick === 0)?.microsecondsPerBeat ?? DEFAULT_BEAT
  // Where each tempo begins, in microseconds, so that a tick costs one search and not a walk.
  const beginning = { tick: 0, microsecondsPerBeat: first, begins: 0 }
  const sections = [beginning]
  for (const change of sorted) {
    const last = sections.at(-1)
    if (last === undefined) continue
    const begins =
      last.begins + ((change.tick - last.tick) / ticksPerBeat) * last.microsecondsPerBeat
    sections.push({ ...change, begins })
  }
  return {
    // Files keep whole microseconds, finer than any audible difference.
    tempo: Math.round((MICROSECONDS_PER_MINUTE / first) * 1000) / 1000,
    toBeats(tick) {
      const { tick: from, microsecondsPerBeat, begins } = latestAt(sections, tick) ?? beginning
      return (begins + ((tick - from) / ticksPerBeat) * microsecondsPerBeat) / first
    },
  }
}
