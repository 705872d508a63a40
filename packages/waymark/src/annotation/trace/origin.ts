import { isSameLeaf, type Unit, unitsCalled } from '../anchor.ts'
import { languageOf } from '../outline/languages.ts'
import { isSameKind } from '../unit-kind.ts'
import type { CommitId } from '../../git/history/commit-id.ts'
import type { Repository } from '../../git/repository.ts'
import { differingLines } from './differing-lines.ts'
import { headOf } from './declaration.ts'
import { cutAnnotated, indexLines } from './kept-lines.ts'
import { LEAST_PART } from './written-lines.ts'

/** A unit as it was called in a file of a commit. */
export interface NamedUnit {
  readonly path: string
  readonly name: string
  readonly type: string
}

/** A commit that brought a unit into a file. */
export interface Birth {
  readonly commit: CommitId
  readonly parent: CommitId
  /** The unit as that commit called it. */
  readonly unit: NamedUnit
  /** The name of the file in the commit before. */
  readonly before: string
  /** Significant lines of today's unit. */
  readonly today: readonly string[]
  /** Some of them are older, as blame says. */
  readonly hasOlderLines: boolean
}

/** A commit that changes more files than that is an import or a mass edit. */
const MOST_FILES = 400
/** Of files that lost lines which the unit has, so many are parsed. */
const MOST_PARSED = 4

/**
 * The unit that a commit renamed or moved to make this one: it had its lines, and the commit took it away. Else the one that
 * the commit took these lines out of.
 */
export async function findOrigin(
  repository: Repository,
  birth: Birth,
): Promise<Origin | undefined> {
  const { commit, unit, before } = birth
  const changed = (await repository.trees.changedBy([commit])).get(commit) ?? []
  const language = languageOf(unit.path, '')
  const others = changed.filter(
    (path) => path !== before && path !== unit.path && languageOf(path, '') === language,
  )
  // Most commits that bring a unit only add lines.
  const isPlain = others.length === 0 && !(await takesLines(repository, birth))
  if (isPlain && !(await mayTakePart(repository, birth))) return undefined
  const newer = await versionAt(repository, commit, unit.path)
  const [born] = unitsCalled(newer?.units ?? [], unit.name)
  if (newer === undefined || born === undefined) return undefined
  const lines = cutAnnotated(newer.text, born.lines).lines
  const here = await changeOf(repository, birth, before, unit.path)
  const best = bestOf({ text: newer.text, unit: born }, lostIn(here), true)
  if (best !== undefined) return best
  const likely = others.length > MOST_FILES ? [] : await likeliest(repository, birth, others, lines)
  const elsewhere = await Promise.all(
    likely.map(async (path) => await changeOf(repository, birth, path, path)),
  )
  const found = elsewhere.map((change) =>
    bestOf({ text: newer.text, unit: born }, lostIn(change), false),
  )
  const kept = found.filter((each) => each !== undefined)
  const moved = kept.toSorted((a, b) => b.kept - a.kept)[0]
  const changes = [here, ...elsewhere]
  return moved ?? splitFrom(born, lines, [...changes.flatMap(shrunkIn), ...changes.flatMap(lostIn)])
}

/** Whether the part of the file that a commit changed had lines that today's unit has. */
async function mayTakePart(
  repository: Repository,
  { commit, parent, before, unit, today, hasOlderLines }: Birth,
): Promise<boolean> {
  if (hasOlderLines) return true
  const [older, newer] = await Promise.all([
    repository.versions.at(parent, before),
    repository.versions.at(commit, unit.path),
  ])
  if (older === undefined) return false
  const { places } = indexLines(differingLines(older.text, newer?.text ?? '').older)
  return today.filter((line) => places.has(line)).length >= LEAST_PART.lines
}

/** The smallest unit that lost most of these lines, if they are enough of the new one. It may have become several. */
function splitFrom(
  born: Unit,
  lines: readonly string[],
  shrunk: readonly LostUnit[],
): Origin | undefined {
  const matches = shrunk
    .filter(({ unit }) => isSameKind(unit.type, born.type))
    .map((each) => ({ ...each, kept: countCommon(each.lines, lines) }))
    .filter(({ kept }) => kept >= LEAST_PART.lines && kept >= lines.length * LEAST_PART.share)
  const [best] = matches.toSorted((a, b) => b.kept - a.kept || a.lines.length - b.lines.length)
  return best && { unit: best.unit, head: best.head, isPart: true }
}

/** Whether a commit removed or changed a line of the file that it brought the unit into. */
async function takesLines(
  repository: Repository,
  { commit, parent, before, unit }: Birth,
): Promise<boolean> {
  const [older, newer] = await Promise.all([
    repository.versions.at(parent, before),
    repository.versions.at(commit, unit.path),
  ])
  if (older === undefined) return false
  const differing = differingLines(older.text, newer?.text ?? '')
  const left = new Map<string, number>()
  for (const line of differing.newer.split('\n')) {
    const text = line.trim()
    left.set(text, (left.get(text) ?? 0) + 1)
  }
  return differing.older.split('\n').some((line) => {
    const text = line.trim()
    const count = left.get(text) ?? 0
    left.set(text, count - 1)
    return text !== '' && count === 0
  })
}

