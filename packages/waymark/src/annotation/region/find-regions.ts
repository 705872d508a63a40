import { type ConfidenceFactors, confidenceOf } from '../confidence.ts'
import type { Verdict } from '../freshness.ts'
import type { AnnotationRecord, Region } from '../record.ts'
import type { AnnotationRow } from '../store.ts'
import { type FileView, viewWithoutHistory } from './file-view.ts'
import { locateRegion } from './locate-region.ts'
import type { Code } from '../write/open-code.ts'

/** An annotated region, where it is today, and how far it can be trusted. */
export interface LocatedRegion {
  readonly commit: string
  /** When that was committed, in milliseconds since 1970. */
  readonly committedAt: number
  readonly record: AnnotationRecord
  readonly region: Region
  readonly path: string
  readonly verdict: Verdict
  readonly confidence: number
  readonly factors: ConfidenceFactors
  /** How many commits have changed the file since. */
  readonly commitsSince: number
  /** Its commit is not in this history, but the code is exactly the annotated one. */
  readonly isReattached: boolean
}

/** All annotated regions of a file, including those recorded under its earlier names. */
export async function findRegions(code: Code, view: FileView): Promise<readonly LocatedRegion[]> {
  const { annotations } = code
  const { readRefs } = code.settings
  const hashes = view.outline.units.map(({ contentHash }) => contentHash)
  const [here, alike] = await Promise.all([
    annotations.inFiles({ refs: readRefs, role: 'region', paths: [...view.names] }),
    annotations.byContent(readRefs, hashes),
  ])
  const own = regionsOf(here, (region) => view.names.has(region.file))
  const candidates = regionsOf(
    alike,
    (region) => !view.names.has(region.file) && hashes.includes(region.content_hash ?? ''),
  )
  const arrived = await filterAsync(candidates, (each) => hasLeft(code, each.region))
  return await locateAll(code, view, [...own, ...arrived])
}

interface Candidate {
  readonly commit: string
  readonly record: AnnotationRecord
  readonly region: Region
}

async function locateAll(
  code: Code,
  view: FileView,
  candidates: readonly Candidate[],
): Promise<readonly LocatedRegion[]> {
  const { repository, head } = code
  const reach =
    head === undefined
      ? new Map<string, string>()
      : await repository.reachable.from(
          head.id,
          candidates.map(({ commit }) => commit),
        )
  const located: LocatedRegion[] = []
  for (const candidate of candidates) {
    const verdict = await locateRegion(repository, view, candidate)
    const isHere = reach.get(candidate.commit) === 'here'
    // What was said on another branch, or of a commit that was squashed away, holds here only of the very same code.
    if (!isHere && !isUnchanged(verdict)) continue
    located.push(await weigh(code, view, { ...candidate, verdict, isReattached: !isHere }))
  }
  return withoutRepeated(located)
}

async function weigh(
  { repository, head, settings }: Code,
  { path, history }: FileView,
  found: Candidate & Pick<LocatedRegion, 'verdict' | 'isReattached'>,
): Promise<LocatedRegion> {
  const { commit, record, region, verdict, isReattached } = found
  const known = await repository.commits.get(commit)
  const committedAt = known?.at ?? (Date.parse(record.timestamp) || 0)
  const changes = history?.changes ?? []
  const position = changes.findIndex((change) => change.commit === commit)
  const { confidence, factors } = confidenceOf(
    {
      ageMs: (head?.at ?? committedAt) - committedAt,
      contextLevel: record.context_level,
      fit: verdict.fit,
      operation: isReattached ? 'squash' : record.provenance.operation,
      corrections: region.corrections,
    },
    settings,
  )
  const commitsSince =
    position === -1 ? await newerThan(repository, changes, committedAt) : position
  return {
    commit,
    committedAt,
    record,
    region,
    path,
    verdict,
    confidence,
    factors,
    commitsSince,
    isReattached,
  }
}

async function newerThan(
  repository: Code['repository'],
  changes: readonly { readonly commit: string }[],
  at: number,
): Promise<number> {
  const commits = await repository.commits.getAll(changes.map(({ commit }) => commit))
  return commits.filter((commit) => commit.at > at).length
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

/** The annotated code is no longer where it was: only then can its equal elsewhere be the same code, moved. */
async function hasLeft(code: Code, region: Region): Promise<boolean> {
  const view = await viewWithoutHistory(code, region.file)
  return !(view?.outline.units ?? []).some(
    ({ contentHash, name }) =>
      contentHash === region.content_hash || name === region.ast_anchor?.name,
  )
}

function isUnchanged({ state, changed }: Verdict): boolean {
  return (state === 'fresh' || state === 'moved') && !changed.some((part) => part !== 'file')
}

/** A copied record is in the notes of several commits; keep the copy with the best match. */
function withoutRepeated(located: readonly LocatedRegion[]): readonly LocatedRegion[] {
  const best = new Map<string, LocatedRegion>()
  for (const one of located) {
    const key = `${one.record.id} ${one.record.regions.indexOf(one.region)}`
    const other = best.get(key)
    if (other === undefined || rankOf(one) > rankOf(other)) best.set(key, one)
  }
  return [...best.values()]
}

function rankOf({ isReattached, confidence, committedAt }: LocatedRegion): number {
  return (isReattached ? 0 : 2) + confidence + committedAt / 1e15
}

async function filterAsync<T>(
  items: readonly T[],
  test: (item: T) => Promise<boolean>,
): Promise<readonly T[]> {
  const kept = await Promise.all(items.map(test))
  return items.filter((_, at) => kept[at])
}
