import type { Unit } from './anchor.ts'
import type { AnchorFit } from './confidence.ts'
import type { LineRange } from './record.ts'

/**
 * fresh: the annotated code is unchanged. drifted: it has changed. moved: it has another location or name. orphaned: it
 * was deleted. unknown: the annotated version can no longer be read, so there is nothing to compare with.
 */
export const FRESHNESS_STATES = ['fresh', 'drifted', 'moved', 'orphaned', 'unknown'] as const
export const CHANGED_PARTS = ['file', 'name', 'signature', 'body', 'text'] as const

export type FreshnessState = (typeof FRESHNESS_STATES)[number]

/** From worst to best. */
const WORST_FIRST: readonly FreshnessState[] = ['orphaned', 'drifted', 'unknown', 'moved', 'fresh']

/** One freshness for several regions: the worst. */
export function worstOf(states: readonly FreshnessState[]): FreshnessState | undefined {
  return WORST_FIRST.find((state) => states.includes(state))
}

type ChangedPart = (typeof CHANGED_PARTS)[number]

/** The annotated code, as far as the record describes it. */
export interface AnnotatedCode {
  readonly file: string
  readonly anchor?: string
  readonly contentHash?: string
  readonly signatureHash?: string
}

export interface TracedLines extends LineRange {
  /** All annotated lines are left, with no new line between them. */
  readonly isWhole: boolean
}

/** Why a piece of today's code is taken for the annotated one. */
export interface Evidence {
  /** Significant lines that are left, of so many. Absent if only the blame was looked at. */
  readonly kept?: number
  readonly of?: number
  /** Lines that blame still attributes to the annotated commit. */
  readonly blamed?: number
  /** The commit that renamed, moved or deleted the unit. */
  readonly by?: string
  /** That commit took this code out of the unit, which stayed. */
  readonly isPart?: true
}

export interface Verdict {
  readonly state: FreshnessState
  readonly changed: readonly ChangedPart[]
  readonly fit: AnchorFit
  /** Current location; undefined if the code was deleted, or is the whole file. */
  readonly unit?: Unit
  readonly lines?: LineRange
  /** Absent where the code is unchanged, or where there is nothing to compare with. */
  readonly evidence?: Evidence
  /** The commit that deleted it has not been looked for yet. */
  readonly isPartial?: true
}

export function judgeGone(evidence?: Evidence): Verdict {
  return { state: 'orphaned', changed: [], fit: 'name_gone', ...(evidence && { evidence }) }
}

/** Compares annotated lines with the current file. */
export function judgeLines(
  annotated: AnnotatedCode,
  path: string,
  traced: TracedLines | undefined,
): Verdict {
  if (traced === undefined) return judgeGone()
  const { start, end, isWhole } = traced
  const moved = annotated.file !== path
  return {
    state: isWhole ? (moved ? 'moved' : 'fresh') : 'drifted',
    changed: [...(moved ? (['file'] as const) : []), ...(isWhole ? [] : (['text'] as const))],
    fit: isWhole ? 'same' : 'overlap',
    lines: { start, end },
  }
}

/** Compares an annotated file with the current one. `isSame` is undefined when the annotated version is not readable. */
export function judgeFile(annotated: AnnotatedCode, path: string, isSame?: boolean): Verdict {
  const moved = annotated.file !== path
  const changed = [
    ...(moved ? (['file'] as const) : []),
    ...(isSame === false ? (['text'] as const) : []),
  ]
  if (isSame === undefined) return { state: 'unknown', changed, fit: 'overlap' }
  return { state: isSame ? (moved ? 'moved' : 'fresh') : 'drifted', changed, fit: 'same' }
}

/** Compares an annotated unit with the one that has its name today. */
export function judgeNamesake(
  annotated: AnnotatedCode,
  unit: Unit,
  path: string,
  evidence?: Evidence,
): Verdict {
  const place = { unit, lines: unit.lines }
  const moved: ChangedPart[] = annotated.file === path ? [] : ['file']
  if (annotated.contentHash === undefined) {
    return { state: 'unknown', changed: moved, fit: 'same', ...place }
  }
  const drifted = whatChanged(annotated, unit)
  const fit = drifted.includes('signature') ? 'signature_changed' : 'same'
  const state = moved.length > 0 ? 'moved' : drifted.length > 0 ? 'drifted' : 'fresh'
  const why = drifted.length > 0 && evidence !== undefined ? { evidence } : {}
  return { state, changed: [...moved, ...drifted], fit, ...place, ...why }
}

/** Compares an annotated unit with the one of another name or file that has its lines today. */
export function judgeHeir(
  annotated: AnnotatedCode,
  unit: Unit,
  path: string,
  evidence?: Evidence,
): Verdict {
  const moved: ChangedPart[] = annotated.file === path ? [] : ['file']
  const renamed: ChangedPart[] = unit.name === annotated.anchor ? [] : ['name']
  return {
    state: 'moved',
    changed: [...moved, ...renamed, ...whatChanged(annotated, unit)],
    fit: renamed.length > 0 ? 'name_gone' : 'same',
    unit,
    lines: unit.lines,
    ...(evidence && { evidence }),
  }
}

const GONE = 0.25
const REVERTED = 0.3
const REWRITTEN = 0.4
/** Changed, but by how much is not known. */
const CHANGED = 0.7

/** How far a reason can be trusted whose code has changed: 1 if it has not, less the fewer of its lines are left. */
export function trustIn({ state, changed, evidence }: Verdict, isReverted: boolean): number {
  if (state === 'orphaned') return GONE
  if (isReverted) return REVERTED
  if (!changed.some((part) => part === 'body' || part === 'text')) return 1
  const { kept, of } = evidence ?? {}
  if (kept === undefined || of === undefined || of === 0) return CHANGED
  return REWRITTEN + (1 - REWRITTEN) * (kept / of)
}

function whatChanged(annotated: AnnotatedCode, unit: Unit): readonly ChangedPart[] {
  if (annotated.contentHash === unit.contentHash) return []
  const { signatureHash } = annotated
  return signatureHash !== undefined && signatureHash !== unit.signatureHash
    ? ['signature', 'body']
    : ['body']
}
