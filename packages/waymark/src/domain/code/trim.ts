import { estimateTokens } from './token-estimate.ts'

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
 * the last ones go first, and what is left is shortened. The best one always stays.
 */
export function trimToBudget<R extends Trimmable>(
  regions: readonly R[],
  budget: number,
  frame: number,
): TrimResult<R> {
  const costs = regions.map(costOf)
  let total = frame + sum(costs)
  if (total <= budget) return { regions }
  let kept = regions.length
  while (total > budget && kept > 1) {
    kept -= 1
    total -= costs[kept] ?? 0
  }
  const shortened = shorten(regions.slice(0, kept), budget - frame)
  return {
    regions: shortened,
    trimmed: {
      original_regions: regions.length,
      returned_regions: shortened.length,
      dropped_commits: [...new Set(regions.slice(kept).map(({ commit }) => commit))],
      strategy: 'lowest_ranked_first',
      estimated_tokens: frame + sum(shortened.map(costOf)),
    },
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

function costOf(region: unknown): number {
  return estimateTokens(JSON.stringify(region)) + 1
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
