/** The middle and the two quartiles of some values. */
export interface Spread {
  readonly median: number
  readonly low: number
  readonly high: number
}

export function toSpread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (part: number): number => {
    const position = (sorted.length - 1) * part
    const below = sorted[Math.floor(position)] ?? Number.NaN
    const above = sorted[Math.ceil(position)] ?? Number.NaN
    return below + (above - below) * (position % 1)
  }
  return { median: at(0.5), low: at(0.25), high: at(0.75) }
}

export function median(values: readonly number[]): number {
  return toSpread(values).median
}

/** Shuffles, so that no contender is always measured after the same one. */
export function shuffled<T>(values: readonly T[]): T[] {
  const rest = [...values]
  const mixed: T[] = []
  while (rest.length > 0) mixed.push(...rest.splice(Math.floor(Math.random() * rest.length), 1))
  return mixed
}
