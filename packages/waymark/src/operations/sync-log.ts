import type { Context } from '../context.ts'
import type { Repository } from '../git/repository.ts'
import { compact } from '../replica/compact.ts'
import { type LogLine } from '../replica/log-line.ts'
import { type LogUpdate, type LogVersion, mergeLogs, moveLog, readLog } from '../replica/log-ref.ts'
import { readSegment, writeSegments } from '../replica/log-tree.ts'
import type { LoroModule } from '../replica/loro.ts'
import { type Outgoing, toOutgoing } from '../replica/outgoing.ts'
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
}

/** Prepares a sync, before anything is fetched or read. */
export async function startSync(
  context: Context,
  loro: LoroModule,
  repository: Repository,
): Promise<LogSync> {
  const { tip } = await readLog(repository)
  const wasWritten = (await context.store.replica.knownSegments()).size > 0
  const isLogLost = tip === undefined && wasWritten
  return { context, loro, repository, read: new Set(), isLogLost }
}

/** Reads what is new in a version of the log. */
export async function takeInLog(
  { context, loro, repository, read }: LogSync,
  { tree }: LogVersion,
  incoming: Incoming,
): Promise<void> {
  const known = await context.store.replica.knownSegments()
  const fresh = [...tree].filter(([name, blob]) => !known.has(name) && !read.has(blob))
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
    await takeIn(context, loro, { lines, isLogged: true }, incoming)
    await context.store.write(({ replica }) => replica.addSegments(finished), context)
    if (fresh.length > SEGMENTS_AT_ONCE) {
      const done = Math.min(at + SEGMENTS_AT_ONCE, fresh.length)
      context.logger.info('reading the log', { segments: done, of: fresh.length })
    }
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
  await absorbAll(context, loro)
  const ours = await readLog(repository)
  const outgoing = await collectOutgoing(sync, sync.isLogLost && ours.tip === undefined)
  const gone = outgoing.filter(({ stored }) => stored.document === null)
  const erased = new Set([...purged, ...gone.map(({ stored }) => stored.entityId)])
  const added = await writeSegments(repository, toSegments(outgoing.map(({ line }) => line)))
  const plain: LogUpdate = { ours, theirs, added, removed: new Set() }
  const merged = await mergeLogs(repository, plain)
  const { segments, removed } = await compact(repository, merged, erased)
  const packed = await writeSegments(repository, segments)
  const tree = new Map([...[...merged].filter(([name]) => !removed.has(name)), ...packed])
  if (!(await moveLog(repository, plain, tree))) return undefined
  await markLogged(context, outgoing, [...added.keys(), ...packed.keys()])
  return outgoing.length
}

/** Whatever the log lacks; everything when it was lost. */
async function collectOutgoing(
  { context, loro }: LogSync,
  isLost: boolean,
): Promise<readonly Outgoing[]> {
  const { replica } = context.store
  const outgoing: Outgoing[] = []
  for (let last = ''; ;) {
    const page = await (isLost ? replica.documents(last, AT_ONCE) : replica.dirty(last, AT_ONCE))
    if (page.length === 0) return outgoing
    context.signal.throwIfAborted()
    for (const stored of page) outgoing.push(toOutgoing(loro, stored, { sinceStart: isLost }))
    last = page.at(-1)?.entityId ?? last
  }
}

async function markLogged(
  context: Context,
  outgoing: readonly Outgoing[],
  segments: readonly string[],
): Promise<void> {
  for (let at = 0; at < outgoing.length; at += AT_ONCE) {
    await context.store.write(async ({ replica }) => {
      for (const { stored, version } of outgoing.slice(at, at + AT_ONCE)) {
        await replica.markLogged(stored, version)
      }
    })
  }
  // What we wrote ourselves need not be read again.
  if (segments.length > 0) await context.store.write(({ replica }) => replica.addSegments(segments))
}
