import { isSameName, type Unit, unitsCalled } from '../anchor.ts'
import { judgeHeir, type Verdict } from '../freshness.ts'
import { isSameKind } from '../unit-kind.ts'
import type { CommitId } from '../../git/history/commit-id.ts'
import type { Repository } from '../../git/repository.ts'
import type { FileView } from '../region/file-view.ts'
import type { AnnotatedRegion, AnnotatedUnit } from './annotated-region.ts'
import { countKept, cutAnnotated, indexOf } from './kept-lines.ts'
import { type Ancestor, traceBirth, traceLineage } from './lineage.ts'
import { readHistory } from './loss.ts'
import { bestOf, lostBetween } from './origin.ts'
import { hasPart, hasWrittenLines } from './written-lines.ts'

/** The unit of today that the annotated one became through all renames and moves since. */
export async function locateDescendant(
  repository: Repository,
  view: FileView,
  annotated: AnnotatedUnit,
  units: readonly Unit[],
): Promise<Verdict | undefined> {
  const { region, code, commit } = annotated
  for (const unit of units) {
    if (!isSameKind(unit.type, region.ast_anchor?.type ?? 'unknown')) continue
    const ancestor = (await lineageOf(repository, view, unit)).find((each) =>
      isAnnotated(annotated, each),
    )
    if (ancestor === undefined || !(await isBefore(repository, view, commit, ancestor))) continue
    const then = region.lines && (await repository.versions.at(commit, region.file))
    if (then === undefined || region.lines === undefined) return judgeHeir(code, unit, view.path)
    const before = cutAnnotated(then.text, region.lines)
    const index = indexOf(view)
    const today = { index, ...unit }
    const isIts = ancestor.isPart === true ? hasPart : hasWrittenLines
    if (!(await isIts(repository, annotated, before, today))) continue
    const kept = countKept(before, index, unit.lines)
    const by = ancestor.lostBy
    return judgeHeir(code, unit, view.path, {
      kept,
      of: before.lines.length,
      ...(by !== undefined && by !== 'working tree' && { by }),
      ...(ancestor.isPart && { isPart: true }),
    })
  }
  return undefined
}

/** Whether a unit has had its name since the annotated commit, without having been away; or was away and came back. */
export async function hadName(
  repository: Repository,
  view: FileView,
  annotated: AnnotatedUnit,
  unit: Unit,
): Promise<boolean> {
  const { commit } = annotated
  const { file, history } = view
  // Of uncommitted changes it is known anyway what was renamed.
  const isCommitted = history !== undefined && file.committed?.blob === file.blob
  const [own] = isCommitted
    ? [await birthOf(repository, view, unit)]
    : await lineageOf(repository, view, unit)
  if (own?.born === undefined || own.commits.has(commit)) return true
  const { commits } = repository
  const [then, born] = await Promise.all([commits.get(commit), commits.get(own.born.commit)])
  if (then === undefined || born === undefined || then.at >= born.at) return true
  const earlier = (await lineageOf(repository, view, unit)).slice(1)
  return earlier.some((each) => each.commits.has(commit) && isAnnotated(annotated, each))
}

/** Whether one of these units was called like the annotated one, in its file. */
export async function isAncestor(
  repository: Repository,
  view: FileView,
  { region }: AnnotatedRegion,
  units: readonly Unit[],
): Promise<boolean> {
  const anchor = region.ast_anchor?.name
  if (anchor === undefined) return false
  const named = { region, code: { anchor } }
  for (const unit of units) {
    const lineage = await lineageOf(repository, view, unit)
    if (lineage.some((each) => isAnnotated(named, each))) return true
  }
  return false
}

interface Named {
  readonly region: Pick<AnnotatedUnit['region'], 'file'>
  readonly code: { readonly anchor: string }
}

export function isAnnotated({ region, code }: Named, { name, paths }: Ancestor): boolean {
  return isSameName(name, code.anchor) && paths.includes(region.file)
}

