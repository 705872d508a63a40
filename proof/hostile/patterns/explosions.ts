import { toTaken } from './characters.ts'
import { parsePattern } from './parse-pattern.ts'
import { toPositions } from './positions.ts'

/**
 * Whether some text makes the search for this expression try twice as much with each further character: that is so
 * if a loop can be gone through in two ways with the same characters.
 */
export function explodes({ source, flags }: RegExp): boolean {
  const { sets, next } = toPositions(parsePattern(source))
  const taken = toTaken(sets, flags)
  const size = sets.length
  const stepsFrom = (pair: number): number[] => {
    const steps: number[] = []
    for (const one of next[Math.floor(pair / size)]?.keys() ?? []) {
      for (const other of next[pair % size]?.keys() ?? []) {
        if (((taken[one] ?? 0n) & (taken[other] ?? 0n)) !== 0n) steps.push(one * size + other)
      }
    }
    return steps
  }
  // Two readers of the same text begin at one place, part, and meet there again.
  return sets.some((_, place) => {
    const start = place * size + place
    const ahead = reach([start], stepsFrom)
    if (!ahead.has(start)) return false
    const isDouble = [...(next[place] ?? [])].some(
      ([to, ways]) => ways > 1 && reach([to * size + to], stepsFrom).has(start),
    )
    return (
      isDouble ||
      [...ahead].some(
        (pair) =>
          Math.floor(pair / size) !== pair % size && reach([pair], stepsFrom, start).has(start),
      )
    )
  })
}

/** Everything that can be come to from the steps after these, until `goal` is found. */
export function reach(
  from: readonly number[],
  stepsFrom: (state: number) => readonly number[],
  goal?: number,
): Set<number> {
  const seen = new Set<number>()
  const waiting = from.flatMap(stepsFrom)
  for (let state = waiting.pop(); state !== undefined; state = waiting.pop()) {
    if (seen.has(state)) continue
    seen.add(state)
    if (state === goal) break
    waiting.push(...stepsFrom(state))
  }
  return seen
}
