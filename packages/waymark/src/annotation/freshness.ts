import { isSameAnchor, type Unit, unitsNamed } from './anchor.ts'
import type { AnchorFit } from './confidence.ts'
import { overlap } from './place.ts'
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

/** The current file, and which of its lines were annotated. */
export interface TodaysFile {
  readonly path: string
  readonly units: readonly Unit[]
  /** Undefined when none of the annotated lines is left, or when they are not known. */
  readonly traced?: TracedLines | undefined
}

export interface TracedLines extends LineRange {
  /** All annotated lines are left, with no new line between them. */
  readonly isWhole: boolean
}

export interface Verdict {
  readonly state: FreshnessState
  readonly changed: readonly ChangedPart[]
  readonly fit: AnchorFit
  /** Current location; undefined if the code was deleted, or is the whole file. */
  readonly unit?: Unit
  readonly lines?: LineRange
}

/** Compares an annotated unit with the current file. */
export function judgeUnit(
  annotated: AnnotatedCode & { anchor: string },
  file: TodaysFile,
): Verdict {
  const unit = choose(unitsNamed(file.units, annotated.anchor), annotated, file.traced)
  if (unit !== undefined) return compare(annotated, unit, file.path)
  const heir = file.traced === undefined ? undefined : smallestAround(file.units, file.traced)
  if (heir !== undefined && heir.type !== 'namespace' && heir.type !== 'module') {
    const changed = whatChanged(annotated, heir)
    return {
      state: 'moved',
      changed: ['name', ...changed],
      fit: 'name_gone',
      unit: heir,
      lines: heir.lines,
    }
  }
  if (file.traced !== undefined) {
    const { start, end } = file.traced
    return { state: 'drifted', changed: ['name', 'text'], fit: 'name_gone', lines: { start, end } }
  }
  return { state: 'orphaned', changed: [], fit: 'name_gone' }
}

/** Compares annotated lines with the current file. */
export function judgeLines(annotated: AnnotatedCode, { path, traced }: TodaysFile): Verdict {
  if (traced === undefined) return { state: 'orphaned', changed: [], fit: 'name_gone' }
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

function compare(annotated: AnnotatedCode & { anchor: string }, unit: Unit, path: string): Verdict {
  const place = { unit, lines: unit.lines }
  const moved: ChangedPart[] = []
  if (annotated.file !== path) moved.push('file')
  if (!isSameAnchor(annotated.anchor, unit.name)) moved.push('name')
  if (annotated.contentHash === undefined) {
    return { state: 'unknown', changed: moved, fit: 'same', ...place }
  }
  const drifted = whatChanged(annotated, unit)
  const changed = [...moved, ...drifted]
  const fit = drifted.includes('signature') ? 'signature_changed' : 'same'
  const state = moved.length > 0 ? 'moved' : drifted.length > 0 ? 'drifted' : 'fresh'
  return { state, changed, fit, ...place }
}

function whatChanged(annotated: AnnotatedCode, unit: Unit): readonly ChangedPart[] {
  if (annotated.contentHash === unit.contentHash) return []
  const { signatureHash } = annotated
  return signatureHash !== undefined && signatureHash !== unit.signatureHash
    ? ['signature', 'body']
    : ['body']
}

/** Of several units with the name, the one most similar to the annotated code. */
function choose(
  units: readonly Unit[],
  annotated: AnnotatedCode & { anchor: string },
  traced: LineRange | undefined,
): Unit | undefined {
  return (
    units.find(({ contentHash }) => contentHash === annotated.contentHash) ??
    units.find(({ signatureHash }) => signatureHash === annotated.signatureHash) ??
    units.find(({ lines }) => traced !== undefined && overlap(lines, traced)) ??
    units[0]
  )
}

function smallestAround(units: readonly Unit[], { start, end }: LineRange): Unit | undefined {
  const around = units.filter(({ lines }) => lines.start <= start && lines.end >= end)
  return around.toSorted((a, b) => sizeOf(a) - sizeOf(b))[0]
}

function sizeOf({ lines }: Unit): number {
  return lines.end - lines.start
}