async function isBefore(
  { commits, reachable }: Repository,
  { history }: FileView,
  commit: CommitId,
  { commits: own, lostBy }: Ancestor,
): Promise<boolean> {
  if (own.has(commit) || lostBy === undefined || lostBy === 'working tree') return true
  const [then, lost] = await Promise.all([commits.get(commit), commits.get(lostBy)])
  if (then === undefined || lost === undefined || then.at <= lost.at) return true
  if (history?.changes.some((change) => change.commit === commit) === true) return false
  // Beside it, on a branch that was merged later, the unit still had its name.
  return (await reachable.from(commit, [lostBy])).get(lostBy) !== 'here'
}

type Birth = ReturnType<typeof traceBirth>

/** The first step of a lineage: it needs no git process, and all annotations with that name ask for it. */
function birthOf(repository: Repository, view: FileView, unit: Unit): Birth {
  const { births } = lineagesOf(view)
  const known = births.get(unit)
  if (known !== undefined) return known
  const birth = traceBirth(repository, view, unit)
  births.set(unit, birth)
  birth.catch(() => births.delete(unit))
  return birth
}

interface Lineages {
  readonly blob: string
  readonly births: Map<Unit, Birth>
  readonly byUnit: Map<Unit, Promise<readonly Ancestor[]>>
  readonly traced: Set<Unit>
}

/** By the history of a file, which is the same object until a commit changes the file. */
const LINEAGES = new WeakMap<object, Lineages>()

/** Characters of a file that are searched for its units: of a file that is huge, only some units are traced. */
const MOST_SEARCHED = 100 * 1024 * 1024

/** Traced once for all annotations of a file, and for all questions until the file changes. */
export function lineageOf(
  repository: Repository,
  view: FileView,
  unit: Unit,
): Promise<readonly Ancestor[]> {
  const { byUnit, traced } = lineagesOf(view)
  const known = byUnit.get(unit)
  if (known !== undefined) return known
  const isBeyond = byUnit.size * view.file.text.length > MOST_SEARCHED
  const lineage = isBeyond ? Promise.resolve([]) : traceCommitted(repository, view, unit)
  byUnit.set(unit, lineage)
  lineage.then(
    () => traced.add(unit),
    () => byUnit.delete(unit),
  )
  return lineage
}

/** Whether nothing is left to be traced of these units. */
export function areTraced(view: FileView, units: readonly Unit[]): boolean {
  const { traced } = lineagesOf(view)
  return units.every((unit) => traced.has(unit))
}

function lineagesOf({ file, history }: FileView): Lineages {
  const key = history ?? file
  const known = LINEAGES.get(key)
  if (known?.blob === file.blob) return known
  const lineages = {
    blob: file.blob,
    births: new Map(),
    byUnit: new Map(),
    traced: new Set<Unit>(),
  }
  LINEAGES.set(key, lineages)
  return lineages
}

async function traceCommitted(
  repository: Repository,
  given: FileView,
  unit: Unit,
): Promise<readonly Ancestor[]> {
  const { committed, blob } = given.file
  const history = given.history ?? (await readHistory(repository, given))
  if (committed === undefined || history === undefined) return []
  const view = { ...given, history }
  if (committed.blob === blob) return await traceLineage(repository, view, unit)
  const older = await repository.outlines.of({ path: view.path, ...committed })
  const [same] = unitsCalled(older.units, unit.name).filter((each) =>
    isSameKind(each.type, unit.type),
  )
  if (same !== undefined) return await traceLineage(repository, view, same)
  const lost = lostBetween(view.path, { ...committed, ...older }, view.outline.units)
  const renamed = bestOf({ text: view.file.text, unit }, lost, true)
  const [was] = renamed === undefined ? [] : unitsCalled(older.units, renamed.unit.name)
  if (was === undefined) return []
  const [last, ...others] = await traceLineage(repository, view, was)
  return last === undefined
    ? []
    : [{ ...last, lostBy: last.lostBy ?? ('working tree' as const) }, ...others]
}
