import type { GitCalls } from '../repository.ts'

/** How many diffs are made at once: they are text, and a commit may change anything. */
const CHUNK = 100
const DIFF = ['-p', '-r', '--root', '--full-index', '--no-ext-diff', '--no-textconv']

/** What each commit changes, as an id that stays the same when the commit is applied elsewhere. Merges have none. */
export async function patchIds(
  git: GitCalls,
  commits: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>()
  for (let at = 0; at < commits.length; at += CHUNK) {
    const input = `${commits.slice(at, at + CHUNK).join('\n')}\n`
    const diffs = await git.ask(['diff-tree', '--stdin', ...DIFF], { input })
    for (const [patch, commit] of await idsIn(git, diffs)) ids.set(commit, patch)
  }
  return ids
}

/** The id of everything that changed between two commits, as if it were one. Undefined if nothing did. */
export async function patchIdBetween(
  git: GitCalls,
  from: string,
  to: string,
): Promise<string | undefined> {
  const diff = await git.ask(['diff-tree', ...DIFF, from, to])
  return (await idsIn(git, diff))[0]?.[0]
}

async function idsIn(
  git: GitCalls,
  diffs: string,
): Promise<readonly (readonly [string, string])[]> {
  const output = await git.ask(['patch-id', '--stable'], { input: diffs })
  return output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [patch = '', commit = ''] = line.split(' ')
      return [patch, commit] as const
    })
}