/** The unit that another one was, and the head of its declaration. */
export interface Origin {
  readonly unit: NamedUnit
  readonly head: string | undefined
  /** It became this one only in part: it stayed without these lines, or became others as well. */
  readonly isPart?: true
}

interface Version {
  readonly text: string
  readonly units: readonly Unit[]
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

/** Files that the commit took lines of the unit from, those with most of them first. */
async function likeliest(
  repository: Repository,
  { commit, parent }: Birth,
  paths: readonly string[],
  lines: readonly string[],
): Promise<readonly string[]> {
  const counted = await Promise.all(
    paths.map(async (path) => {
      const [older, newer] = await Promise.all([
        repository.versions.at(parent, path),
        repository.versions.at(commit, path),
      ])
      if (older === undefined) return { path, count: 0 }
      const differing = differingLines(older.text, newer?.text ?? '')
      const [had, has] = [indexLines(differing.older).places, indexLines(differing.newer).places]
      const taken = lines.filter(
        (line) => (had.get(line)?.length ?? 0) > (has.get(line)?.length ?? 0),
      )
      return { path, count: taken.length }
    }),
  )
  return counted
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.count - a.count)
    .slice(0, MOST_PARSED)
    .map(({ path }) => path)
}

interface LostUnit extends Origin {
  readonly lines: readonly string[]
}

/** A file before a commit and after it. */
interface Change {
  readonly path: string
  readonly older: Version | undefined
  readonly newer: Version | undefined
}

async function changeOf(
  repository: Repository,
  { commit, parent }: Birth,
  path: string,
  after: string,
): Promise<Change> {
  const older = await versionAt(repository, parent, path)
  const newer = older && (await versionAt(repository, commit, after))
  return { path, older, newer }
}

/** Units that were in the file before the commit, and are not after it. */
function lostIn({ path, older, newer }: Change): readonly LostUnit[] {
  return older === undefined ? [] : lostBetween(path, older, newer?.units ?? [])
}

/** Units that are in the file before the commit and after it, with the lines that it took out of them. */
function shrunkIn({ path, older, newer }: Change): readonly LostUnit[] {
  if (older === undefined || newer === undefined) return []
  return older.units.flatMap(({ name, type, lines }) => {
    const [same] = unitsCalled(newer.units, name).filter((unit) => isSameKind(unit.type, type))
    if (same === undefined) return []
    const left = cutAnnotated(newer.text, same.lines).lines
    const lost = without(cutAnnotated(older.text, lines).lines, left)
    const unit = { path, name, type }
    return lost.length < LEAST_PART.lines
      ? []
      : [{ unit, head: headOf(older.text, { name, lines }), lines: lost }]
  })
}

/** Lines that are not among these; each of these counts once. */
function without(lines: readonly string[], others: readonly string[]): readonly string[] {
  const left = new Map<string, number>()
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1)
  return lines.filter((line) => {
    const count = left.get(line) ?? 0
    left.set(line, count - 1)
    return count <= 0
  })
}

/** Units of a version of a file that are not among these. */
export function lostBetween(
  path: string,
  older: Version,
  newer: readonly Unit[],
): readonly LostUnit[] {
  const stays = ({ name, type }: Unit) =>
    unitsCalled(newer, name).some((unit) => isSameKind(unit.type, type))
  return older.units
    .filter((unit) => !stays(unit))
    .map(({ name, type, lines }) => ({
      unit: { path, name, type },
      head: headOf(older.text, { name, lines }),
      lines: cutAnnotated(older.text, lines).lines,
    }))
}

/** Least shares of common lines: of the larger part, and of the smaller one. */
const RENAMED = { larger: 1 / 2, smaller: 1 / 4, lines: 1 }
const MOVED = { larger: 1 / 3, smaller: 0, lines: 1 }
const MOVED_AND_RENAMED = { larger: 1 / 2, smaller: 1 / 3, lines: 3 }

interface Match extends Origin {
  readonly kept: number
}

/** Of the lost units the one that became this one, if any did. */
export function bestOf(
  { text, unit: born }: { readonly text: string; readonly unit: Unit },
  lost: readonly LostUnit[],
  isHere: boolean,
): Match | undefined {
  const lines = cutAnnotated(text, born.lines).lines
  const matches = lost.flatMap((each): readonly Match[] => {
    if (!isSameKind(each.unit.type, born.type)) return []
    const isNamesake = isSameLeaf(each.unit.name, born.name)
    const least = isNamesake ? MOVED : isHere ? RENAMED : MOVED_AND_RENAMED
    const kept = countCommon(each.lines, lines)
    const [few, many] = [
      Math.min(each.lines.length, lines.length),
      Math.max(each.lines.length, lines.length),
    ]
    if (kept < least.lines || kept / Math.max(few, 1) < least.larger) return []
    return kept / Math.max(many, 1) < least.smaller
      ? []
      : [{ unit: each.unit, head: each.head, kept }]
  })
  return matches.toSorted(
    (a, b) =>
      b.kept - a.kept ||
      Number(isSameLeaf(b.unit.name, born.name)) - Number(isSameLeaf(a.unit.name, born.name)) ||
      Number(b.unit.type === born.type) - Number(a.unit.type === born.type),
  )[0]
}

function countCommon(some: readonly string[], others: readonly string[]): number {
  return some.length - without(some, others).length
}
