import type { Context } from '../../core/context.ts'
import type { ProvenanceOperation, Region } from '../record.ts'
import { patchIdBetween, patchIds } from './patch-ids.ts'
import type { Repository } from '../../git/repository.ts'
import type { AnnotationRow } from '../store.ts'
import { annotatedFiles } from '../region/annotated-files.ts'
import type { Code } from '../write/open-code.ts'
import { amendedCommits, authorshipOf, lastAmend } from './rewritten-commits.ts'
import type { Standing } from './verify.ts'
import { type CommitId, toCommitId, toCommitIds } from '../../git/history/commit-id.ts'

/** How a replacement was identified. */
export const MATCHES = ['patch_id', 'reflog', 'squash', 'authorship', 'content'] as const
type Match = (typeof MATCHES)[number]

/** The commit that replaced one that is no longer in the history, and how it was identified. */
export type Successor =
  | {
      readonly to: CommitId
      readonly how: Match
      readonly operation: ProvenanceOperation
    }
  | { readonly candidates: readonly CommitId[] }

/** How many commits of the checked out history are compared, counted from the newest. */
const MOST_CANDIDATES = 3_000
/** Tolerated clock difference between two machines. */
const CLOCK_SKEW_MS = 10 * 60 * 1000
/** How many versions of one file are searched for the annotated code. */
const MOST_VERSIONS = 100

/**
 * Finds the commits that replaced lost ones: the same patch id (rebase, cherry-pick), an amend in the reflog, the patch id
 * of a whole branch (squash), the same author, time and subject (a conflict was resolved), or the first version of a file
 * with exactly the annotated code. An ambiguous match counts as none.
 */
export async function findSuccessors(
  context: Context,
  code: Code,
  lost: readonly AnnotationRow[],
  standing: ReadonlyMap<CommitId, Standing>,
): Promise<ReadonlyMap<CommitId, Successor>> {
  const { repository, head } = code
  if (head === undefined || lost.length === 0) return new Map()
  const present = [...new Set(lost.map(({ commit }) => commit))].filter(
    (commit) => standing.get(commit) !== 'missing',
  )
  const candidates = await candidatesFor(repository, head.id, present)
  const byPatch = groupBy(await patchIds(repository, candidates))
  const own = await patchIds(repository, present)
  const found = new Map<CommitId, Successor>()
  for (const commit of present) {
    const fits = byPatch.get(own.get(commit) ?? '') ?? []
    if (fits.length === 0) continue
    const operation = standing.get(commit) === 'elsewhere' ? 'cherry_pick' : 'rebase'
    found.set(commit, choose(fits, 'patch_id', operation))
  }
  const open = () => present.filter((each) => !found.has(each))
  for (const [commit, to] of await findAmended(repository, head.id, open())) {
    found.set(commit, { to, how: 'reflog', operation: 'amend' })
  }
  for (const commit of open()) {
    const squashed = await findSquash(repository, head.id, commit, byPatch)
    if (squashed !== undefined) found.set(commit, squashed)
  }
  for (const [commit, fits] of await findByAuthorship(repository, candidates, open())) {
    const operation = standing.get(commit) === 'elsewhere' ? 'cherry_pick' : 'rebase'
    found.set(commit, choose(fits, 'authorship', operation))
  }
  for (const row of lost.filter(({ commit }) => !found.has(commit))) {
    const introduced = await findByContent(context, code, row)
    if (introduced !== undefined) found.set(row.commit, introduced)
  }
  return found
}

function choose(fits: readonly CommitId[], how: Match, operation: ProvenanceOperation): Successor {
  const [to, ...others] = fits
  return to === undefined || others.length > 0 ? { candidates: fits } : { to, how, operation }
}

/** Commits that were amended, and what is left of them in the checked out history. */
async function findAmended(
  repository: Repository,
  head: CommitId,
  lost: readonly CommitId[],
): Promise<ReadonlyMap<CommitId, CommitId>> {
  if (lost.length === 0) return new Map()
  const amended = await amendedCommits(repository)
  const last = new Map(
    lost.flatMap((commit) => {
      const to = lastAmend(amended, commit)
      return to === undefined ? [] : [[commit, to] as const]
    }),
  )
  const reach = await repository.reachable.from(head, last.values())
  return new Map([...last].filter(([, to]) => reach.get(to) === 'here'))
}

async function findByAuthorship(
  repository: Repository,
  candidates: readonly CommitId[],
  lost: readonly CommitId[],
): Promise<ReadonlyMap<CommitId, readonly CommitId[]>> {
  if (lost.length === 0) return new Map()
  const [own, theirs] = await Promise.all([
    authorshipOf(repository, lost),
    authorshipOf(repository, candidates),
  ])
  const byAuthorship = groupBy(theirs)
  return new Map(
    lost.flatMap((commit) => {
      const fits = byAuthorship.get(own.get(commit) ?? '') ?? []
      return fits.length === 0 ? [] : [[commit, fits] as const]
    }),
  )
}

