import type { GitCalls } from '../repository.ts'

/**
 * Without looking for changed files in submodules: that starts git in each of them, with its configuration and filters in
 * force. Another commit that is checked out in a submodule is still reported.
 */
const ARGUMENTS = ['diff-index', '--name-only', '--no-renames', '--ignore-submodules=dirty', '-z']

/**
 * Files that differ from the last commit, staged or not; none before the first commit. Git goes by what the index
 * knows of each file; where it has to read one, it knows no filter of the repository's.
 */
export async function changedPaths(
  git: GitCalls,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const { exitCode, stdout } = await git.run(
    [...ARGUMENTS, 'HEAD', '--'],
    signal === undefined ? {} : { signal },
  )
  return exitCode === 0 ? stdout.split('\0').filter((path) => path !== '') : []
}
