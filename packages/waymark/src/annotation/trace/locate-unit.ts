import { type Unit, unitsCalled, unitsNamed } from '../anchor.ts'
import { type Evidence, judgeGone, judgeHeir, judgeNamesake, type Verdict } from '../freshness.ts'
import { overlap } from '../place.ts'
import type { Repository } from '../../git/repository.ts'
import { isSameKind } from '../unit-kind.ts'
import type { FileView } from '../region/file-view.ts'
import { findHeir } from './find-heir.ts'
import {
  type AnnotatedLines,
  countKept,
  cutAnnotated,
  indexLines,
  isInPlace,
  type LineIndex,
} from './kept-lines.ts'
import type { AnnotatedRegion, AnnotatedUnit, Deadline } from './annotated-region.ts'
import { blamedLines } from './blamed-lines.ts'
import { findLoss } from './loss.ts'
import { isMovedBy, movesInto, wasBeside } from './moves.ts'
import { hasWrittenLines, mayBeIn } from './written-lines.ts'

/**
 * The unit of today that a region is about: the one with its name and kind, if lines of it are left or it stands where
 * it stood; else the one that has its lines. Undefined if there was no time left to find out.
 */
export async function locateUnit(
  repository: Repository,
  view: FileView,
  annotated: AnnotatedUnit,
  deadline: Deadline,
): Promise<Verdict | undefined> {
  const { code } = annotated
  const named = namesakes(view.outline.units, annotated)
  const same = named.find(({ contentHash }) => contentHash === code.contentHash)
  if (same !== undefined) return judgeNamesake(code, same, view.path)
  const [first] = named
  if (first !== undefined && code.contentHash === undefined) {
    return judgeNamesake(code, first, view.path)
  }
  if (deadline.isOver()) return judgeByBlame(view, annotated, named)
  const before = await readAnnotated(repository, annotated)
  if (before === undefined) {
    // Without the annotated version nothing speaks against the name.
    return first === undefined ? judgeGone() : judgeNamesake(code, first, view.path)
  }
  return (
    judgeNamed(view, annotated, named, before) ??
    (await judgeRenamed(repository, view, annotated, { before, deadline }))
  )
}

/** Names that tools or people wrote by hand may lack their qualifiers. */
export function namesakes(
  units: readonly Unit[],
  { region, code: { anchor } }: Pick<AnnotatedUnit, 'region' | 'code'>,
): readonly Unit[] {
  const type = region.ast_anchor?.type ?? 'unknown'
  const isResolved = region.signature_hash !== undefined
  const called = isResolved ? unitsCalled(units, anchor) : unitsNamed(units, anchor)
  const fitting = called.filter((unit) => isSameKind(unit.type, type))
  const exact = fitting.filter((unit) => unit.type === type)
  return exact.length > 0 ? exact : fitting
}

interface Before extends AnnotatedLines {
  readonly text: string
}

async function readAnnotated(
  repository: Repository,
  { commit, region: { file, lines } }: AnnotatedRegion,
): Promise<Before | undefined> {
  if (lines === undefined) return undefined
  const then = await repository.versions.at(commit, file)
  return then && { text: then.text, ...cutAnnotated(then.text, lines) }
}

function judgeByBlame(
  view: FileView,
  { commit, region, code }: AnnotatedUnit,
  named: readonly Unit[],
): Verdict | undefined {
  if (region.lines === undefined) return undefined
  const parts = blamedLines(view, commit, region.file, region.lines)
  for (const unit of named) {
    const own = parts.filter((part) => overlap(part, unit.lines))
    const blamed = own.reduce((sum, part) => sum + part.kept, 0)
    if (blamed > 0) return judgeNamesake(code, unit, view.path, { blamed })
  }
  return undefined
}

/** Undefined if no line is left in a unit of that name, and none stands where the annotated one stood. */
function judgeNamed(
  view: FileView,
  { commit, region, code }: AnnotatedUnit,
  named: readonly Unit[],
  before: Before,
): Verdict | undefined {
  const index = indexOf(view)
  const of = before.lines.length
  const counted = named.map((unit) => ({ unit, kept: countKept(before, index, unit.lines) }))
  const [best] = counted.toSorted((a, b) => b.kept - a.kept)
  if (best === undefined || region.lines === undefined) return undefined
  const { unit, kept } = best
  const blamed = blamedLines(view, commit, region.file, region.lines).filter((part) =>
    overlap(part, unit.lines),
  )
  // The head alone is little more than the name.
  const inBody = countKept({ ...before, lines: before.lines.slice(1) }, index, unit.lines)
  const isSame =
    inBody > 0 ||
    (of <= 1 && kept === of) ||
    blamed.length > 0 ||
    isInPlace(before.text, region.lines, index, unit.lines)
  return isSame ? judgeNamesake(code, unit, view.path, { kept, of }) : undefined
}

interface Traced {
  readonly before: Before
  readonly deadline: Deadline
}

async function judgeRenamed(
  repository: Repository,
  view: FileView,
  annotated: AnnotatedUnit,
  { before, deadline }: Traced,
): Promise<Verdict | undefined> {
  const { code, region } = annotated
  const wanted = { name: code.anchor, type: region.ast_anchor?.type ?? 'unknown' }
  const today = { units: view.outline.units, index: indexOf(view) }
  const heir = findHeir(before, wanted, today)
  const isWritten = (unit: Unit) =>
    hasWrittenLines(repository, annotated, before, { index: today.index, lines: unit.lines })
  if (heir !== undefined && (!heir.isWeak || (await isWritten(heir.unit)))) {
    const { unit, kept, of } = heir
    const by = await isMovedBy(repository, view, annotated, unit)
    if (by === undefined && (deadline.isQuick === true || deadline.isOver())) return undefined
    const evidence: Evidence = { kept, of, ...(by !== undefined && by !== '' && { by }) }
    const isProven =
      by !== undefined || !(heir.isWeak || (await wasBeside(repository, view, annotated, unit)))
    if (isProven) return judgeHeir(code, unit, view.path, evidence)
  }
  const ranges = [{ start: 1, end: today.index.lines.length }]
  const isLeft = await mayBeIn(repository, annotated, before, { index: today.index, ranges })
  if (deadline.isQuick === true || deadline.isOver()) {
    return isLeft ? undefined : { ...judgeGone(), isPartial: true }
  }
  return await judgeLost(repository, view, annotated, { before, isLeft })
}

/** Where the commit that took the unit out of its file has put it, and whether that is still there. */
async function judgeLost(
  repository: Repository,
  view: FileView,
  annotated: AnnotatedUnit,
  { before, isLeft }: { readonly before: Before; readonly isLeft: boolean },
): Promise<Verdict> {
  const loss = await findLoss(repository, view, annotated)
  if (loss === undefined) return judgeGone()
  const heir = isLeft ? await movesInto(repository, view, annotated, loss) : undefined
  if (heir === undefined) return judgeGone({ by: loss.commit })
  const index = indexOf(view)
  const isWritten = await hasWrittenLines(repository, annotated, before, { index, ...heir })
  if (!isWritten) return judgeGone({ by: loss.commit })
  const kept = countKept(before, index, heir.lines)
  const evidence = { kept, of: before.lines.length, by: loss.commit }
  return judgeHeir(annotated.code, heir, view.path, evidence)
}

const INDEXES = new WeakMap<FileView['file'], LineIndex>()

/** Made once for all regions of a file. */
export function indexOf({ file }: FileView): LineIndex {
  const known = INDEXES.get(file)
  if (known !== undefined) return known
  const index = indexLines(file.text)
  INDEXES.set(file, index)
  return index
}
