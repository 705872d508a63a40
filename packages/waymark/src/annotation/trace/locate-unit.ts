import { type Unit, unitsCalled, unitsNamed } from '../anchor.ts'
import { judgeGone, judgeNamesake, type Verdict } from '../freshness.ts'
import { overlap } from '../place.ts'
import type { Repository } from '../../git/repository.ts'
import { isSameKind } from '../unit-kind.ts'
import type { FileView } from '../region/file-view.ts'
import { type AnnotatedLines, countKept, cutAnnotated, indexOf, isInPlace } from './kept-lines.ts'
import type { AnnotatedRegion, AnnotatedUnit, Deadline } from './annotated-region.ts'
import { blamedLines } from './blamed-lines.ts'
import { locateDescendant } from './descendant.ts'
import { findLoss } from './loss.ts'

export interface Search {
  readonly deadline: Deadline
  /** Units of today that it may have become. */
  readonly units: readonly Unit[]
}

/**
 * The unit of today that a region is about: the one with its name and kind, if lines of it are left or it stands where
 * it stood; else the one that it became by renames and moves. Of the latter only these units are considered.
 */
export async function locateUnit(
  repository: Repository,
  view: FileView,
  annotated: AnnotatedUnit,
  { deadline, units }: Search,
): Promise<Verdict> {
  const { code } = annotated
  const named = namesakes(view.outline.units, annotated)
  const same = named.find(({ contentHash }) => contentHash === code.contentHash)
  if (same !== undefined) return judgeNamesake(code, same, view.path)
  const [first] = named
  if (first !== undefined && code.contentHash === undefined) {
    return judgeNamesake(code, first, view.path)
  }
  const before = named.length === 0 ? undefined : await readAnnotated(repository, annotated)
  // Without the annotated version nothing speaks against the name.
  if (first !== undefined && before === undefined) return judgeNamesake(code, first, view.path)
  const stayed = before ? judgeNamed(view, annotated, named, before) : undefined
  return (
    stayed ??
    (await locateDescendant(repository, view, annotated, units)) ??
    (await judgeLost(repository, view, annotated, deadline))
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

/** The commit that took the unit out of its file; looked for in many versions, so not while a question waits. */
async function judgeLost(
  repository: Repository,
  view: FileView,
  annotated: AnnotatedUnit,
  deadline: Deadline,
): Promise<Verdict> {
  if (deadline.isQuick === true || deadline.isOver()) return { ...judgeGone(), isPartial: true }
  const loss = await findLoss(repository, view, annotated)
  return judgeGone(loss && { by: loss.commit })
}
