import type { GitCalls } from '../repository.ts'

/** The newest commit that both histories have; undefined when they have nothing in common. */
export async function mergeBase(
  { run }: Pick<GitCalls, 'run'>,
  a: string,
  b: string,
): Promise<string | undefined> {
  if (a === b) return a
  const { stdout } = await run(['merge-base', a, b])
  return stdout.trim() === '' ? undefined : stdout.trim()
}
