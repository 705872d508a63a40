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

/** What no longer holds, or is over, comes after what does, where both match alike. */
const STATUS_WEIGHTS: Readonly<Record<string, number>> = {
  superseded: 0.9,
  deprecated: 0.9,
  cancelled: 0.95,
}

/** Too small to lift anything over a clearly better match. */
const PRIORS = { recency: 0.02, halfLifeMs: 30 * 86_400_000 }

/** The worth of a match: its words, times whether it holds, times how fresh it is. */
function worth({ status, updatedAt, score }: Candidate, now: number): number {
  const age = Math.max(0, now - updatedAt)
  const recency = 1 + PRIORS.recency * 0.5 ** (age / PRIORS.halfLifeMs)
  return score * (STATUS_WEIGHTS[status ?? ''] ?? 1) * recency
}

/** Candidates by worth, best first; the newer one wins a tie. */
export function rank<C extends Candidate>(candidates: readonly C[], now: number): C[] {
  return candidates
    .map((candidate) => ({ ...candidate, score: worth(candidate, now) }))
    .toSorted((a, b) => b.score - a.score || b.id - a.id)
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
