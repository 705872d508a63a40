import type { Context } from '../context.ts'
import { combinePacks } from '../git/objects/combine-packs.ts'
import { objectFormat } from '../git/objects/object-format.ts'
import { ObjectWriter } from '../git/objects/object-writer.ts'
import type { Repository } from '../git/repository.ts'
import { compact } from '../replica/compact.ts'
import { findLost, readCoverage } from '../replica/log-coverage.ts'
import { type LogLine } from '../replica/log-line.ts'
import { type LogUpdate, type LogVersion, mergeLogs, moveLog, readLog } from '../replica/log-ref.ts'
import { type LogTree, readSegment, writeSegments } from '../replica/log-tree.ts'
import type { LoroModule } from '../replica/loro.ts'
import { toOutgoing } from '../replica/outgoing.ts'
import type { Progress } from '../progress.ts'
import { toSegments } from '../replica/segment.ts'
import { ifReadable } from '../store/stored-json.ts'
import { absorbAll, type Incoming, takeIn } from './merge.ts'

const AT_ONCE = 500
const SEGMENTS_AT_ONCE = 8

export interface LogSync {
  readonly context: Context
  readonly loro: LoroModule
  readonly repository: Repository
  /** Blobs that were read on the way: a sync that starts again reads only what is new. */
  readonly read: Set<string>
  /** Entities whose history is damaged here: nothing of them is sent, and the others are not held up. */
  readonly unreadable: Set<string>
  readonly progress: Progress
}

/** Reads what is new in a version of the log. */
export async function takeInLog(
  { context, loro, repository, read, progress }: LogSync,
  { tree }: LogVersion,
  incoming: Incoming,
): Promise<void> {
  const known = await context.store.replica.knownSegments()
  const fresh = [...tree].filter(([name, blob]) => !known.has(name) && !read.has(blob))
  const advance = progress.phase('taking in what others did', fresh.length)
  for (let at = 0; at < fresh.length; at += SEGMENTS_AT_ONCE) {
    const group = fresh.slice(at, at + SEGMENTS_AT_ONCE)
    const lines: LogLine[] = []
    const finished: string[] = []
    for (const [name, blob] of group) {
      const segment = await readSegment(repository, name, blob)
      read.add(blob)
      lines.push(...segment.lines)
      incoming.damaged += segment.damaged
      // A damaged one is read again each time, until an undamaged one takes its place.
      if (segment.isIntact) finished.push(name)
    }
    await takeIn(context, loro, { lines, isLogged: true }, incoming, (done) =>
      advance(at + (group.length * done) / lines.length),
    )
    await context.store.write(({ replica }) => replica.addSegments(finished), context)
  }
}

/**
 * Writes what the log lacks and joins both histories of it. Answers how many entities that were; undefined when
 * another process was faster: then read again and try again.
 */
export async function writeLog(
  sync: LogSync,
  theirs: LogVersion,
  purged: ReadonlySet<string>,
): Promise<number | undefined> {
  const { context, loro, repository } = sync
  await absorbAll(context, loro, sync.progress)
  const update: LogUpdate = { ours: await readLog(repository), theirs }
  const joined = await mergeLogs(repository, update)
  const lost = await findLostFrom(sync, joined)
  if (lost.length > 0) await context.store.write(({ replica }) => replica.forgetLogged(lost))
  using writer = new ObjectWriter(repository, await objectFormat(repository))
  const { sent, segments: added } = await writeOutgoing(sync, writer)
  const gone = sent.filter(({ isPurged }) => isPurged).map(({ entityId }) => entityId)
  const merged = new Map([...joined, ...added])
  const { segments, removed } = await compact(repository, merged, new Set([...purged, ...gone]))
  const packed = await writeSegments(writer, segments)
  const tree = new Map([...[...merged].filter(([name]) => !removed.has(name)), ...packed])
  if (!(await moveLog(repository, update, { tree, writer, at: context.now() }))) return undefined
  await combinePacks(repository, writer.release())
  await markLogged(context, sent, [...added.keys(), ...packed.keys()])
  await rememberLog(context, tree)
  return sent.length
}

/**
 * Entities of which this version of the log lacks what was once written there. When segments have left it, mostly
 * somebody has packed them; but the log may also have been deleted, put back or cut by hand.
 */
export async function findLostFrom(
  { context, loro, repository }: LogSync,
  tree: LogTree,
): Promise<readonly string[]> {
  const { replica } = context.store
  const missing = [...(await replica.loggedSegments())].filter((name) => !tree.has(name))
  if (missing.length === 0) return []
  return await findLost(replica, loro, await readCoverage(repository, tree))
}

async function rememberLog({ store }: Context, tree: LogTree): Promise<void> {
  const logged = await store.replica.loggedSegments()
  const isSame = logged.size === tree.size && [...tree.keys()].every((name) => logged.has(name))
  if (isSame) return
  await store.write(({ replica }) => replica.setLoggedSegments([...tree.keys()]))
}

interface Sent {
  readonly entityId: string
  readonly revision: number
  readonly version: Uint8Array
  readonly isPurged: boolean
}

/**
 * Writes segments with whatever the log lacks. Nobody sees them before the log moves. Only a page at a time is in memory: of what was written there remains what has to be remembered about it.
 */
async function writeOutgoing(
  { context, loro, unreadable, progress }: LogSync,
  writer: ObjectWriter,
): Promise<{ readonly sent: readonly Sent[]; readonly segments: LogTree }> {
  const { replica } = context.store
  const advance = progress.phase('writing the log', await replica.countOutgoing())
  const sent: Sent[] = []
  const segments = new Map<string, string>()
  for (let last = ''; ;) {
    const page = await replica.dirty(last, AT_ONCE)
    if (page.length === 0) return { sent, segments }
    context.signal.throwIfAborted()
    const lines: string[] = []
    for (const stored of page) {
      const { entityId, revision, document } = stored
      const outgoing = ifReadable(() => toOutgoing(loro, stored))
      if (outgoing === undefined) {
        unreadable.add(entityId)
        continue
      }
      sent.push({ entityId, revision, version: outgoing.version, isPurged: document === null })
      lines.push(...outgoing.lines)
    }
    const written = await writeSegments(writer, toSegments(lines))
    for (const [name, blob] of written) segments.set(name, blob)
    advance(sent.length)
    last = page.at(-1)?.entityId ?? last
  }
}

async function markLogged(
  context: Context,
  sent: readonly Sent[],
  segments: readonly string[],
): Promise<void> {
  for (let at = 0; at < sent.length; at += AT_ONCE) {
    await context.store.write(async ({ replica }) => {
      for (const { version, ...document } of sent.slice(at, at + AT_ONCE)) {
        await replica.markLogged(document, version)
      }
    })
  }
  // What we wrote ourselves need not be read again.
  if (segments.length > 0) await context.store.write(({ replica }) => replica.addSegments(segments))
}
