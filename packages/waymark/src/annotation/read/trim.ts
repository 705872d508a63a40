import { estimateTokens } from '../../support/text/token-estimate.ts'

/** The parts of an annotation that can go when there is too much. Intent and constraints never do. */
export interface Trimmable {
  readonly commit: string
  readonly reasoning?: string | undefined
  readonly risk_notes?: string | undefined
  readonly related?: readonly unknown[] | undefined
  readonly tags?: readonly unknown[] | undefined
  readonly corrections?: readonly unknown[] | undefined
  readonly semantic_dependencies?: readonly unknown[] | undefined
  readonly confidence_factors?: unknown
}

interface Trimmed {
  readonly original_regions: number
  readonly returned_regions: number
  /** As many as a tenth of the budget has room for. */
  readonly dropped_commits: readonly string[]
  readonly strategy: 'lowest_ranked_first'
  readonly estimated_tokens: number
}

export interface TrimResult<R> {
  readonly regions: readonly R[]
  /** Undefined when everything fits. */
  readonly trimmed?: Trimmed
}

type Cut = (region: Trimmable) => Trimmable

/** In the order in which they are tried, from what is missed least. */
const CUTS: readonly Cut[] = [
  (region) => without(region, 'confidence_factors'),
  (region) => without(region, 'related'),
  (region) => ({ ...region, reasoning: firstSentence(region.reasoning) }),
  (region) => without(region, 'reasoning'),
  (region) => ({ ...region, risk_notes: firstSentence(region.risk_notes) }),
  (region) => without(region, 'risk_notes'),
  (region) => without(region, 'tags'),
  (region) => without(region, 'semantic_dependencies'),
  (region) => without(region, 'corrections'),
]

/**
 * Makes an answer fit into `budget` tokens, of which `frame` are needed for the rest of it. Regions come best first;
 * the last ones go first, and what is left is shortened. The best one always stays. What is said of it counts too.
 */
export function trimToBudget<R extends Trimmable>(
  regions: readonly R[],
  budget: number,
  frame: number,
): TrimResult<R> {
  const costs = regions.map(costOf)
  if (frame + sum(costs) <= budget) return { regions }
  const restOf = (kept: number) => frame + costOf({ trimmed: reportOf(regions, kept, budget) })
  let kept = regions.length
  while (kept > 1 && restOf(kept) + sum(costs.slice(0, kept)) > budget) kept -= 1
  const shortened = shorten(regions.slice(0, kept), budget - restOf(kept))
  const estimated_tokens = restOf(kept) + sum(shortened.map(costOf))
  return {
    regions: shortened,
    trimmed: { ...reportOf(regions, kept, budget), estimated_tokens },
  }
}

function reportOf(regions: readonly Trimmable[], kept: number, budget: number): Trimmed {
  const dropped = [...new Set(regions.slice(kept).map(({ commit }) => commit))]
  const room = Math.max(1, Math.floor(budget / 10 / costOf(dropped[0] ?? '')))
  return {
    original_regions: regions.length,
    returned_regions: kept,
    dropped_commits: dropped.slice(0, room),
    strategy: 'lowest_ranked_first',
    estimated_tokens: budget,
  }
}

function shorten<R extends Trimmable>(regions: readonly R[], available: number): readonly R[] {
  let shortened = regions
  for (const cut of CUTS) {
    if (sum(shortened.map(costOf)) <= available) break
    // A cut leaves out optional fields, and a region without them is still a region.
    shortened = shortened.map((region) => cut(region) as R)
  }
  return shortened
}

function without(region: Trimmable, field: keyof Trimmable): Trimmable {
  const { [field]: _gone, ...rest } = region
  return rest as Trimmable
}

function firstSentence(text: string | undefined): string | undefined {
  return text === undefined ? undefined : (/^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text)
}

function costOf(value: unknown): number {
  return estimateTokens(JSON.stringify(value)) + 1
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
