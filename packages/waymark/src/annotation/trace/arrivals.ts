import { isSameLeaf, leafOf, type Unit } from '../anchor.ts'
import { type AnnotatedCode, judgeHeir, type Verdict } from '../freshness.ts'
import type { Repository } from '../../git/repository.ts'
import type { AnnotationRow } from '../store.ts'
import type { Code } from '../write/open-code.ts'
import { type FileView, viewWithoutHistory } from '../region/file-view.ts'
import { findHeir, findLikest } from './find-heir.ts'
import { type AnnotatedLines, countKept, cutAnnotated, indexLines } from './kept-lines.ts'
import type { AnnotatedUnit } from './annotated-region.ts'
import { indexOf, namesakes } from './locate-unit.ts'
import { lossIn } from './loss.ts'
import { isMovedBy, movesInto } from './moves.ts'
import { hasWrittenLines } from './written-lines.ts'
import type { CommitId } from '../../git/history/commit-id.ts'

/** A file that may have taken in annotated code of other files, and the commits that changed both. */
export interface Origin {
  readonly row: AnnotationRow
  readonly commits: readonly CommitId[]
}

const MOST_COMMITS = 500
const MOST_FILES = 200
const MOST_TRIED = 4
const FEW_FILES = 50
/** With so many of the same lines two units are twins; guards and loops are alike everywhere. */
const TWIN_SHARE = 1 / 2

/** Annotations of other files that commits which wrote this one have changed too: code may have moved between them. */
export async function findOrigins(code: Code, view: FileView): Promise<readonly Origin[]> {
  const { repository, annotations, settings } = code
  const annotated = (await annotations.files(settings.readRefs)).filter(
    (path) => !view.names.has(path),
  )
  if (annotated.length === 0 || view.history === undefined) return []
  const wanted = new Set(annotated)
  const commits = [...new Set(view.history.blame.map(({ commit }) => commit))]
  const changed = await repository.trees.changedBy(commits.slice(0, MOST_COMMITS))
  const byPath = new Map<string, CommitId[]>()
  for (const [commit, paths] of changed) {
    for (const path of paths) {
      if (wanted.has(path)) byPath.set(path, [...(byPath.get(path) ?? []), commit])
    }
  }
  const gone = await goneFiles(code, annotated)
  const paths = [...new Set([...byPath.keys(), ...gone])].slice(0, MOST_FILES)
  const leaves = [...new Set(view.outline.units.map(({ name }) => leafOf(name)))]
  const [near, namesakes] = await Promise.all([
    annotations.inFiles({ refs: settings.readRefs, role: 'region', paths }),
    annotations.byLeaf(settings.readRefs, leaves),
  ])
  const rows = new Map(
    [...near, ...namesakes].map((row) => [`${row.commit} ${row.record.id}`, row]),
  )
  return [...rows.values()].map((row) => {
    const files = new Set(row.record.regions.map(({ file }) => file))
    return { row, commits: [...files].flatMap((file) => byPath.get(file) ?? []) }
  })
}

/** Files that code must have left; where few files are annotated, any of them is worth a look. */
async function goneFiles(
  { repository, head }: Code,
  annotated: readonly string[],
): Promise<readonly string[]> {
  if (annotated.length <= FEW_FILES || head === undefined) return annotated
  const files = await repository.trees.files(head.id)
  return annotated.filter((path) => !files.has(path))
}

/** Whether the annotated unit is no longer in its file: only then can its lines elsewhere be the same code, moved. */
export async function hasLeft(code: Code, annotated: AnnotatedUnit): Promise<boolean> {
  const view = await viewOnce(code, annotated.region.file)
  return view === undefined || namesakes(view.outline.units, annotated).length === 0
}

const VIEWS = new WeakMap<Code, Map<string, Promise<FileView | undefined>>>()

/** Many annotations of a question are from the same few files. */
function viewOnce(code: Code, path: string): Promise<FileView | undefined> {
  const views = VIEWS.get(code) ?? new Map<string, Promise<FileView | undefined>>()
  VIEWS.set(code, views)
  const view = views.get(path) ?? viewWithoutHistory(code, path)
  views.set(path, view)
  return view
}

/** The unit of this file that an annotated unit of another file has become; undefined if there is none. */
export async function locateArrival(
  repository: Repository,
  view: FileView,
  annotated: AnnotatedUnit,
  commits: readonly CommitId[],
): Promise<Verdict | undefined> {
  const { region, code, commit } = annotated
  if (region.lines === undefined) return undefined
  const then = await repository.versions.at(commit, region.file)
  if (then === undefined) return undefined
  const before = cutAnnotated(then.text, region.lines)
  const wanted = { name: code.anchor, type: region.ast_anchor?.type ?? 'unknown' }
  const index = indexOf(view)
  const heir =
    findHeir(before, wanted, { units: view.outline.units, index }) ??
    findLikest(before, namesakes(view.outline.units, annotated), index)
  const isWritten = (unit: Unit) =>
    hasWrittenLines(repository, annotated, before, { index, lines: unit.lines })
  if (heir !== undefined && (await isWritten(heir.unit))) {
    const by = await isMovedBy(repository, view, annotated, heir.unit)
    const { unit, kept, of } = heir
    // Code that went through several files is known by its name and most of its lines.
    const isSure =
      !heir.isWeak &&
      isSameLeaf(code.anchor, unit.name) &&
      !(await wasThere(repository, view, annotated, before))
    if (by !== undefined || isSure) return toMoved(code, view, unit, { kept, of, by: by ?? '' })
  }
  for (const each of commits.slice(0, MOST_TRIED)) {
    const loss = await lossIn(repository, annotated, each)
    const unit = loss && (await movesInto(repository, view, annotated, loss))
    if (unit === undefined || !(await isWritten(unit))) continue
    const kept = countKept(before, index, unit.lines)
    return toMoved(code, view, unit, { kept, of: before.lines.length, by: each })
  }
  return undefined
}

/** Whether this file had such lines already when the others were annotated: then they are twins. */
async function wasThere(
  repository: Repository,
  { names }: FileView,
  { commit }: AnnotatedUnit,
  { own }: AnnotatedLines,
): Promise<boolean> {
  for (const name of [...names].slice(0, MOST_TRIED)) {
    const then = await repository.versions.at(commit, name)
    if (then === undefined) continue
    const { places } = indexLines(then.text)
    if (own.filter((line) => places.has(line)).length / own.length >= TWIN_SHARE) return true
  }
  return false
}

function toMoved(
  code: AnnotatedCode,
  view: FileView,
  unit: Unit,
  { kept, of, by }: { readonly kept: number; readonly of: number; readonly by: string },
): Verdict {
  return judgeHeir(code, unit, view.path, { kept, of, ...(by !== '' && { by }) })
}
