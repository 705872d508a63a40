import type { Unit } from '../anchor.ts'
import { isSameKind } from '../unit-kind.ts'
import { type Blame, hunksIn } from '../../git/history/blame.ts'
import type { CommitId } from '../../git/history/commit-id.ts'
import type { FileChange } from '../../git/history/file-histories.ts'
import type { Repository } from '../../git/repository.ts'
import type { FileView } from '../region/file-view.ts'
import { declares, headOf } from './declaration.ts'
import { cutAnnotated } from './kept-lines.ts'
import { middleOf, unitsAt } from './loss.ts'
import { findOrigin, type NamedUnit } from './origin.ts'
import { LEAST_PART } from './written-lines.ts'

/** What a unit of today was called for a while, and the commit that renamed or moved it then. */
export interface Ancestor extends NamedUnit {
  readonly paths: readonly string[]
  readonly commits: ReadonlySet<CommitId>
  /** The change that it came with. */
  readonly born: FileChange | undefined
  /** Undefined for the name that it has today. */
  readonly lostBy?: CommitId | 'working tree'
  /** Today's unit is only a part of what this one was. */
  readonly isPart?: true
}

const MOST_HOPS = 12
const MOST_BRANCHED = 50

/** The change that a committed unit came with under its name of today, and all changes since. */
export async function traceBirth(
  repository: Repository,
  { path, file, history }: FileView,
  unit: Unit,
): Promise<Pick<Ancestor, 'born' | 'commits'>> {
  const changes = await sinceCopied(repository, history?.changes ?? [])
  const writers = new Set(hunksIn(history?.blame ?? [], unit.lines).map(({ commit }) => commit))
  const head = headOf(file.committed?.text ?? '', unit)
  const at = await birthIn(repository, changes, { ...unit, path }, { writers, head })
  const commits = changes.slice(0, at + 1).map(({ commit }) => commit)
  return { born: changes[at], commits: new Set(commits) }
}

/** The names and files that a committed unit has had, from today back. */
export async function traceLineage(
  repository: Repository,
  view: FileView,
  unit: Unit,
): Promise<readonly Ancestor[]> {
  const ancestors: Ancestor[] = []
  let changes = view.history?.changes ?? []
  let named: NamedUnit = { path: view.path, name: unit.name, type: unit.type }
  let lostBy: CommitId | undefined
  const text = view.file.committed?.text ?? ''
  let head = headOf(text, unit)
  const today = cutAnnotated(text, unit.lines).lines
  let isPart = false
  const hunks = hunksIn(view.history?.blame ?? [], unit.lines)
  let writers: ReadonlySet<CommitId> = new Set(hunks.map(({ commit }) => commit))
  while (ancestors.length < MOST_HOPS) {
    changes = await sinceCopied(repository, changes)
    const at = await birthIn(repository, changes, named, { writers, head })
    const own = changes.slice(0, at + 1)
    const birth = changes[at]
    ancestors.push({
      ...named,
      paths: [...new Set([named.path, ...own.map(({ path }) => path)])],
      born: birth,
      commits: new Set(own.map(({ commit }) => commit)),
      ...(lostBy !== undefined && { lostBy }),
      ...(isPart && { isPart }),
    })
    const parent = birth && (await repository.commits.get(birth.commit))?.parents[0]
    if (birth === undefined || parent === undefined) break
    const before = changes[at + 1]?.path ?? birth.path
    const origin = await findOrigin(repository, {
      commit: birth.commit,
      parent,
      before,
      unit: { ...named, path: birth.path },
      today,
      hasOlderLines: countOlder(hunks, ancestors) >= LEAST_PART.lines,
    })
    if (origin === undefined) break
    lostBy = birth.commit
    isPart ||= origin.isPart === true
    ;({ unit: named, head } = origin)
    writers = new Set()
    changes =
      named.path === before
        ? changes.slice(at + 1)
        : await repository.histories.changesUntil(parent, named.path)
  }
  return ancestors
}

/** Lines of today's unit that are older than all names that are known of it. */
function countOlder(hunks: Blame, ancestors: readonly Ancestor[]): number {
  const older = hunks.filter(({ commit }) => ancestors.every(({ commits }) => !commits.has(commit)))
  return older.reduce((sum, { count }) => sum + count, 0)
}

/** The changes of a file without those of a file that it was copied from: Git's `--follow` takes a copy for a rename. */
async function sinceCopied(
  { objects }: Repository,
  changes: readonly FileChange[],
): Promise<readonly FileChange[]> {
  const renames = changes.flatMap(({ commit, path }, at) => {
    const before = changes[at + 1]?.path ?? path
    return before === path ? [] : [{ at, name: `${commit}:${before}` }]
  })
  const left = await objects.infos(renames.map(({ name }) => name))
  const copied = renames.find((_, at) => left[at] !== undefined)
  return copied === undefined ? changes : changes.slice(0, copied.at + 1)
}

/** The position of the change that brought the unit into the file; -1 if no change has it. */
async function birthIn(
  repository: Repository,
  changes: readonly FileChange[],
  { name, type }: NamedUnit,
  { writers, head }: { readonly writers: ReadonlySet<CommitId>; readonly head: string | undefined },
): Promise<number> {
  const isIn = async (commit: CommitId, path: string) => {
    const then = await repository.versions.at(commit, path)
    if (then === undefined) return false
    // Most versions have the line that declares it, or do not mention it; then they need not be parsed.
    const isDeclared = head === undefined ? undefined : declares(then.text, head, name)
    if (isDeclared !== undefined) return isDeclared
    const units = await unitsAt(repository, commit, path, name)
    return units.some((unit) => isSameKind(unit.type, type))
  }
  const has = async (at: number) => {
    const change = changes[at]
    return change !== undefined && (await isIn(change.commit, change.path))
  }
  const isBorn = async (at: number) => {
    const change = changes[at]
    const parent = change && (await repository.commits.get(change.commit))?.parents[0]
    const before = changes[at + 1]?.path ?? change?.path ?? ''
    return parent === undefined || !(await isIn(parent, before))
  }
  // Mostly it came with a commit that still owns lines of it.
  const written = changes.flatMap(({ commit }, at) => (writers.has(commit) ? [at] : []))
  let there = 0
  for (const at of written) {
    if (!(await has(at))) break
    if (await isBorn(at)) return at
    there = at
  }
  let gone = changes.length
  if (!(await has(there))) return -1
  while (gone - there > 1) {
    const middle = middleOf(changes, there, gone)
    if (await has(middle)) there = middle
    else gone = middle
  }
  // Branches lie side by side in the list: the change before may be of another one.
  for (let at = there; at < Math.min(changes.length, there + MOST_BRANCHED); at += 1) {
    if ((await has(at)) && (await isBorn(at))) return at
  }
  return there
}
