import { parsePattern } from './parse-pattern.ts'
import { type Positions, toPositions } from './positions.ts'

/**
 * Whether some text makes the search for this expression try twice as much with each further character: that is so
 * if a loop can be gone through in two ways with the same characters.
 */
export function explodes({ source, flags }: RegExp): boolean {
  const { node, asides } = parsePattern(source)
  return [node, ...asides].some((each) => isAmbiguous(toPositions(each), flags))
}

function isAmbiguous({ sets, next }: Positions, flags: string): boolean {
  const characters = sampleOf(sets)
  const takes = sets.map((set) => {
    const expression = new RegExp(`^${set}$`, flags.replaceAll(/[gy]/g, ''))
    return new Set(characters.filter((character) => expression.test(character)))
  })
  const size = sets.length
  const stepsFrom = (pair: number): number[] => {
    const steps: number[] = []
    for (const one of next[Math.floor(pair / size)]?.keys() ?? []) {
      for (const other of next[pair % size]?.keys() ?? []) {
        if (share(takes[one], takes[other])) steps.push(one * size + other)
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
function reach(
  from: readonly number[],
  stepsFrom: (pair: number) => readonly number[],
  goal?: number,
): Set<number> {
  const seen = new Set<number>()
  const waiting = from.flatMap(stepsFrom)
  for (let pair = waiting.pop(); pair !== undefined; pair = waiting.pop()) {
    if (seen.has(pair)) continue
    seen.add(pair)
    if (pair === goal) break
    waiting.push(...stepsFrom(pair))
  }
  return seen
}

/** At least one character of every kind that these sets tell apart. */
function sampleOf(sets: readonly string[]): string[] {
  const named = sets.flatMap((set) => Array.from(set))
  const beside = named.flatMap((one) => {
    const code = one.codePointAt(0) ?? 0
    return [code - 1, code + 1].filter((each) => each > 0).map((each) => String.fromCodePoint(each))
  })
  const usual = Array.from('aZ09_ -.:/\t\n\r"\'\u0001\u00A0\u00E9\u4E2D')
  return [...new Set([...named, ...beside, ...usual])]
}

function share(one: ReadonlySet<string> | undefined, other: ReadonlySet<string> | undefined) {
  if (one === undefined || other === undefined) return false
  for (const character of one) if (other.has(character)) return true
  return false
}