/** Commits of the checked out history that are not in that of the lost ones. */
async function candidatesFor(
  repository: Repository,
  head: CommitId,
  lost: readonly CommitId[],
): Promise<readonly CommitId[]> {
  if (lost.length === 0) return []
  const bases = await Promise.all(lost.map((commit) => baseOf(repository, commit, head)))
  const known = [...new Set(bases)].filter((base) => base !== undefined)
  const oldest = await repository.commits.getAll(known)
  const since = Math.min(...oldest.map(({ at }) => at))
  const bound = Number.isFinite(since) ? [`--since=${new Date(since).toISOString()}`] : []
  const args = ['rev-list', '--no-merges', `--max-count=${MOST_CANDIDATES}`, ...bound, head]
  return toCommitIds(await repository.ask(args))
}

async function baseOf(
  repository: Repository,
  one: CommitId,
  other: CommitId,
): Promise<CommitId | undefined> {
  const { exitCode, stdout } = await repository.run(['merge-base', one, other])
  return exitCode === 0 ? toCommitId(stdout.trim()) : undefined
}

/** The combined patch of the lost commit or of a branch that still has it: a squash turns it into one commit. */
async function findSquash(
  repository: Repository,
  head: CommitId,
  commit: CommitId,
  byPatch: ReadonlyMap<string, readonly CommitId[]>,
): Promise<Successor | undefined> {
  const base = await baseOf(repository, commit, head)
  if (base === undefined) return undefined
  for (const tip of [commit, ...(await branchesWith(repository, commit, head))]) {
    const patch = await patchIdBetween(repository, base, tip)
    const fits = byPatch.get(patch ?? '') ?? []
    if (fits.length > 0) return choose(fits, 'squash', 'squash')
  }
  return undefined
}

async function branchesWith(
  repository: Repository,
  commit: CommitId,
  head: CommitId,
): Promise<readonly CommitId[]> {
  const args = [
    'for-each-ref',
    '--format=%(objectname)',
    '--contains',
    commit,
    'refs/heads',
    'refs/remotes',
  ]
  const listed = toCommitIds(await repository.ask(args))
  return [...new Set(listed)].filter((tip) => tip !== head)
}

/** The commit that introduced exactly the annotated code; must be the same for all regions of the record. */
async function findByContent(
  context: Context,
  code: Code,
  row: AnnotationRow,
): Promise<Successor | undefined> {
  const files = await annotatedFiles(code)
  const introduced = new Set<CommitId>()
  for (const region of row.record.regions) {
    const today = files.find(({ names }) => names.includes(region.file))?.path
    if (today === undefined || region.content_hash === undefined) continue
    for (const commit of await introductionsOf(code, today, region)) introduced.add(commit)
  }
  const later = await laterThan(code, row, [...introduced])
  return later.length === 0 ? undefined : choose(later, 'content', 'squash')
}

/** Commits older than the lost one cannot be its replacement. */
async function laterThan(
  { repository, head }: Code,
  { commit, record }: AnnotationRow,
  introduced: readonly CommitId[],
): Promise<readonly CommitId[]> {
  if ((await repository.objects.info(commit))?.type === 'commit') {
    const listed = await repository.ask(['rev-list', head?.id ?? '', `^${commit}`])
    const later = new Set(toCommitIds(listed))
    return introduced.filter((each) => later.has(each))
  }
  const commits = await repository.commits.getAll(introduced)
  const since = Date.parse(record.timestamp) - CLOCK_SKEW_MS
  return commits.filter(({ at }) => at >= since).map(({ id }) => id)
}

/** Commits of the file's history that have the code although the commit before them had not. */
async function introductionsOf(
  { repository, head }: Code,
  path: string,
  region: Region,
): Promise<readonly CommitId[]> {
  if (head === undefined) return []
  const { changes } = await repository.histories.of(head.id, path)
  const found: CommitId[] = []
  let newer: CommitId | undefined
  for (const { commit, path: then } of changes.slice(0, MOST_VERSIONS)) {
    const isThere = await hasCode(repository, commit, then, region)
    if (!isThere && newer !== undefined) found.push(newer)
    newer = isThere ? commit : undefined
  }
  if (newer !== undefined && changes.length <= MOST_VERSIONS) found.push(newer)
  return found
}

async function hasCode(
  repository: Repository,
  commit: CommitId,
  path: string,
  region: Region,
): Promise<boolean> {
  const file = await repository.versions.at(commit, path)
  if (file === undefined) return false
  const { units } = await repository.outlines.of({ path, ...file })
  return units.some(({ contentHash }) => contentHash === region.content_hash)
}

function groupBy(patches: ReadonlyMap<CommitId, string>): ReadonlyMap<string, readonly CommitId[]> {
  const commits = new Map<string, CommitId[]>()
  for (const [commit, patch] of patches) commits.set(patch, [...(commits.get(patch) ?? []), commit])
  return commits
}
