/** A document that matches, and how well its words do. */
export interface Candidate {
  readonly id: number
  readonly type: string
  readonly status: string | null
  /** Milliseconds since 1970. */
  readonly updatedAt: number
  /** Above 0, higher is better; comparable within one search. */
  readonly score: number
}

/** What a match is worth beside its words: a decision in force tells more than a link or an old message. */
const TYPE_WEIGHTS: Readonly<Record<string, number>> = {
  decision: 1.25,
  component: 1.1,
  annotation: 1.1,
  note: 1,
  task: 1,
  prompt: 0.9,
  link: 0.9,
  message: 0.8,
}

/** What no longer holds, or is over, comes after what does. */
const STATUS_WEIGHTS: Readonly<Record<string, number>> = {
  superseded: 0.6,
  deprecated: 0.7,
  cancelled: 0.7,
  done: 0.85,
}

const MOST_RECENT_WEIGHT = 1.5
const HALF_LIFE_MS = 30 * 86_400_000

/** The worth of a match: its words, times what it is, times how fresh it is. */
function worth({ type, status, updatedAt, score }: Candidate, now: number): number {
  const age = Math.max(0, now - updatedAt)
  const recency = 1 + (MOST_RECENT_WEIGHT - 1) * 0.5 ** (age / HALF_LIFE_MS)
  return score * (TYPE_WEIGHTS[type] ?? 1) * (STATUS_WEIGHTS[status ?? ''] ?? 1) * recency
}

/** Candidates by worth, best first; the newer one wins a tie. Never mixes what `tiers` keeps apart. */
export function rank<C extends Candidate>(tiers: readonly (readonly C[])[], now: number): C[] {
  const seen = new Set<number>()
  return tiers.flatMap((tier) => {
    const fresh = tier.filter(({ id }) => !seen.has(id))
    for (const { id } of fresh) seen.add(id)
    const valued = fresh.map((candidate) => ({ candidate, value: worth(candidate, now) }))
    valued.sort((a, b) => b.value - a.value || b.candidate.id - a.candidate.id)
    return valued.map(({ candidate }) => candidate)
  })
}

const RRF_CONSTANT = 60

/**
 * Reciprocal rank fusion: one order out of several whose scores cannot be compared. What stands high in more than
 * one list wins.
 */
export function fuse<Key>(rankings: readonly (readonly Key[])[]): Map<Key, number> {
  const scores = new Map<Key, number>()
  for (const ranking of rankings) {
    for (const [position, key] of ranking.entries()) {
      scores.set(key, (scores.get(key) ?? 0) + 1 / (RRF_CONSTANT + position + 1))
    }
  }
  return new Map([...scores].toSorted(([, a], [, b]) => b - a))
}
