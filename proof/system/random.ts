/** Reproducible randomness: the same seed gives the same run. */
export interface Random {
  /** An integer from 0 up to, not including, `limit`. */
  below(limit: number): number
  pick<T>(items: readonly T[]): T
}

/** A small generator (mulberry32); good enough to choose test cases, and for nothing else. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  return { below, pick: (items) => items[below(items.length)] as (typeof items)[number] }
}
