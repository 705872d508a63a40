import type { Repository } from '../../git/repository.ts'
import type { FreshnessState } from '../freshness.ts'
import type { LineRange } from '../record.ts'
import { Recent } from '../../git/recent.ts'
import { findCandidates } from '../region/candidates.ts'
import type { FileView } from '../region/file-view.ts'
import { findRegions } from '../region/find-regions.ts'
import type { Code } from '../write/open-code.ts'

export type StateCounts = Readonly<Record<FreshnessState, number>>

/** How far what was written about a file still holds. */
export interface FileCounts {
  readonly regions: StateCounts
  readonly lines: number
  /** Lines of today that some region is about. */
  readonly annotatedLines: number
}

interface Counted {
  /** What the counts depend on. */
  readonly key: string
  readonly counts: FileCounts
}

const REMEMBERED_FILES = 5_000

const countedBy = new WeakMap<Repository, Recent<string, Counted>>()

/** Counted anew only when the file, its annotations, or the history that these belong to have changed. */
export async function countRegions(code: Code, view: FileView): Promise<FileCounts> {
  const { repository } = code
  const known = countedBy.get(repository) ?? new Recent<string, Counted>(REMEMBERED_FILES)
  countedBy.set(repository, known)
  const key = await keyOf(code, view)
  const before = known.get(view.path)
  if (before?.key === key) return before.counts
  const counts = await count(code, view)
  known.set(view.path, { key, counts })
  return counts
}

async function keyOf(code: Code, view: FileView): Promise<string> {
  const { candidates } = await findCandidates(code, view, {
    units: view.outline.units,
    ranges: undefined,
  })
  const commits = candidates.map(({ commit }) => commit)
  const reach = code.head && (await code.repository.reachable.from(code.head.id, commits))
  const about = candidates.map(
    ({ record, commit, region }) =>
      `${record.id} ${record.regions.indexOf(region)} ${commit} ${reach?.get(commit) ?? ''}`,
  )
  return [view.file.blob, view.file.committed?.blob, ...about.toSorted()].join('\n')
}

async function count(code: Code, view: FileView): Promise<FileCounts> {
  const regions = { ...NO_REGIONS }
  const covered: LineRange[] = []
  for (const { verdict } of await findRegions(code, view)) {
    regions[verdict.state] += 1
    const lines = verdict.lines ?? verdict.unit?.lines
    if (lines !== undefined && verdict.state !== 'orphaned') covered.push(lines)
  }
  const lines = view.file.text === '' ? 0 : view.file.text.trimEnd().split('\n').length
  return { regions, lines, annotatedLines: countLines(covered, lines) }
}

export const NO_REGIONS: StateCounts = {
  fresh: 0,
  drifted: 0,
  moved: 0,
  orphaned: 0,
  unknown: 0,
}

/** Of overlapping ranges each line once. */
function countLines(ranges: readonly LineRange[], last: number): number {
  let [lines, end] = [0, 0]
  for (const range of ranges.toSorted((one, other) => one.start - other.start)) {
    const start = Math.max(range.start, end + 1)
    const to = Math.min(range.end, last)
    if (to >= start) lines += to - start + 1
    end = Math.max(end, to)
  }
  return lines
}
