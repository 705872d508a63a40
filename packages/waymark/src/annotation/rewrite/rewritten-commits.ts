import type { Repository } from '../../git/repository.ts'

/** How many entries of the reflog are read, the newest first. */
const MOST_ENTRIES = 5_000

/** What each amended commit became, according to the log of HEAD in this clone. */
export async function amendedCommits(repository: Repository): Promise<ReadonlyMap<string, string>> {
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
  const amended = new Map<string, string>()
  for (const [at, entry] of entries.entries()) {
    const [to = '', ...action] = entry.split(' ')
    const [from] = entries[at + 1]?.split(' ') ?? []
    if (from !== undefined && action.join(' ').startsWith('commit (amend)')) amended.set(from, to)
  }
  return amended
}

/** Where a chain of amends ends; undefined if the commit was never amended. */
export function lastAmend(
  amended: ReadonlyMap<string, string>,
  commit: string,
): string | undefined {
  const passed = new Set<string>()
  let last: string | undefined
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
  commits: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (commits.length === 0) return new Map()
  const args = ['log', '--no-walk=unsorted', '--stdin', '--format=%H%x00%ae%x00%at%x00%s']
  const listed = await repository.ask(args, { input: `${commits.join('\n')}\n` })
  return new Map(
    listed.split('\n').flatMap((entry) => {
      const at = entry.indexOf('\0')
      return at === -1 ? [] : [[entry.slice(0, at), entry.slice(at + 1)] as const]
    }),
  )
}
