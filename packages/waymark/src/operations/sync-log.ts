import type { Context } from '../context.ts'
import type { Repository } from '../git/repository.ts'
import { compact } from '../replica/compact.ts'
import { type LogLine } from '../replica/log-line.ts'
import { type LogUpdate, type LogVersion, mergeLogs, moveLog, readLog } from '../replica/log-ref.ts'
import { type LogTree, readSegment, writeSegments } from '../replica/log-tree.ts'
import type { LoroModule } from '../replica/loro.ts'
import { toOutgoing } from '../replica/outgoing.ts'
import type { Progress } from '../progress.ts'
import { toSegments } from '../replica/segment.ts'
import { absorbAll, type Incoming, takeIn } from './merge.ts'

const AT_ONCE = 500
const SEGMENTS_AT_ONCE = 8

export interface LogSync {
  readonly context: Context
  readonly loro: LoroModule
  readonly repository: Repository
  /** Blobs that were read on the way: a sync that starts again reads only what is new. */
  readonly read: Set<string>
  /** The log was here and is gone, with whatever was in it and nowhere else: then all of it is written again. */
  readonly isLogLost: boolean
  readonly progress: Progress
}

/** Prepares a sync, before anything is fetched or read. */
export async function startSync(
  context: Context,
  { loro, repository, progress }: Pick<LogSync, 'loro' | 'repository' | 'progress'>,
): Promise<LogSync> {
  const { tip } = await readLog(repository)
  const wasWritten = (await context.store.replica.knownSegments()).size > 0
  const isLogLost = tip === undefined && wasWritten
  return { context, loro, repository, read: new Set(), isLogLost, progress }
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
  const ours = await readLog(repository)
  const { sent, segments: added } = await writeOutgoing(
    sync,
    sync.isLogLost && ours.tip === undefined,
  )
  const gone = sent.filter(({ isPurged }) => isPurged).map(({ entityId }) => entityId)
  const plain: LogUpdate = { ours, theirs, added, removed: new Set() }
  const merged = await mergeLogs(repository, plain)
  const { segments, removed } = await compact(repository, merged, new Set([...purged, ...gone]))
  const packed = await writeSegments(repository, segments)
  const tree = new Map([...[...merged].filter(([name]) => !removed.has(name)), ...packed])
  if (!(await moveLog(repository, plain, tree))) return undefined
  await markLogged(context, sent, [...added.keys(), ...packed.keys()])
  return sent.length
}

interface Sent {
  readonly entityId: string
  readonly revision: number
  readonly version: Uint8Array
  readonly isPurged: boolean
}

/**
 * Writes segments with whatever the log lacks; with everything when it was lost. Nobody sees them before the log moves.
 * Only a page at a time is in memory: of what was written there remains what has to be remembered about it.
 */
async function writeOutgoing(
  { context, loro, repository, progress }: LogSync,
  isLost: boolean,
): Promise<{ readonly sent: readonly Sent[]; readonly segments: LogTree }> {
  const { replica } = context.store
  const total = isLost ? await replica.countEntities() : await replica.countOutgoing()
  const advance = progress.phase('writing the log', total)
  const sent: Sent[] = []
  const segments = new Map<string, string>()
  for (let last = ''; ;) {
    const page = await (isLost ? replica.documents(last, AT_ONCE) : replica.dirty(last, AT_ONCE))
    if (page.length === 0) return { sent, segments }
    context.signal.throwIfAborted()
    const lines: string[] = []
    for (const { entityId, revision, ...stored } of page) {
      const outgoing = toOutgoing(loro, { entityId, revision, ...stored }, { sinceStart: isLost })
      const isPurged = stored.document === null
      sent.push({ entityId, revision, version: outgoing.version, isPurged })
      lines.push(outgoing.line)
    }
    const written = await writeSegments(repository, toSegments(lines))
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
