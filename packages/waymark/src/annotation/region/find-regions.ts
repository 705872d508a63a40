import { type ConfidenceFactors, confidenceOf } from '../confidence.ts'
import { judgeHeir, trustIn, type Verdict } from '../freshness.ts'
import type { AnnotationRecord, Region } from '../record.ts'
import type { AnnotationRow } from '../store.ts'
import type { FileChange } from '../../git/history/file-histories.ts'
import { findOrigins, hasLeft, locateArrival } from '../trace/arrivals.ts'
import type { FileView } from './file-view.ts'
import { type Deadline, NO_DEADLINE } from '../trace/annotated-region.ts'
import { locateRegion, whatWasAnnotated } from '../trace/locate-region.ts'
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
  /** The commit that took the annotated one back. */
  readonly revertedBy?: string
}

/** The regions of a file, and how many there was no time to look for. */
export interface FoundRegions {
  readonly regions: readonly LocatedRegion[]
  readonly pending: number
}

/** All annotated regions of a file, including those recorded under its earlier names. */
export async function findRegions(code: Code, view: FileView): Promise<readonly LocatedRegion[]> {
  return (await findRegionsUntil(code, view, NO_DEADLINE)).regions
}

/** What is found before the deadline. The search goes on in the background, and its results are cached. */
export async function findRegionsSoon(code: Code, view: FileView): Promise<FoundRegions> {
  const budget = Math.max(LEAST_MS, code.repository.histories.costOf(view.path) / 2)
  const end = performance.now() + budget
  return await findRegionsUntil(code, view, { isOver: () => performance.now() > end })
}

async function findRegionsUntil(
  code: Code,
  view: FileView,
  deadline: Deadline,
): Promise<FoundRegions> {
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
      (each) => ({
        ...each,
        commits,
      }),
    ),
  )
  const candidates: readonly Candidate[] = [
    ...own,
    ...equal.map((each) => ({ ...each, commits: [] })),
    ...others,
  ]
  return await locateAll(code, view, candidates, deadline)
}

/** However fast git was, this much time may be taken for finding regions. */
const LEAST_MS = 300
/** So many are looked for however long it takes: answers about ordinary files shall not depend on the machine's load. */
const ALWAYS = 10

interface Candidate {
  readonly commit: string
  readonly record: AnnotationRecord
  readonly region: Region
  /** For a region of another file: commits that changed both files. */
  readonly commits?: readonly string[]
}

async function locateAll(
  code: Code,
  view: FileView,
  candidates: readonly Candidate[],
  deadline: Deadline,
): Promise<FoundRegions> {
  const { repository, head } = code
  const reach =
    head === undefined
      ? new Map<string, string>()
      : await repository.reachable.from(
          head.id,
          candidates.map(({ commit }) => commit),
        )
  const located: LocatedRegion[] = []
  const take = async (candidates: readonly Candidate[], until: Deadline) => {
    const left: Candidate[] = []
    for (const [at, candidate] of candidates.entries()) {
      const isHere = reach.get(candidate.commit) === 'here'
      const limit = at < ALWAYS ? { ...until, isOver: () => false } : until
      const verdict = await locateCached(code, view, candidate, limit)
      if (verdict === undefined) left.push(candidate)
      // What was said on another branch, or of a commit that was squashed away, holds here only of the very same code.
      if (verdict === undefined || verdict === null || (!isHere && !isUnchanged(verdict))) continue
      located.push(await weigh(code, view, { ...candidate, verdict, isReattached: !isHere }))
    }
    return left
  }
  // The few that need many versions of the file shall not take the time of all others.
  const lost = await take(candidates, { ...deadline, isQuick: true })
  const pending = await take(lost, deadline)
  repository.traces.of(view)?.save()
  if (pending.length > 0) locateLater(code, view, pending)
  return { regions: withoutRepeated(located), pending: pending.length }
}

/** Fills the cache for the next question. Whatever goes wrong, that question will tell. */
function locateLater(code: Code, view: FileView, pending: readonly Candidate[]): void {
  const work = async () => {
    for (const candidate of pending) await locateCached(code, view, candidate, NO_DEADLINE)
    code.repository.traces.of(view)?.save()
  }
  setTimeout(() => void work().catch(() => undefined), 0).unref()
}

/** Null if the region is not in this file, undefined if there was no time left to find out. */
async function locateCached(
  code: Code,
  view: FileView,
  candidate: Candidate,
  deadline: Deadline,
): Promise<Verdict | null | undefined> {
  const traces = code.repository.traces.of(view)
  const key = keyOf(candidate)
  const known = traces?.get(key)
  if (known !== undefined) return known
  const started = deadline.isOver()
  const verdict = await locate(code, view, candidate, deadline)
  // After the deadline a verdict rests on less than all evidence.
  if (verdict !== undefined && !started && !deadline.isOver()) traces?.set(key, verdict)
  return verdict
}

async function locate(
  code: Code,
  view: FileView,
  candidate: Candidate,
  deadline: Deadline,
): Promise<Verdict | null | undefined> {
  const { repository } = code
  const { region, commits } = candidate
  const isFromCopy = commits === undefined && region.file !== view.path
  if (commits === undefined && !(isFromCopy && (await isStillThere(code, region)))) {
    return await locateRegion(repository, view, candidate, deadline)
  }
  if (deadline.isOver()) return undefined
  const known = await whatWasAnnotated(repository, candidate)
  if (known.anchor === undefined || !view.outline.supported) return null
  const unit = { ...candidate, code: { ...known, anchor: known.anchor } }
  if (!(await hasLeft(code, unit))) return null
  const same = view.outline.units.find(({ contentHash }) => contentHash === known.contentHash)
  if (same !== undefined) return judgeHeir(known, same, view.path)
  return (await locateArrival(repository, view, unit, commits ?? [])) ?? null
}

/** A file that still exists has not become this one, although Git may call it a rename. */
async function isStillThere({ repository, head }: Code, { file }: Region): Promise<boolean> {
  return head !== undefined && (await repository.trees.files(head.id)).has(file)
}

function keyOf({ commit, region, commits }: Candidate): string {
  const { file, lines, ast_anchor: anchor, content_hash: hash } = region
  const place = [file, anchor?.type, anchor?.name, lines?.start, lines?.end, hash]
  return `${commits === undefined ? '' : 'from '}${commit} ${place.join(' ')}`
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
  const revertedBy = revertOf(changes, commit)
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
    ...(revertedBy !== undefined && { revertedBy }),
  }
}

/** The commit that took this one back, unless that was taken back itself. */
function revertOf(changes: readonly FileChange[], commit: string): string | undefined {
  const reverts = changes.filter(({ reverts: ids = [] }) => ids.some((id) => commit.startsWith(id)))
  return reverts.find((revert) => revertOf(changes, revert.commit) === undefined)?.commit
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
