import { setTimeout as sleep } from 'node:timers/promises'
import type { Repository } from '../git/repository.ts'
import { toGitFailure } from '../git/run.ts'
import { FLUSHED, type LogTree, type LogVersion, mergeTrees, readTree } from './log-tree.ts'

/** Where the log is, in every clone. */
export const LOG_REF = 'refs/waymark/log'

type Git = Pick<Repository, 'ask' | 'run' | 'objects'>

export async function readLog(git: Git, ref: string = LOG_REF): Promise<LogVersion> {
  const tip = (await git.objects.info(`${ref}^{commit}`))?.id
  return { tip, tree: await readTree(git, tip) }
}

export interface LogUpdate {
  readonly ours: LogVersion
  readonly theirs: LogVersion
}

/** Both sides as one tree. */
export async function mergeLogs(git: Git, { ours, theirs }: LogUpdate): Promise<LogTree> {
  const base = await readTree(git, await mergeBase(git, ours.tip, theirs.tip))
  return await mergeTrees(git, base, ours.tree, theirs.tree)
}

/**
 * Moves the log to this tree, if it is still where `ours` was read. False when somebody else was faster: then nothing
 * has happened.
 */
export async function moveLog(git: Git, update: LogUpdate, tree: LogTree): Promise<boolean> {
  const { ours, theirs } = update
  const parents = [ours.tip, theirs.tip].filter((tip) => tip !== undefined)
  const heads = await withoutAncestors(git, [...new Set(parents)])
  const [head] = heads
  if (heads.length === 0 && tree.size === 0) return true
  const isThere =
    heads.length === 1 && isSameTree(tree, head === ours.tip ? ours.tree : theirs.tree)
  const next = isThere && head !== undefined ? head : await writeCommit(git, tree, heads)
  if (next === ours.tip) return true
  // An empty old value means that there must be no such ref yet.
  const moved = await git.run([...FLUSHED, 'update-ref', LOG_REF, next, ours.tip ?? ''])
  if (moved.exitCode === 0) return true
  if (!/cannot lock ref|but expected|reference already exists/.test(moved.stderr)) {
    throw toGitFailure(moved)
  }
  await sleep(5 + 20 * Math.random())
  return false
}

async function writeCommit(git: Git, tree: LogTree, parents: readonly string[]): Promise<string> {
  const entries = [...tree].map(([name, blob]) => `100644 blob ${blob}\t${name}\0`)
  const id = (await git.ask([...FLUSHED, 'mktree', '-z'], { input: entries.join('') })).trim()
  const identity = ['-c', 'user.name=waymark', '-c', 'user.email=waymark@localhost']
  const args = [...FLUSHED, '-c', 'commit.gpgSign=false', 'commit-tree', id]
  const options = [...parents.flatMap((parent) => ['-p', parent]), '-m', 'waymark log']
  return (await git.ask([...identity, ...args, ...options])).trim()
}

async function withoutAncestors(git: Git, tips: readonly string[]): Promise<readonly string[]> {
  const [a, b] = tips
  const base = await mergeBase(git, a, b)
  return base === undefined ? tips : tips.filter((tip) => tip !== base)
}

/** Undefined when they have nothing in common. */
async function mergeBase(
  git: Git,
  a: string | undefined,
  b: string | undefined,
): Promise<string | undefined> {
  if (a === undefined || b === undefined || a === b) return undefined
  const { stdout } = await git.run(['merge-base', a, b])
  return stdout.trim() === '' ? undefined : stdout.trim()
}

function isSameTree(a: LogTree, b: LogTree): boolean {
  return a.size === b.size && [...a].every(([name, blob]) => b.get(name) === blob)
}
