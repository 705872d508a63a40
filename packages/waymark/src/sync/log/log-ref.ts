import { setTimeout as sleep } from 'node:timers/promises'
import { type NewCommit, toCommitText } from '../../git/objects/commit/commit-text.ts'
import { signCommit } from '../../git/objects/commit/sign-commit.ts'
import type { ObjectWriter } from '../../git/objects/object-writer.ts'
import { mergeBase } from '../../git/refs/merge-base.ts'
import { lockedRef, moveRef } from '../../git/refs/move-ref.ts'
import { soundTip } from '../../git/refs/ref-tip.ts'
import type { Repository } from '../../git/repository.ts'
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
  /** The newest commit that both have, if they differ. */
  readonly base: string | undefined
}

/** The log as it is here, beside another version of it. */
export async function readUpdate(git: Git, theirs: LogVersion): Promise<LogUpdate> {
  const ours = await readLog(git)
  const isSame = ours.tip === undefined || theirs.tip === undefined || ours.tip === theirs.tip
  const base = isSame ? undefined : await mergeBase(git, ours.tip, theirs.tip)
  return { ours, theirs, base }
}

/** Both sides as one tree. */
export async function mergeLogs(git: Git, { ours, theirs, base }: LogUpdate): Promise<LogTree> {
  return await mergeTrees(git, await readTree(git, base), ours.tree, theirs.tree)
}

export interface NewLog {
  readonly tree: LogTree
  /** Absent where nothing is to be signed. */
  readonly signing?: LogSigning | undefined
  /** What has the new segments. */
  readonly writer: ObjectWriter
  /** Milliseconds since 1970. */
  readonly at: number
}

interface LogSigning {
  /** New segments with nothing but what was written here. */
  readonly own: ReadonlySet<string>
  /** Other segments are new too: they repeat what came from elsewhere, and are not signed for. */
  readonly hasOthers: boolean
  readonly signal: AbortSignal
}

/** Refs are locked only while they move; a lock older than this was left by a killed process. */
const LOCK_PATIENCE_MS = 5_000

/**
 * Compare-and-swap of the log ref from `ours` to this tree. False, without effect, if another process moved it first.
 */
export async function moveLog(
  git: Git,
  update: LogUpdate,
  { tree, ...written }: NewLog,
): Promise<boolean> {
  const { ours, theirs, base } = update
  const tips = [ours.tip, theirs.tip].filter((tip) => tip !== undefined)
  const heads = [...new Set(tips)].filter((tip) => tip !== base)
  const [head] = heads
  if (heads.length === 0 && tree.size === 0) return true
  const isThere =
    heads.length === 1 && isSameTree(tree, head === ours.tip ? ours.tree : theirs.tree)
  const to = isThere && head !== undefined ? head : await writeLogCommits(git, written, tree, heads)
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

/**
 * Local changes go into a signed commit; repeated changes of others into an unsigned one before it. A signature covers
 * what its commit adds.
 */
async function writeLogCommits(
  git: Git,
  { signing, ...written }: Omit<NewLog, 'tree'>,
  tree: LogTree,
  heads: readonly string[],
): Promise<string> {
  if (signing === undefined || signing.own.size === 0) {
    return await writeLogCommit(written, tree, heads)
  }
  const { own, hasOthers, signal } = signing
  const others = new Map([...tree].filter(([name]) => !own.has(name)))
  const parents = hasOthers ? [await writeLogCommit(written, others, heads)] : heads
  const text = toNewCommit(written, tree, parents)
  await written.writer.flush()
  const commit = written.writer.add('commit', await signCommit(git, text, signal))
  await written.writer.flush()
  return commit
}

/** Answers the commit of a log. */
export async function writeLogCommit(
  written: Pick<NewLog, 'writer' | 'at'>,
  tree: LogTree,
  parents: readonly string[],
): Promise<string> {
  const { writer } = written
  const commit = writer.add('commit', toCommitText(toNewCommit(written, tree, parents)))
  await writer.flush()
  return commit
}

const WHO = 'waymark <waymark@localhost>'
const MESSAGE = 'waymark log'

function toNewCommit(
  { writer, at }: Pick<NewLog, 'writer' | 'at'>,
  tree: LogTree,
  parents: readonly string[],
): NewCommit {
  const entries = [...tree]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, blob]) => [Buffer.from(`100644 ${name}\0`), Buffer.from(blob, 'hex')])
  const id = writer.add('tree', Buffer.concat(entries))
  return { tree: id, parents, who: WHO, at, message: MESSAGE }
}

/** Whether the text of a commit is one that is written for a log. */
export function isLogCommit(text: string): boolean {
  const [header = '', message] = text.split(/\n\n(.*)/s)
  return message === `${MESSAGE}\n` && header.includes(`\ncommitter ${WHO} `)
}

function isSameTree(a: LogTree, b: LogTree): boolean {
  return a.size === b.size && [...a].every(([name, blob]) => b.get(name) === blob)
}
