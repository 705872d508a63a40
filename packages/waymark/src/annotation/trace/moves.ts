import { type Unit, unitsCalled } from '../anchor.ts'
import { isSameKind } from '../unit-kind.ts'
import { hunksIn } from '../../git/history/blame.ts'
import type { Repository } from '../../git/repository.ts'
import type { FileView } from '../region/file-view.ts'
import { findHeir, findLikest } from './find-heir.ts'
import { cutAnnotated, indexLines } from './kept-lines.ts'
import type { AnnotatedUnit } from './annotated-region.ts'
import { findLoss, headOf, type Loss, lossIn, readHistory, unitsAt } from './loss.ts'
import type { CommitId } from '../../git/history/commit-id.ts'

interface Version {
  readonly text: string
  readonly units: readonly Unit[]
}

const MOST_COMMITS = 3

/**
 * The commit in which the annotated unit became this one: the unit was in its file before, and after it only the other
 * was. Empty if that is not committed yet, undefined if there is no such commit.
 */
export async function isMovedBy(
  repository: Repository,
  view: FileView,
  annotated: AnnotatedUnit,
  heir: Unit,
): Promise<string | undefined> {
  const history = view.history ?? (await readHistory(repository, view))
  if (history === undefined) return undefined
  const committed = view.uncommitted.toOlder(heir.lines)
  const hunks = committed === undefined ? [] : hunksIn(history.blame, committed)
  const commits = [...new Set(hunks.toSorted((a, b) => b.count - a.count).map((one) => one.commit))]
  const first = hunks[0]?.commit
  for (const commit of new Set([first, ...commits].slice(0, MOST_COMMITS + 1))) {
    if (commit === undefined || commit === annotated.commit) continue
    const path = hunks.find((hunk) => hunk.commit === commit)?.path ?? view.path
    const loss = await lossIn(repository, annotated, commit)
    if (loss === undefined) continue
    const wasThere = (await unitsAt(repository, loss.parent, path, heir.name)).length > 0
    if (!wasThere && (await isThere(repository, view, heir, { commit, path }))) return commit
  }
  return await isMovedUncommitted(repository, view, annotated, heir)
}

async function isThere(
  repository: Repository,
  { file }: FileView,
  { name, lines }: Unit,
  { commit, path }: { readonly commit: CommitId; readonly path: string },
): Promise<boolean> {
  const then = await repository.versions.at(commit, path)
  const head = headOf(file.text, lines, name)
  if (then !== undefined && head !== undefined && then.text.includes(head)) return true
  return (await unitsAt(repository, commit, path, name)).length > 0
}

/** The working tree renamed it after the last commit. */
async function isMovedUncommitted(
  repository: Repository,
  view: FileView,
  { code: { anchor } }: AnnotatedUnit,
  heir: Unit,
): Promise<string | undefined> {
  const { committed } = view.file
  if (committed === undefined || committed.blob === view.file.blob) return undefined
  const { units } = await repository.outlines.of({ path: view.path, ...committed })
  const isRename =
    unitsCalled(units, anchor).length > 0 && unitsCalled(units, heir.name).length === 0
  return isRename ? '' : undefined
}

/** Whether this unit was in the file beside the annotated one, until that was deleted: then it is a copy of it. */
export async function wasBeside(
  repository: Repository,
  view: FileView,
  annotated: AnnotatedUnit,
  { name }: Unit,
): Promise<boolean> {
  const loss = await findLoss(repository, view, annotated)
  return (
    loss !== undefined && (await unitsAt(repository, loss.parent, loss.before, name)).length > 0
  )
}

/** The unit of today that the lost one became in that commit, by the name that it got there. */
export async function movesInto(
  repository: Repository,
  view: FileView,
  { region, code: { anchor } }: AnnotatedUnit,
  loss: Loss,
  path = view.history?.changes.find(({ commit }) => commit === loss.commit)?.path ?? view.path,
): Promise<Unit | undefined> {
  const [older, newer] = await Promise.all([
    versionAt(repository, loss.parent, loss.before),
    versionAt(repository, loss.commit, path),
  ])
  const [unit] = unitsCalled(older?.units ?? [], anchor)
  if (older === undefined || newer === undefined || unit === undefined) return undefined
  const type = region.ast_anchor?.type ?? unit.type
  const known = await versionAt(repository, loss.parent, path)
  const added = newer.units.filter(({ name }) => unitsCalled(known?.units ?? [], name).length === 0)
  const lines = cutAnnotated(older.text, unit.lines)
  const index = indexLines(newer.text)
  const alike = added.filter((each) => isSameKind(each.type, type))
  const heir =
    findHeir(lines, { name: anchor, type }, { units: added, index }) ??
    findLikest(lines, alike, index)
  if (heir === undefined) return undefined
  const today = unitsCalled(view.outline.units, heir.unit.name)
  return today.find((each) => isSameKind(each.type, heir.unit.type))
}

async function versionAt(
  repository: Repository,
  commit: CommitId,
  path: string,
): Promise<Version | undefined> {
  const then = await repository.versions.at(commit, path)
  if (then === undefined) return undefined
  const { units } = await repository.outlines.of({ path, ...then })
  return { text: then.text, units }
}
