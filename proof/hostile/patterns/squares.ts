import { toTaken } from './characters.ts'
import { reach } from './explosions.ts'
import { parsePattern } from './parse-pattern.ts'
import { type Positions, toPositions } from './positions.ts'
import { toSearch } from './search.ts'

/** What is repeated up to so often takes that much longer, but no longer for a longer text. */
const BOUNDED = 256

/**
 * Whether some text makes the search for this expression take time that grows with the square of its length or
 * faster: that is so if the same characters keep a reader in one loop, lead from there into a second loop, and keep
 * it in that. A search that may begin anywhere is itself a loop around the beginning.
 */
export function isSuperLinear({ source, flags }: RegExp): boolean {
  const positions = toPositions(toSearch(parsePattern(source), flags), BOUNDED)
  const { sets, next, ends } = positions
  const taken = toTaken(sets, flags)
  const size = sets.length
  // Where everything has matched already, nothing is tried again: such a place keeps nobody in a loop.
  const isOpen = (place: number): boolean => !ends.has(place)
  const after = sets.map((_, place) => reach([place], (from) => [...(next[from]?.keys() ?? [])]))
  const around = sets.map((_, place) =>
    reach([place], (from) => [...(next[from]?.keys() ?? [])].filter(isOpen)),
  )
  const looping = [...sets.keys()].filter((place) => around[place]?.has(place) === true)
  return looping.some((one) =>
    looping.some(
      (other) =>
        one !== other &&
        after[one]?.has(other) === true &&
        leads({ one, other, size }, { next, taken, after, around }),
    ),
  )
}

interface Loops {
  readonly one: number
  readonly other: number
  readonly size: number
}

interface Ways {
  readonly next: Positions['next']
  readonly taken: readonly bigint[]
  /** By place: what can be come to from it; and without coming to an end on the way. */
  readonly after: readonly ReadonlySet<number>[]
  readonly around: readonly ReadonlySet<number>[]
}

/** Three readers of one text: one stays in the first loop, one goes from the first to the second, one stays there. */
function leads({ one, other, size }: Loops, { next, taken, after, around }: Ways): boolean {
  const stepsFrom = (state: number): number[] => {
    const steps: number[] = []
    const staying = next[Math.floor(state / size / size)]?.keys() ?? []
    for (const first of staying) {
      if (around[one]?.has(first) !== true || around[first]?.has(one) !== true) continue
      for (const moving of next[Math.floor(state / size) % size]?.keys() ?? []) {
        const both = (taken[first] ?? 0n) & (taken[moving] ?? 0n)
        if (both === 0n || (moving !== other && after[moving]?.has(other) !== true)) continue
        for (const last of next[state % size]?.keys() ?? []) {
          if (around[other]?.has(last) !== true || around[last]?.has(other) !== true) continue
          if ((both & (taken[last] ?? 0n)) === 0n) continue
          steps.push((first * size + moving) * size + last)
        }
      }
    }
    return steps
  }
  const goal = (one * size + other) * size + other
  return reach([(one * size + one) * size + other], stepsFrom, goal).has(goal)
}
