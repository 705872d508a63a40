import { type ConfidenceFactors, confidenceOf } from '../confidence.ts'
import { trustIn, type Verdict } from '../freshness.ts'
import { overlap } from '../place.ts'
import type { AnnotationRecord, LineRange, Region } from '../record.ts'
import type { FileChange } from '../../git/history/file-histories.ts'
import type { Code } from '../write/open-code.ts'
import { answerBy } from './answer-time.ts'
import { type Candidate, findCandidates } from './candidates.ts'
import type { FileView } from './file-view.ts'
import { type Asked, locateCandidates, locateNamesakes, unitsIn } from './locate-candidates.ts'
import type { CommitId } from '../../git/history/commit-id.ts'

/** An annotated region, where it is today, and how far it can be trusted. */
export interface LocatedRegion {
  readonly commit: CommitId
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
  /** The commit that took the annotated one back. */
  readonly revertedBy?: string
}

/** The regions of a file, and what there was no time to look for. */
export interface FoundRegions {
  readonly regions: readonly LocatedRegion[]
  /** How many annotations. */
  readonly pending: number
  /** Whether earlier names and files of the units were looked for. */
  readonly isWhole: boolean
}

/** All annotated regions of a file, including those recorded under its earlier names. */
export async function findRegions(code: Code, view: FileView): Promise<readonly LocatedRegion[]> {
  const asked = { ranges: undefined, budget: Infinity, end: Infinity }
  return (await find(code, view, asked)).regions
}

/** However fast git was, this much time may be taken for finding regions. */
const LEAST_MS = 150

/** The regions of a file, or of some lines of it, that are found before the deadline. */
export async function findRegionsSoon(
  code: Code,
  view: FileView,
  ranges: readonly LineRange[] | undefined,
): Promise<FoundRegions> {
  const budget = Math.max(LEAST_MS, code.repository.histories.costOf(view.path) / 2)
  return await find(code, view, { ranges, budget, end: answerBy(code, view) })
}

async function find(
  code: Code,
  view: FileView,
  { budget, end, ranges }: Omit<Asked, 'deadline'> & { readonly budget: number },
): Promise<FoundRegions> {
  const part = { units: unitsIn(view, ranges), ranges, end }
  // Errors are left to what follows, which reports them.
  if (end !== Infinity) locateNamesakes(code, view, part).catch(() => undefined)
  const { candidates, unread, isWhole } = await findCandidates(code, view, part)
  const { repository, head } = code
  const commits = candidates.map(({ commit }) => commit)
  const reach = head && (await repository.reachable.from(head.id, commits))
  const last = Math.min(performance.now() + budget, end)
  const deadline = { isOver: () => performance.now() > last }
  const asked = { deadline, ranges, end }
  const { located, pending } = await locateCandidates(code, view, candidates, asked)
  const told = located.map(({ candidate, verdict }) => {
    const isReattached = reach?.get(candidate.commit) !== 'here'
    return { ...candidate, verdict, isReattached }
  })
  const mayBeAsked = ({ lines }: Verdict) =>
    ranges === undefined || lines === undefined || ranges.some((range) => overlap(range, lines))
  const changes = indexChanges(view.history?.changes ?? [])
  // What was said on another branch, or of a commit that was squashed away, holds here only of the very same code.
  const regions = await Promise.all(
    told
      .filter(({ verdict }) => mayBeAsked(verdict))
      .filter(({ verdict, isReattached }) => !isReattached || isUnchanged(verdict))
      .map((each) => weigh(code, { path: view.path, changes }, each)),
  )
  return { regions: withoutRepeated(regions), pending: pending + unread, isWhole }
}

async function weigh(
  { repository, head, settings }: Code,
  { path, changes }: { readonly path: string; readonly changes: IndexedChanges },
  found: Candidate & Pick<LocatedRegion, 'verdict' | 'isReattached'>,
): Promise<LocatedRegion> {
  const { commit, record, region, verdict, isReattached } = found
  const known = await repository.commits.get(commit)
  const committedAt = known?.at ?? (Date.parse(record.timestamp) || 0)
  const position = changes.positions.get(commit)
  const revertedBy = revertOf(changes.reverts, commit)
  const { confidence, factors } = confidenceOf(
    {
      ageMs: (head?.at ?? committedAt) - committedAt,
      contextLevel: record.context_level,
      fit: verdict.fit,
      operation: isReattached ? 'squash' : record.provenance.operation,
      corrections: region.corrections,
      trust: trustIn(verdict, revertedBy !== undefined),
    },
    settings,
  )
  const commitsSince = position ?? (await newerThan(repository, changes.all, committedAt))
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
    ...(revertedBy !== undefined && { revertedBy }),
  }
}

/** The changes of a file, newest first. */
interface IndexedChanges {
  readonly all: readonly FileChange[]
  readonly positions: ReadonlyMap<string, number>
  readonly reverts: readonly FileChange[]
}

function indexChanges(all: readonly FileChange[]): IndexedChanges {
  const positions = new Map<string, number>()
  for (const [at, { commit }] of all.entries()) {
    if (!positions.has(commit)) positions.set(commit, at)
  }
  return { all, positions, reverts: all.filter(({ reverts }) => reverts !== undefined) }
}

/** The commit that took this one back, unless that was taken back itself. */
function revertOf(changes: readonly FileChange[], commit: CommitId): string | undefined {
  const reverts = changes.filter(({ reverts: ids = [] }) => ids.some((id) => commit.startsWith(id)))
  return reverts.find((revert) => revertOf(changes, revert.commit) === undefined)?.commit
}

async function newerThan(
  repository: Code['repository'],
  changes: readonly { readonly commit: CommitId }[],
  at: number,
): Promise<number> {
  const commits = await repository.commits.getAll(changes.map(({ commit }) => commit))
  return commits.filter((commit) => commit.at > at).length
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
