import type { GitCalls } from './repository.ts'

/**
 * Without files in submodules: git would be started in each of them, with the configuration and the filters that it
 * has. That another commit of a submodule is checked out is a change all the same.
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
