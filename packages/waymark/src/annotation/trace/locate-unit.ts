import { type Unit, unitsCalled, unitsNamed } from '../anchor.ts'
import { judgeGone, judgeNamesake, type Verdict } from '../freshness.ts'
import { overlap } from '../place.ts'
import type { Repository } from '../../git/repository.ts'
import { isSameKind } from '../unit-kind.ts'
import type { FileView } from '../region/file-view.ts'
import { type AnnotatedLines, countKept, cutAnnotated, indexOf, isInPlace } from './kept-lines.ts'
import type { AnnotatedRegion, AnnotatedUnit, Deadline } from './annotated-region.ts'
import { blamedLines } from './blamed-lines.ts'
import { hadName, locateDescendant } from './descendant.ts'
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
  const left = before && mostLeft(view, annotated, named, before)
  if (left?.isMuch === true) return toVerdict(view, annotated, left)
  const others = left === undefined ? units : units.filter((unit) => !named.includes(unit))
  const descendant = await locateDescendant(repository, view, annotated, others)
  if (descendant !== undefined) return descendant
  if (left !== undefined && (await hasStayed(repository, view, annotated, { ...left, named }))) {
    return toVerdict(view, annotated, left)
  }
  return await judgeLost(repository, view, annotated, deadline)
}

const NAMESAKES = new WeakMap<readonly Unit[], Map<string, readonly Unit[]>>()

/** Looked up once for all annotations of a name: a question asks of each whether it can be meant. */
export function namesakes(
  units: readonly Unit[],
  { region, code: { anchor } }: Pick<AnnotatedUnit, 'region' | 'code'>,
): readonly Unit[] {
  const type = region.ast_anchor?.type ?? 'unknown'
  const isResolved = region.signature_hash !== undefined
  const byName = NAMESAKES.get(units) ?? new Map<string, readonly Unit[]>()
  NAMESAKES.set(units, byName)
  const key = `${isResolved} ${type} ${anchor}`
  const found = byName.get(key) ?? findNamesakes(units, { type, anchor, isResolved })
  byName.set(key, found)
  return found
}

/** Names that tools or people wrote by hand may lack their qualifiers. */
function findNamesakes(
  units: readonly Unit[],
  { type, anchor, isResolved }: { type: string; anchor: string; isResolved: boolean },
): readonly Unit[] {
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

/** The unit of that name that has most of the annotated lines. */
interface Left {
  readonly unit: Unit
  readonly before: Before
  readonly kept: number
  /** Without the head, which is little more than the name. */
  readonly keptInBody: number
  /** Enough to be the annotated one, whatever else has changed. */
  readonly isMuch: boolean
}

/** Shares of the annotated lines: this is enough, */
const MUCH = 2 / 3
/** this is enough where the name is the same one, */
const SHARE = 1 / 3
/** and this is a trace of them, wherever the unit stands. */
const TRACE = 1 / 8

function mostLeft(
  view: FileView,
  { commit, region }: AnnotatedUnit,
  named: readonly Unit[],
  before: Before,
): Left | undefined {
  const index = indexOf(view)
  const of = before.lines.length
  const counted = named.map((unit) => ({ unit, kept: countKept(before, index, unit.lines) }))
  const [best] = counted.toSorted((a, b) => b.kept - a.kept)
  if (best === undefined || region.lines === undefined) return undefined
  const { unit, kept } = best
  const blamed = blamedLines(view, commit, region.file, region.lines)
  const keptInBody = countKept({ ...before, lines: before.lines.slice(1) }, index, unit.lines)
  const isMuch =
    (keptInBody > 0 && kept >= of * MUCH) ||
    (of <= 1 && kept === of) ||
    blamed.some((part) => overlap(part, unit.lines))
  return { unit, before, kept, keptInBody, isMuch }
}

function toVerdict(view: FileView, { code }: AnnotatedUnit, { unit, kept, before }: Left): Verdict {
  return judgeNamesake(code, unit, view.path, { kept, of: before.lines.length })
}

/**
 * Whether a unit without most of the annotated lines is the annotated one, rewritten: it has had the name ever since, it has
 * a share of the lines, or a trace of them, or stands where they stood, and most are not in another unit now.
 */
async function hasStayed(
  repository: Repository,
  view: FileView,
  annotated: AnnotatedUnit,
  { unit, before, kept, keptInBody, named }: Left & { readonly named: readonly Unit[] },
): Promise<boolean> {
  const { region, commit } = annotated
  const index = indexOf(view)
  const of = before.lines.length
  const [isTrace, isShare] = [TRACE, SHARE].map((least) => keptInBody > 0 && kept >= of * least)
  if (isShare === true) return await hadName(repository, view, annotated, unit)
  if (region.lines === undefined) return false
  if (isTrace !== true && !isInPlace(before.text, region.lines, index, unit.lines)) return false
  const apart = view.outline.units.filter(
    (other) => isSameKind(other.type, unit.type) && !overlap(other.lines, unit.lines),
  )
  const isElsewhere = apart.some(({ lines }) => {
    const there = countKept(before, index, lines)
    return there > kept && there >= of / 2
  })
  if (isElsewhere) return false
  const then = await repository.versions.at(commit, region.file)
  const { units } = then
    ? await repository.outlines.of({ path: region.file, ...then })
    : { units: [] }
  // Of several units of one name, this one may be another.
  if (namesakes(units, annotated).length > named.length) return false
  return await hadName(repository, view, annotated, unit)
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
