import { type Unit, unitsCalled } from '../anchor.ts'
import { isSameKind } from '../unit-kind.ts'
import { hunksIn } from '../../git/history/blame.ts'
import { readFileAt } from '../../git/current-file.ts'
import type { Repository } from '../../git/repository.ts'
import type { FileView } from '../region/file-view.ts'
import { findHeir } from './find-heir.ts'
import { cutAnnotated, indexLines } from './kept-lines.ts'
import type { AnnotatedUnit } from './annotated-region.ts'

/** The commit that took a unit out of its file. */
interface Loss {
  readonly commit: string
  /** The commit before it, and the name of the file there. */
  readonly parent: string
  readonly before: string
}

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
    const [older, newer] = await Promise.all([
      versionAt(repository, loss.parent, path),
      versionAt(repository, commit, path),
    ])
    const wasThere = unitsCalled(older?.units ?? [], heir.name).length > 0
    const isThere = unitsCalled(newer?.units ?? [], heir.name).length > 0
    if (!wasThere && isThere) return commit
  }
  return await isMovedUncommitted(repository, view, annotated, heir)
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

/** Whether this commit took the unit out of the file that it was annotated in. */
export async function lossIn(
  repository: Repository,
  { region, code: { anchor } }: AnnotatedUnit,
  commit: string,
  path = region.file,
): Promise<Loss | undefined> {
  const parent = (await repository.commits.get(commit))?.parents[0]
  if (parent === undefined) return undefined
  const [older, newer] = await Promise.all([
    versionAt(repository, parent, path),
    versionAt(repository, commit, path),
  ])
  const type = region.ast_anchor?.type ?? 'unknown'
  const isIn = (units: readonly Unit[]) =>
    unitsCalled(units, anchor).some((unit) => isSameKind(unit.type, type))
  const isLost = older !== undefined && isIn(older.units) && !isIn(newer?.units ?? [])
  return isLost ? { commit, parent, before: path } : undefined
}

/** By bisection of the file's history: the commit after which it no longer had the unit. */
export async function findLoss(
  repository: Repository,
  view: FileView,
  annotated: AnnotatedUnit,
): Promise<Loss | undefined> {
  const { changes } = view.history ?? (await readHistory(repository, view)) ?? { changes: [] }
  const since = changes.findIndex(({ commit }) => commit === annotated.commit)
  const later = since === -1 ? [] : changes.slice(0, since + 1)
  const type = annotated.region.ast_anchor?.type ?? 'unknown'
  const has = async (at: number) => {
    const { commit = '', path = '' } = later[at] ?? {}
    const version = await versionAt(repository, commit, path)
    const called = unitsCalled(version?.units ?? [], annotated.code.anchor)
    return called.some((unit) => isSameKind(unit.type, type))
  }
  // Newest first: `gone` is without the unit, `there` still has it.
  let [gone, there] = [-1, later.length - 1]
  if (there < 0 || !(await has(there))) return undefined
  while (there - gone > 1) {
    const middle = Math.floor((gone + there) / 2)
    if (await has(middle)) there = middle
    else gone = middle
  }
  const lost = later[gone]
  return lost && (await lossIn(repository, annotated, lost.commit, later[there]?.path))
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
  const heir = findHeir(
    lines,
    { name: anchor, type },
    { units: added, index: indexLines(newer.text) },
  )
  if (heir === undefined) return undefined
  const today = unitsCalled(view.outline.units, heir.unit.name)
  return today.find((each) => isSameKind(each.type, heir.unit.type))
}

async function versionAt(
  repository: Repository,
  commit: string,
  path: string,
): Promise<Version | undefined> {
  const then = await readFileAt(repository, commit, path)
  if (then === undefined) return undefined
  const { units } = await repository.outlines.of({ path, ...then })
  return { text: then.text, units }
}

async function readHistory(repository: Repository, { path, file }: FileView) {
  const head = file.committed === undefined ? undefined : await repository.head()
  return head === undefined ? undefined : await repository.histories.of(head, path)
}
