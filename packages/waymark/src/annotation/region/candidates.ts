import { overlap } from '../place.ts'
import type { AnnotationRecord, LineRange, Region } from '../record.ts'
import type { AnnotationRow } from '../store.ts'
import { findOrigins } from '../trace/arrivals.ts'
import { namesakes } from '../trace/locate-unit.ts'
import type { Code } from '../write/open-code.ts'
import type { FileView } from './file-view.ts'
import { blamedCommits } from './scope.ts'
import type { CommitId } from '../../git/history/commit-id.ts'

/** An annotated region that may be in a file of today. */
export interface Candidate {
  readonly commit: CommitId
  readonly record: AnnotationRecord
  readonly region: Region
  /** For a region of another file: commits that changed both files. */
  readonly commits?: readonly CommitId[]
}

/** All annotated regions that may be in a file: its own under all names that it had, and some of other files. */
export async function findCandidates(code: Code, view: FileView): Promise<readonly Candidate[]> {
  const { annotations } = code
  const { readRefs } = code.settings
  const hashes = view.outline.units.map(({ contentHash }) => contentHash)
  const [here, alike, origins] = await Promise.all([
    annotations.inFiles({ refs: readRefs, role: 'region', paths: [...view.names] }),
    annotations.byContent(readRefs, hashes),
    findOrigins(code, view),
  ])
  const own = regionsOf(here, (region) => view.names.has(region.file))
  const equal = regionsOf(
    alike,
    (region) => !view.names.has(region.file) && hashes.includes(region.content_hash ?? ''),
  )
  const known = new Set(equal.map(({ region }) => region))
  const others = origins.flatMap(({ row, commits }) =>
    regionsOf([row], (region) => !view.names.has(region.file) && !known.has(region)).map(
      (each) => ({ ...each, commits }),
    ),
  )
  return [...own, ...equal.map((each) => ({ ...each, commits: [] })), ...others]
}

/** A region is withdrawn by a correction that removes it as a whole. */
function regionsOf(
  rows: readonly AnnotationRow[],
  isWanted: (region: Region) => boolean,
): readonly Candidate[] {
  return rows.flatMap(({ commit, record }) =>
    record.regions
      .filter((region) => isWanted(region) && !isWithdrawn(region))
      .map((region) => ({ commit, record, region })),
  )
}

function isWithdrawn({ corrections }: Region): boolean {
  return corrections.some(
    ({ correction_type: type, field }) => type === 'remove' && field === undefined,
  )
}

/** The name under which the verdict about a region is cached. */
export function keyOf({ commit, region, commits }: Candidate): string {
  const { file, lines, ast_anchor: anchor, content_hash: hash } = region
  const place = [file, anchor?.type, anchor?.name, lines?.start, lines?.end, hash]
  return `${commits === undefined ? '' : 'from '}${commit} ${place.join(' ')}`
}

/** Those that a question about some lines is most likely about come first: time may run out. */
export function likelyFirst(
  view: FileView,
  candidates: readonly Candidate[],
  ranges: readonly LineRange[] | undefined,
): readonly Candidate[] {
  const writers = blamedCommits(view, ranges)
  const rankOf = (candidate: Candidate) => {
    if (candidate.commits !== undefined) return candidate.commits.length > 0 ? 2 : 4
    if (writers.has(candidate.commit) || isNamedIn(view, candidate, ranges)) return 0
    return candidate.region.ast_anchor === undefined || namesakesOf(view, candidate).length === 0
      ? 1
      : 3
  }
  const ranked = candidates.map((candidate) => ({ candidate, rank: rankOf(candidate) }))
  return ranked.toSorted((a, b) => a.rank - b.rank).map(({ candidate }) => candidate)
}

/** Whether a unit of that name has some of these lines. */
export function isNamedIn(
  view: FileView,
  candidate: Candidate,
  ranges: readonly LineRange[] | undefined,
): boolean {
  const units = namesakesOf(view, candidate)
  return units.some(({ lines }) => ranges?.some((range) => overlap(range, lines)) ?? true)
}

function namesakesOf({ outline }: FileView, { region }: Candidate) {
  const anchor = region.ast_anchor?.name
  return anchor === undefined
    ? []
    : namesakes(outline.units, { region, code: { file: region.file, anchor } })
}
