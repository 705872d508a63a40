import { isMentioned, leafOf, type Unit, unitsCalled } from '../anchor.ts'
import { sliceLines } from '../outline/lines.ts'
import type { LineRange } from '../record.ts'
import { isSameKind } from '../unit-kind.ts'
import type { FileChange, FileHistory } from '../../git/history/file-histories.ts'
import type { Repository } from '../../git/repository.ts'
import type { FileView } from '../region/file-view.ts'
import type { AnnotatedUnit } from './annotated-region.ts'
import type { CommitId } from '../../git/history/commit-id.ts'

/** The commit that took a unit out of its file. */
export interface Loss {
  readonly commit: CommitId
  /** The commit before it, and the name of the file there. */
  readonly parent: CommitId
  readonly before: string
}

/** Whether this commit took the unit out of the file that it was annotated in. */
async function lossIn(
  repository: Repository,
  annotated: AnnotatedUnit,
  commit: CommitId,
  path = annotated.region.file,
): Promise<Loss | undefined> {
  const { region, code } = annotated
  const parent = (await repository.commits.get(commit))?.parents[0]
  if (parent === undefined) return undefined
  const [older, newer] = await Promise.all([
    repository.versions.at(parent, path),
    repository.versions.at(commit, path),
  ])
  if (older === undefined || !isMentioned(older.text, code.anchor)) return undefined
  const loss = { commit, parent, before: path }
  if (newer === undefined || !isMentioned(newer.text, code.anchor)) {
    if (await hasHead(repository, annotated, older.text)) return loss
  }
  const isIn = async (id: CommitId) =>
    hasKind(await unitsAt(repository, id, path, code.anchor), region)
  // Most commits have kept it: then there is no need to parse the version before.
  return !(await isIn(commit)) && (await isIn(parent)) ? loss : undefined
}

/** Whether a text has the line that declares the unit: then it has the unit, and need not be parsed. */
async function hasHead(
  repository: Repository,
  { commit, region: { file, lines }, code: { anchor } }: AnnotatedUnit,
  text: string,
): Promise<boolean> {
  const then = lines && (await repository.versions.at(commit, file))
  const head = then && headOf(then.text, lines, anchor)
  return head !== undefined && text.includes(head)
}

/** The first line of a unit with its name. Undefined for a method, whose line does not say which class it is of. */
function headOf(text: string, lines: LineRange, name: string): string | undefined {
  if (leafOf(name) !== name) return undefined
  const named = sliceLines(text, lines)
    .split('\n')
    .find((line) => isMentioned(line, name))
  return named?.trim()
}

/**
 * By bisection of the file's history: the commit after which it no longer had the unit. Mostly that is the one after which
 * its name is nowhere in the text, which is found without parsing the versions between.
 */
export async function findLoss(
  repository: Repository,
  view: FileView,
  annotated: AnnotatedUnit,
): Promise<Loss | undefined> {
  const { changes } = view.history ?? (await readHistory(repository, view)) ?? { changes: [] }
  const since = changes.findIndex(({ commit }) => commit === annotated.commit)
  const { region, code } = annotated
  const hasName = async ({ commit, path }: FileChange) => {
    const then = await repository.versions.at(commit, path)
    return then !== undefined && isMentioned(then.text, code.anchor)
  }
  const hasUnit = async ({ commit, path }: FileChange) =>
    hasKind(await unitsAt(repository, commit, path, code.anchor), region)
  const annotatedVersion = changes[since]
  // A unit with a signature was in that version when it was annotated.
  const isKnown = region.signature_hash !== undefined
  if (annotatedVersion === undefined || !(isKnown || (await hasUnit(annotatedVersion)))) {
    return undefined
  }
  for (const has of [hasName, hasUnit]) {
    const { lost, before } = await bisect(changes, since, has)
    const loss = lost && (await lossIn(repository, annotated, lost.commit, before?.path))
    if (loss !== undefined) return loss
  }
  return undefined
}

/** Two changes that follow each other: before the first of them there was something, after it there was not. */
async function bisect(
  changes: readonly FileChange[],
  since: number,
  has: (version: FileChange) => Promise<boolean>,
): Promise<{ readonly lost: FileChange | undefined; readonly before: FileChange | undefined }> {
  // Newest first: `gone` is without it, `there` still has it.
  let [gone, there] = [-1, since]
  while (there - gone > 1) {
    const middle = middleOf(changes, gone, there)
    const version = changes[middle]
    if (version !== undefined && (await has(version))) there = middle
    else gone = middle
  }
  return { lost: changes[gone], before: changes[there] }
}

/** A position between these two, counted from the oldest version, whose number stays when commits are added. */
export function middleOf(changes: readonly FileChange[], newer: number, older: number): number {
  return changes.length - meetingPoint(changes.length - older, changes.length - newer)
}

/**
 * The number between two others that most powers of two divide. Searches between different ends meet at the same few
 * versions, each of which has to be parsed only once.
 */
function meetingPoint(low: number, high: number): number {
  let step = 1
  const above = (size: number) => (Math.floor(low / size) + 1) * size
  while (above(step * 2) < high) step *= 2
  return above(step)
}

function hasKind(units: readonly Unit[], { ast_anchor: anchor }: AnnotatedUnit['region']): boolean {
  return units.some((unit) => isSameKind(unit.type, anchor?.type ?? 'unknown'))
}

/** The units of this name in a version of the file, which is not parsed if it does not mention the name. */
export async function unitsAt(
  repository: Repository,
  commit: CommitId,
  path: string,
  name: string,
): Promise<readonly Unit[]> {
  const then = await repository.versions.at(commit, path)
  if (then === undefined || !isMentioned(then.text, name)) return []
  const { units } = await repository.outlines.of({ path, ...then })
  return unitsCalled(units, name)
}

/** The history of a file whose view was made without it. */
export async function readHistory(
  repository: Repository,
  { path, file }: FileView,
): Promise<FileHistory | undefined> {
  const head = file.committed === undefined ? undefined : await repository.head()
  return head === undefined ? undefined : await repository.histories.of(head, path)
}
