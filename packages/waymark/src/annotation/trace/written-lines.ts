import { readFileAt } from '../../git/current-file.ts'
import type { Repository } from '../../git/repository.ts'
import { type AnnotatedLines, countKept, indexLines, type LineIndex } from './kept-lines.ts'
import type { AnnotatedRegion } from './annotated-region.ts'
import type { LineRange } from '../record.ts'

/** Where this share of all annotated lines is left, it does not matter who wrote them. */
const ENOUGH_LEFT = 2 / 3

/**
 * Whether a place still has lines that the annotated commit itself wrote, or most of the annotated ones. After a move these
 * are what its reason is about; a commit that wrote none of them was annotated for what was there already.
 */
export async function hasWrittenLines(
  repository: Repository,
  { commit, region }: AnnotatedRegion,
  before: AnnotatedLines,
  today: { readonly index: LineIndex; readonly lines: LineRange },
): Promise<boolean> {
  const kept = countKept(before, today.index, today.lines)
  if (kept / before.lines.length >= ENOUGH_LEFT) return true
  const parent = (await repository.commits.get(commit))?.parents[0]
  const older = parent === undefined ? undefined : await readFileAt(repository, parent, region.file)
  if (older === undefined) return true
  const { places } = indexLines(older.text)
  const lines = before.lines.filter((line) => !places.has(line))
  return lines.length === 0 || countKept({ ...before, lines }, today.index, today.lines) > 0
}
