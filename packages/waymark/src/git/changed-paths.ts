import type { GitCalls } from './repository.ts'

/**
 * Files that differ from the last commit, staged or not; none before the first commit. Git goes by what the index
 * knows of each file and opens none of them, so no filter of the repository is run.
 */
export async function changedPaths(
  git: GitCalls,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const { exitCode, stdout } = await git.run(
    ['diff-index', '--name-only', '--no-renames', '-z', 'HEAD', '--'],
    signal === undefined ? {} : { signal },
  )
  return exitCode === 0 ? stdout.split('\0').filter((path) => path !== '') : []
}
