import type { Repository } from '../../git/repository.ts'
import { type CommitId, toCommitId } from '../../git/history/commit-id.ts'

/** How many entries of the reflog are read, the newest first. */
const MOST_ENTRIES = 5_000

/** What each amended commit became, according to the log of HEAD in this clone. */
export async function amendedCommits(
  repository: Repository,
): Promise<ReadonlyMap<CommitId, CommitId>> {
  const args = [
    'log',
    '--walk-reflogs',
    `--max-count=${MOST_ENTRIES}`,
    '--format=%H %gs',
    'HEAD',
    '--',
  ]
  const { exitCode, stdout } = await repository.run(args)
  const entries = exitCode === 0 ? stdout.split('\n').filter((entry) => entry !== '') : []
  const amended = new Map<CommitId, CommitId>()
  for (const [at, entry] of entries.entries()) {
    const [to = '', ...action] = entry.split(' ')
    const [from] = entries[at + 1]?.split(' ') ?? []
    if (from !== undefined && action.join(' ').startsWith('commit (amend)'))
      amended.set(toCommitId(from), toCommitId(to))
  }
  return amended
}

/** Where a chain of amends ends; undefined if the commit was never amended. */
export function lastAmend(
  amended: ReadonlyMap<CommitId, CommitId>,
  commit: CommitId,
): CommitId | undefined {
  const passed = new Set<CommitId>()
  let last: CommitId | undefined
  for (let next = amended.get(commit); next !== undefined; next = amended.get(next)) {
    if (passed.has(next)) break
    passed.add(next)
    last = next
  }
  return last
}

/** Author, time of authorship and subject of commits: a rebase, a cherry-pick and their conflicts keep all three. */
export async function authorshipOf(
  repository: Repository,
  commits: readonly CommitId[],
): Promise<ReadonlyMap<CommitId, string>> {
  if (commits.length === 0) return new Map()
  const args = ['log', '--no-walk=unsorted', '--stdin', '--format=%H%x00%ae%x00%at%x00%s']
  const listed = await repository.ask(args, { input: `${commits.join('\n')}\n` })
  return new Map(
    listed.split('\n').flatMap((entry) => {
      const at = entry.indexOf('\0')
      return at === -1 ? [] : [[toCommitId(entry.slice(0, at)), entry.slice(at + 1)] as const]
    }),
  )
}
