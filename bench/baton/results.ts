import type { Contender } from './contenders.ts'
import type { MemoryGrowth } from './memory.ts'
import type { ColdStarts } from './server-process.ts'
import { toSpread } from './statistics.ts'
import type { Spread } from './statistics.ts'
import type { Sample } from './visit.ts'

/** Everything that was measured; lists are by round, and a round in which a contender failed is a hole. */
export interface Results {
  readonly rounds: number
  /** Samples by cell, for each round. */
  readonly calls: Map<Contender, (readonly Sample[])[]>
  readonly coldStarts: Map<Contender, ColdStarts[]>
  readonly growth: Map<Contender, MemoryGrowth>
  readonly sessionKb: Map<Contender, number>
  readonly failures: string[]
}

/** Divides what was measured by what the floor took in the same round. */
export function toRatios<T>(
  own: readonly T[],
  floor: readonly T[],
  read: (measured: T) => number,
): Spread {
  const ratios: number[] = []
  own.forEach((measured, round) => {
    const base = floor[round]
    if (base !== undefined) ratios.push(read(measured) / read(base))
  })
  return toSpread(ratios)
}
