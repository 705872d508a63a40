import { setTimeout as sleep } from 'node:timers/promises'
import { toCommitText } from '../git/objects/commit-text.ts'
import type { ObjectWriter } from '../git/objects/object-writer.ts'
import { mergeBase } from '../git/refs/merge-base.ts'
import { lockedRef, moveRef } from '../git/refs/move-ref.ts'
import { soundTip } from '../git/refs/ref-tip.ts'
import type { Repository } from '../git/repository.ts'
import { type LogTree, type LogVersion, mergeTrees, readTree } from './log-tree.ts'

/** Where the log is, in every clone. */
export const LOG_REF = 'refs/waymark/log'

type Git = Pick<Repository, 'ask' | 'run' | 'objects' | 'layout' | 'root'>

export async function readLog(git: Git, ref: string = LOG_REF): Promise<LogVersion> {
  const tip = await soundTip(git, ref)
  return { tip, tree: await readTree(git, tip) }
}

export interface LogUpdate {
  readonly ours: LogVersion
  readonly theirs: LogVersion
}

/** Both sides as one tree. */
export async function mergeLogs(git: Git, { ours, theirs }: LogUpdate): Promise<LogTree> {
  const base = await readTree(git, await baseOf(git, ours.tip, theirs.tip))
  return await mergeTrees(git, base, ours.tree, theirs.tree)
}

export interface NewLog {
  readonly tree: LogTree
  /** What has the new segments. */
  readonly writer: ObjectWriter
  /** Milliseconds since 1970. */
  readonly at: number
}

/** A ref is locked for the moment in which it moves; a lock that stays for so long was left by a process that was killed. */
const LOCK_PATIENCE_MS = 5_000

/**
 * Moves the log to this tree, if it is still where `ours` was read. False when another process was faster: then nothing
 * has happened.
 */
export async function moveLog(
  git: Git,
  update: LogUpdate,
  { tree, ...written }: NewLog,
): Promise<boolean> {
  const { ours, theirs } = update
  const parents = [ours.tip, theirs.tip].filter((tip) => tip !== undefined)
  const heads = await withoutAncestors(git, [...new Set(parents)])
  const [head] = heads
  if (heads.length === 0 && tree.size === 0) return true
  const isThere =
    heads.length === 1 && isSameTree(tree, head === ours.tip ? ours.tree : theirs.tree)
  const to = isThere && head !== undefined ? head : await writeLogCommit(written, tree, heads)
  if (to === ours.tip) return true
  const deadline = performance.now() + LOCK_PATIENCE_MS
  for (;;) {
    const outcome = await moveRef(git, { ref: LOG_REF, to, from: ours.tip, why: 'waymark log' })
    if (outcome === 'moved') return true
    await sleep(5 + 20 * Math.random())
    if (outcome === 'behind') return false
    if (performance.now() > deadline) throw lockedRef(git, LOG_REF)
  }
}

/** Answers the commit of a log. */
export async function writeLogCommit(
  { writer, at }: Omit<NewLog, 'tree'>,
  tree: LogTree,
  parents: readonly string[],
): Promise<string> {
  const entries = [...tree]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, blob]) => [Buffer.from(`100644 ${name}\0`), Buffer.from(blob, 'hex')])
  const who = 'waymark <waymark@localhost>'
  const text = { tree: writer.add('tree', Buffer.concat(entries)), parents, who, at }
  const commit = writer.add('commit', toCommitText({ ...text, message: 'waymark log' }))
  await writer.flush()
  return commit
}

async function withoutAncestors(git: Git, tips: readonly string[]): Promise<readonly string[]> {
  const [a, b] = tips
  const base = await baseOf(git, a, b)
  return base === undefined ? tips : tips.filter((tip) => tip !== base)
}

async function baseOf(
  git: Git,
  a: string | undefined,
  b: string | undefined,
): Promise<string | undefined> {
  return a === undefined || b === undefined || a === b ? undefined : await mergeBase(git, a, b)
}

function isSameTree(a: LogTree, b: LogTree): boolean {
  return a.size === b.size && [...a].every(([name, blob]) => b.get(name) === blob)
}
