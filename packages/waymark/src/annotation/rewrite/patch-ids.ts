import type { GitCalls } from '../../git/repository.ts'
import { type CommitId, toCommitId } from '../../git/history/commit-id.ts'

const DIFF = ['-p', '-r', '--root', '--full-index', '--no-ext-diff', '--no-textconv']

/** What each commit changes, as an id that stays the same when the commit is applied elsewhere. Merges have none. */
export async function patchIds(
  git: GitCalls,
  commits: readonly CommitId[],
): Promise<ReadonlyMap<CommitId, string>> {
  if (commits.length === 0) return new Map()
  const ids = await idsOf(git, ['--stdin', ...DIFF], `${commits.join('\n')}\n`)
  return new Map(ids.map(([patch, commit]) => [toCommitId(commit), patch]))
}

/** The id of everything that changed between two commits, as if it were one. Undefined if nothing did. */
export async function patchIdBetween(
  git: GitCalls,
  from: CommitId,
  to: CommitId,
): Promise<string | undefined> {
  return (await idsOf(git, [...DIFF, from, to]))[0]?.[0]
}

/** The diffs go from git to git: they are text, and a commit may change anything. */
async function idsOf(
  git: GitCalls,
  diff: readonly string[],
  input?: string,
): Promise<readonly (readonly [string, string])[]> {
  const output = await git.pipe(['diff-tree', ...diff], ['patch-id', '--stable'], input)
  return output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [patch = '', commit = ''] = line.split(' ')
      return [patch, commit] as const
    })
}
