import type { Repository } from '../../git/repository.ts'
import { type AnnotatedLines, countKept, indexLines, type LineIndex } from './kept-lines.ts'
import type { AnnotatedRegion } from './annotated-region.ts'
import type { LineRange } from '../record.ts'

/** Where this share of all annotated lines is left, it does not matter who wrote them. */
const ENOUGH_LEFT = 2 / 3
/** So many must be left of lines that the annotated commit had not touched. */
const LEAST_LEFT = 1 / 3

interface Today {
  readonly index: LineIndex
  readonly lines: LineRange
}

/**
 * Whether a place still has lines that the annotated commit itself wrote, or most of the annotated ones. After a move these
 * are what its reason is about; a commit that wrote none of them was annotated for what was there already.
 */
export async function hasWrittenLines(
  repository: Repository,
  annotated: AnnotatedRegion,
  before: AnnotatedLines,
  { index, lines: range }: Today,
): Promise<boolean> {
  if (before.lines.length === 0) return true
  const share = countKept(before, index, range) / before.lines.length
  if (share >= ENOUGH_LEFT || share === 0) return share > 0
  const older = await versionBefore(repository, annotated)
  if (older === undefined) return true
  const { places } = indexLines(older.text)
  const lines = before.lines.filter((line) => !places.has(line))
  if (lines.length === 0) return share >= LEAST_LEFT
  return countKept({ ...before, lines }, index, range) > 0
}

/**
 * Whether the annotated lines can have come to one of these places at all. Most have not, which is found out without
 * parsing any other version.
 */
export async function mayBeIn(
  repository: Repository,
  annotated: AnnotatedRegion,
  before: AnnotatedLines,
  { index, ranges }: { readonly index: LineIndex; readonly ranges: readonly LineRange[] },
): Promise<boolean> {
  if (before.lines.length === 0) return true
  const there = new Set(ranges.flatMap(({ start, end }) => index.lines.slice(start - 1, end)))
  const kept = before.lines.filter((line) => there.has(line))
  if (kept.length === 0) return false
  if (kept.length / before.lines.length >= LEAST_LEFT) return true
  if (before.own.some((line) => there.has(line))) return true
  const older = await versionBefore(repository, annotated)
  return (
    older === undefined || kept.some((line) => !older.text.includes(before.raw.get(line) ?? line))
  )
}

async function versionBefore(repository: Repository, { commit, region }: AnnotatedRegion) {
  const parent = (await repository.commits.get(commit))?.parents[0]
  return parent === undefined ? undefined : await repository.versions.at(parent, region.file)
}
