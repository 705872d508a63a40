import type { ContextLevel, Correction, ProvenanceOperation } from './record.ts'

/** How likely an annotation is still true of the requested code. */
export interface ConfidenceFactors {
  readonly recency: number
  readonly context_level: number
  readonly anchor_match: number
  readonly provenance: number
  /** What all of that is multiplied by: 1 if the code is unchanged, less the fewer of its lines are left. */
  readonly evidence: number
}

/** How an annotated region was matched with today's code. */
export const ANCHOR_FITS = ['same', 'signature_changed', 'overlap', 'name_gone'] as const
export type AnchorFit = (typeof ANCHOR_FITS)[number]

export interface ConfidenceInput {
  /** From the annotated commit to HEAD, not to now: annotations of an inactive project do not grow stale. */
  readonly ageMs: number
  readonly contextLevel: ContextLevel
  readonly fit: AnchorFit
  readonly operation: ProvenanceOperation
  readonly corrections: readonly Correction[]
  /** From 0 to 1: how much of the annotated code is left. */
  readonly trust: number
  /** The requested field, if any: a removed value only counts for its own field. */
  readonly field?: string
}

export interface ConfidenceRules {
  readonly halfLifeDays: number
  readonly correctionPenalty: number
  readonly confidenceFloor: number
}

const WEIGHTS = { recency: 0.4, context_level: 0.3, anchor_match: 0.2, provenance: 0.1 } as const
const CONTEXT: Readonly<Record<ContextLevel, number>> = { enhanced: 1, inferred: 0.5 }
const FIT: Readonly<Record<AnchorFit, number>> = {
  same: 1,
  signature_changed: 0.7,
  overlap: 0.4,
  name_gone: 0.3,
}
const PROVENANCE: Readonly<Record<ProvenanceOperation, number>> = {
  initial: 1,
  amend: 0.8,
  rebase: 0.8,
  cherry_pick: 0.8,
  squash: 0.7,
}
const DAY = 24 * 60 * 60 * 1000

export function confidenceOf(
  input: ConfidenceInput,
  rules: ConfidenceRules,
): { readonly confidence: number; readonly factors: ConfidenceFactors } {
  const factors: ConfidenceFactors = {
    recency: round(0.5 ** (Math.max(0, input.ageMs) / DAY / rules.halfLifeDays)),
    context_level: CONTEXT[input.contextLevel],
    anchor_match: FIT[input.fit],
    provenance: PROVENANCE[input.operation],
    evidence: round(input.trust),
  }
  const weighted =
    input.trust *
    (WEIGHTS.recency * factors.recency +
      WEIGHTS.context_level * factors.context_level +
      WEIGHTS.anchor_match * factors.anchor_match +
      WEIGHTS.provenance * factors.provenance)
  const doubts = input.corrections.filter((correction) => isDoubt(correction, input.field)).length
  const corrected =
    doubts === 0
      ? weighted
      : Math.max(rules.confidenceFloor, weighted - rules.correctionPenalty * doubts)
  return { confidence: round(corrected), factors }
}

/** A flag lowers the whole region, a removed value only its own field; an amended value is trusted again. */
function isDoubt({ correction_type: type, field }: Correction, asked: string | undefined): boolean {
  return type === 'flag' || (type === 'remove' && asked !== undefined && field === asked)
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000
}
