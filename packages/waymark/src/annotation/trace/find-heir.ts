import { isSameLeaf, type Unit } from '../anchor.ts'
import { kindOfUnit } from '../unit-kind.ts'
import type { AnnotatedLines, LineIndex } from './kept-lines.ts'
import { countKept, followOwn } from './kept-lines.ts'

/** A unit of today that has the lines of an annotated one. */
export interface Heir {
  readonly unit: Unit
  /** Significant lines that are left in it, of so many. */
  readonly kept: number
  readonly of: number
  /** Few lines are left, or there were few: only the commit that moved them can prove it. */
  readonly isWeak: boolean
}

/** Of the lines that only the annotated unit had, this share must be in one unit of today. */
const LEAST_SHARE = 1 / 3
/** A unit that got another name must consist of them to this share: code that was inlined is not a rename. */
const LEAST_SHARE_OF_HEIR = 1 / 4
const ENOUGH_LINES = 3
const CERTAIN_SHARE = 1 / 2

/** The unit that the annotated lines are in today; undefined if too few of them are in any. */
export function findHeir(
  annotated: AnnotatedLines,
  { name, type }: { readonly name: string; readonly type: string },
  { units, index }: { readonly units: readonly Unit[]; readonly index: LineIndex },
): Heir | undefined {
  const places = followOwn(annotated, index)
  const own = new Set(annotated.own).size
  if (places.length === 0) return undefined
  const kind = kindOfUnit(type)
  let best: { unit: Unit; count: number } | undefined
  for (const unit of units) {
    if (kind !== undefined && kindOfUnit(unit.type) !== kind) continue
    const count = places.filter((line) => isIn(line, unit)).length
    if (count === 0) continue
    const isBetter =
      best === undefined ||
      count > best.count ||
      (count === best.count && sizeOf(unit) < sizeOf(best.unit))
    if (isBetter) best = { unit, count }
  }
  if (best === undefined || best.count / own < LEAST_SHARE) return undefined
  const { unit, count } = best
  const length = index.lines.slice(unit.lines.start - 1, unit.lines.end).filter(Boolean).length
  const isNamesake = isSameLeaf(name, unit.name)
  const kept = countKept(annotated, index, unit.lines)
  if (!isNamesake && kept / Math.max(length, 1) < LEAST_SHARE_OF_HEIR) return undefined
  const isWeak = count < ENOUGH_LINES || count / own < CERTAIN_SHARE
  return { unit, kept, of: annotated.lines.length, isWeak }
}

/**
 * Of these units, the one with at least half of the annotated lines, and three of them: although other code of the file has
 * the same lines, it must be the one if nothing else speaks for another.
 */
export function findLikest(
  annotated: AnnotatedLines,
  units: readonly Unit[],
  index: LineIndex,
): Heir | undefined {
  const of = annotated.lines.length
  const counted = units.map((unit) => ({ unit, kept: countKept(annotated, index, unit.lines) }))
  const [best] = counted.toSorted((a, b) => b.kept - a.kept)
  if (best === undefined || best.kept < ENOUGH_LINES || best.kept / of < CERTAIN_SHARE) {
    return undefined
  }
  return { ...best, of, isWeak: false }
}

function isIn(line: number, { lines }: Unit): boolean {
  return lines.start <= line && line <= lines.end
}

function sizeOf({ lines }: Unit): number {
  return lines.end - lines.start
}
