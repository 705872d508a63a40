import type { Repository } from '../../git/repository.ts'
import { differingLines } from './differing-lines.ts'
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
  const lines = await writtenLines(repository, annotated, before, older.text)
  if (lines.length === 0) return share >= LEAST_LEFT
  return countKept({ ...before, lines }, index, range) > 0
}

/** So many lines, and such a share of a unit, are more of another one than a phrase that both have. */
export const LEAST_PART = { lines: 3, share: 1 / 3 }

/** Whether a unit that was taken out of the annotated one is to this extent what the annotated commit wrote. */
export async function hasPart(
  repository: Repository,
  annotated: AnnotatedRegion,
  before: AnnotatedLines,
  { index, lines: range }: Today,
): Promise<boolean> {
  const older = await versionBefore(repository, annotated)
  const lines = older ? await writtenLines(repository, annotated, before, older.text) : before.lines
  const kept = countKept({ ...before, lines }, index, range)
  const own = index.lines.slice(range.start - 1, range.end).filter((line) => line !== undefined)
  return kept >= LEAST_PART.lines && kept >= own.length * LEAST_PART.share
}

/** Lines of which the annotated version has more than the one before it. */
async function writtenLines(
  repository: Repository,
  { commit, region }: AnnotatedRegion,
  before: AnnotatedLines,
  older: string,
): Promise<readonly string[]> {
  const then = await repository.versions.at(commit, region.file)
  const differing = differingLines(older, then?.text ?? '')
  const [had, has] = [indexLines(differing.older).places, indexLines(differing.newer).places]
  const countIn = (places: typeof had, line: string) => places.get(line)?.length ?? 0
  return before.lines.filter((line) => countIn(has, line) > countIn(had, line))
}

async function versionBefore(repository: Repository, { commit, region }: AnnotatedRegion) {
  const parent = (await repository.commits.get(commit))?.parents[0]
  return parent === undefined ? undefined : await repository.versions.at(parent, region.file)
}
