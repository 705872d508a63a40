import type { GitCalls } from '../repository.ts'
import { type CommitId, toCommitId } from '../history/commit-id.ts'

/** The newest commit that both histories have; undefined when they have nothing in common. */
export async function mergeBase(
  { run }: Pick<GitCalls, 'run'>,
  a: string,
  b: string,
): Promise<CommitId | undefined> {
  if (a === b) return toCommitId(a)
  const { stdout } = await run(['merge-base', a, b])
  return stdout.trim() === '' ? undefined : toCommitId(stdout.trim())
}
