import type { Context } from '../core/context.ts'
import type { Verification } from '../git/objects/verification.ts'
import type { Received } from './arrival.ts'
import { hideCredentials } from '../git/config/config-values.ts'
import { combinePacks } from '../git/objects/combine-packs.ts'
import { objectFormat } from '../git/objects/object-format.ts'
import { ObjectWriter } from '../git/objects/object-writer.ts'
import type { Repository } from '../git/repository.ts'
import { compactIfDue } from './log/compact.ts'
import { findLost, readCoverage } from './log/log-coverage.ts'
import { LIMITS_VERSION } from './log/limits.ts'
import type { RefusedLine } from './log/log-line.ts'
import { readLogOrder } from './log/log-order.ts'
import { mergeLogs, moveLog, readLog, readUpdate } from './log/log-ref.ts'
import {
  type LogTree,
  type LogVersion,
  readSegment,
  type ReadSegment,
  writeSegments,
} from './log/log-tree.ts'
import type { LoroModule } from './document/loro.ts'
import { toOutgoing } from './log/outgoing.ts'
import type { Progress } from '../core/progress.ts'
import { toSegments } from './log/segment.ts'
import type { SyncSettings } from './settings.ts'
import { UNSIGNED, verifySegments } from './log/verify-log.ts'
import type { AsideLine } from './log/set-aside-store.ts'
import { ifReadable } from '../core/store/stored-json.ts'
import { flushLocalChanges, type MergeReport, settleClaims, applyLines } from './merge/merge.ts'
import { withdrawPurges } from './merge/purge-requests.ts'
import type { EntityId } from '../entity/entity-id.ts'

const BATCH_SIZE = 500
const LONGEST_NAME = 200
/** Bytes of segments read per merge batch; a larger segment is a batch of its own. */
const READ_AT_ONCE = 1024 * 1024
/** If a segment has more rejected lines than this, only their count is stored. */
const MOST_ASIDE = 1_000

export interface LogSync {
  readonly context: Context
  readonly loro: LoroModule
  readonly repository: Repository
  readonly settings: SyncSettings
  /** Cache of blobs, so that a retried sync reads only new ones. */
  readonly read: Set<string>
  /** Entities whose local history is damaged: they are not sent, and do not block the others. */
  readonly unreadable: Set<string>
  /** Entities that the log has lost: their whole history is sent again, including changes by others. */
  readonly lost: Set<EntityId>
  readonly progress: Progress
}

/**
 * Merges the new segments of a log version, batch by batch in log order. Each batch is recorded as read, so an
 * interrupted exchange resumes where it stopped.
 */
export async function applyLog(
  sync: LogSync,
  version: LogVersion,
  incoming: MergeReport,
  remote?: string,
): Promise<void> {
  const { context, loro, repository, progress } = sync
  const { segments: fresh, verifications } = await findFresh(sync, version)
  const advance = progress.phase('taking in what others did', fresh.size)
  let done = 0
  for await (const group of inGroups(repository, fresh)) {
    const read = new Map<string, ReadSegment>()
    for (const [name, blob] of group) {
      const verification = verifications.get(name) ?? UNSIGNED
      const segment = await readJudged(sync, name, { blob, verification })
      read.set(name, segment)
      sync.read.add(blob)
      if (segment.isMissing) incoming.damaged += segment.damaged
    }
    const lines = [...read].flatMap(([name, segment]) => {
      const verification = verifications.get(name) ?? UNSIGNED
      return segment.lines.map((line) => ({ ...line, verification }))
    })
    const isLast = done + group.length === fresh.size
    const numbers = isLast ? 'log' : 'later'
    const received = toSynced(remote)
    const given = { lines, isLogged: true, received, numbers } as const
    const before = incoming.refused.length
    await applyLines(context, loro, given, incoming, (count) =>
      advance(done + (group.length * count) / lines.length),
    )
    const refused = incoming.refused.slice(before)
    await remember(sync, new Map(group), read, { refused, verifications })
    done += group.length
  }
  await settleClaims(context, 'log', incoming)
}

/** A remote may be given as a URL, which may contain a password. */
function toSynced(remote: string | undefined): Received {
  if (remote === undefined) return { via: 'sync' }
  return { via: 'sync', remote: hideCredentials(remote).slice(0, LONGEST_NAME) }
}

interface JudgedSegments {
  /** In the order in which they came into the log. */
  readonly segments: LogTree
  readonly verifications: ReadonlyMap<string, Verification>
}

/** Segments that are unread, or were set aside under other limits. */
export async function findFresh(
  { context, repository, read, settings }: LogSync,
  version: LogVersion,
): Promise<JudgedSegments> {
  const { replica } = context.store
  const known = await replica.knownSegments()
  const due = await replica.aside.due(LIMITS_VERSION, !settings.quarantines)
  const aside = await replica.aside.blobs()
  const isFresh = ([name, blob]: readonly [string, string]): boolean => {
    if (read.has(blob)) return false
    if (due.has(name) || due.has('')) return true
    return !known.has(name) && !aside.has(blob)
  }
  const fresh = new Map([...version.tree].filter(isFresh))
  const { tip } = await readLog(repository)
  const seen = tip === version.tip ? undefined : tip
  const order = await readLogOrder(repository, version, fresh, seen)
  const verifications = await verifySegments(repository, order, context.signal)
  return { segments: order.segments, verifications }
}

interface JudgedBlob {
  readonly blob: string
  readonly verification: Verification
}

/** A segment to merge; for a rejected one only its number of lines. */
export async function readJudged(
  { repository, settings }: Pick<LogSync, 'repository' | 'settings'>,
  name: string,
  { blob, verification }: JudgedBlob,
): Promise<ReadSegment> {
  const segment = await readSegment(repository, name, blob)
  const isKeptOut = settings.quarantines && verification.signature !== 'good'
  if (!isKeptOut || segment.isMissing) return segment
  const count = segment.lines.length + segment.refused.length + segment.damaged
  return { lines: [], refused: [], damaged: 0, isIntact: false, unsigned: Math.max(count, 1) }
}

async function* inGroups(
  { objects }: Repository,
  segments: LogTree,
): AsyncGenerator<readonly (readonly [name: string, blob: string])[]> {
  let group: (readonly [string, string])[] = []
  let size = 0
  for (const entry of segments) {
    const bytes = (await objects.info(entry[1]))?.size ?? 0
    if (group.length > 0 && size + bytes > READ_AT_ONCE) {
      yield group
      group = []
      size = 0
    }
    group.push(entry)
    size += bytes
  }
  if (group.length > 0) yield group
}

interface Judgement {
  readonly refused: readonly RefusedLine[]
  readonly verifications: JudgedSegments['verifications']
}

/** Which of these segments have been read, and what of them was set aside. */
async function remember(
  { context }: LogSync,
  blobs: LogTree,
  read: ReadonlyMap<string, ReadSegment>,
  { refused, verifications }: Judgement,
): Promise<void> {
  const byLine = new Map<string, string>()
  for (const [name, { lines }] of read) for (const { hash } of lines) byLine.set(hash, name)
  const late = refused.map((line) => toAside(line, byLine.get(line.hash) ?? ''))
  const aside = [...[...read].flatMap(([name, each]) => asideOf(name, blobs, each)), ...late]
  // A damaged segment is read again when its blob has been replaced.
  const finished = [...read].filter(([, { isIntact }]) => isIntact).map(([name]) => name)
  const isSigned = (name: string) => (verifications.get(name) ?? UNSIGNED) !== UNSIGNED
  await context.store.write(async (tx) => {
    const { replica } = tx
    await replica.addSegments(finished.filter(isSigned), 'other')
    await replica.addSegments(finished)
    const seen = { at: await tx.now(context), limits: LIMITS_VERSION }
    await replica.aside.forget(
      [...read.keys()],
      aside.map(({ hash }) => hash),
    )
    await replica.aside.put(aside, seen)
  }, context)
}

/** What is set aside of one segment before anything of it is merged. */
export function asideOf(
  segment: string,
  blobs: LogTree,
  { refused, damaged, isIntact, isTooLarge, isMissing, unsigned }: ReadSegment,
): readonly AsideLine[] {
  if (isMissing) return []
  const whole = { hash: blobs.get(segment) ?? segment, entityId: undefined, segment }
  if (unsigned !== undefined) return [{ ...whole, reason: 'unsigned', lines: unsigned }]
  if (isTooLarge) return [{ ...whole, reason: 'segment_too_large', lines: 1 }]
  const lines =
    refused.length > MOST_ASIDE
      ? [{ ...whole, hash: segment, reason: refused[0]?.reason ?? '', lines: refused.length }]
      : refused.map((line) => toAside(line, segment))
  if (damaged === 0 && isIntact) return lines
  return [...lines, { ...whole, reason: 'damaged', lines: Math.max(damaged, 1) }]
}

function toAside({ hash, entityId, reason }: RefusedLine, segment: string): AsideLine {
  return { hash, entityId, segment, reason, lines: 1 }
}

/**
 * Writes local changes to the log and merges both histories. Returns the number of entities written; undefined if
 * another process moved the log first, and the caller must read it again and retry.
 */
export async function writeLog(
  sync: LogSync,
  theirs: LogVersion,
  purged: ReadonlySet<EntityId>,
): Promise<number | undefined> {
  const { context, loro, repository } = sync
  await flushLocalChanges(context, loro, sync.progress)
  const update = await readUpdate(repository, theirs)
  const joined = await mergeLogs(repository, update)
  const { lost, withdrawn } = await findLostFrom(sync, joined)
  if (withdrawn.length > 0) await withdrawPurges(context, loro, withdrawn)
  if (lost.length > 0) await context.store.write(({ replica }) => replica.forgetLogged(lost))
  for (const id of lost) sync.lost.add(id)
  using writer = new ObjectWriter(repository, objectFormat(repository))
  const { signs } = sync.settings
  const { sent, own, others } = await writeOutgoing(sync, writer)
  const gone = sent.filter(({ isPurged }) => isPurged).map(({ entityId }) => entityId)
  const merged = new Map([...joined, ...own, ...others])
  const { replica } = context.store
  const packed = await compactIfDue({ repository, writer, replica }, merged, {
    purged: new Set([...purged, ...gone]),
    signs,
  })
  const [packedOwn, packedOthers] = [
    await writeSegments(writer, packed.own),
    await writeSegments(writer, packed.others),
  ]
  const kept = [...merged].filter(([name]) => !packed.removed.has(name))
  const tree = new Map([...kept, ...packedOwn, ...packedOthers])
  const written = {
    own: [...own.keys(), ...packedOwn.keys()],
    others: [...others.keys(), ...packedOthers.keys()],
  }
  const hasOthers = written.others.length > 0
  const signing = signs
    ? { own: new Set(written.own), hasOthers, signal: context.signal }
    : undefined
  const log = { tree, writer, at: context.now(), signing }
  if (!(await moveLog(repository, update, log))) return undefined
  await combinePacks(repository, writer.release())
  await markLogged(context, sent, { ...written, signs })
  await rememberLog(context, tree)
  return sent.length
}

interface Loss {
  /** Entities with changes that the log had and has no longer. */
  readonly lost: readonly EntityId[]
  /** Entities whose purge record has disappeared from the log. */
  readonly withdrawn: readonly EntityId[]
}

/**
 * Entities that this version of the log no longer covers. Missing segments have usually been compacted, but the log may
 * also have been deleted, reset or truncated by hand.
 */
export async function findLostFrom(
  { context, loro, repository }: LogSync,
  tree: LogTree,
): Promise<Loss> {
  const { replica } = context.store
  const missing = [...(await replica.loggedSegments())].filter((name) => !tree.has(name))
  if (missing.length === 0) return { lost: [], withdrawn: [] }
  const coverage = await readCoverage(repository, tree)
  const lost = await findLost(replica, loro, coverage)
  const asked = await replica.purges.ids()
  return {
    // Purged entities are expected to be missing.
    lost: lost.filter((id) => !asked.has(id) || !coverage.purges(id)),
    withdrawn: [...asked].filter((id) => !coverage.purges(id)),
  }
}

async function rememberLog({ store }: Context, tree: LogTree): Promise<void> {
  const names = [...tree.keys()]
  const logged = await store.replica.loggedSegments()
  const aside = await store.replica.aside.segments()
  const isSame = logged.size === tree.size && names.every((name) => logged.has(name))
  if (isSame && [...aside].every((name) => tree.has(name))) return
  await store.write(async ({ replica }) => {
    await replica.setLoggedSegments(names)
    await replica.aside.keepOnly(names, LIMITS_VERSION)
  })
}

interface Sent {
  readonly entityId: EntityId
  readonly revision: number
  readonly version: Uint8Array
  readonly isPurged: boolean
}

interface Outgoing {
  readonly sent: readonly Sent[]
  /** Segments with local changes. */
  readonly own: LogTree
  /** Segments that repeat changes of other clones. */
  readonly others: LogTree
}

/**
 * Writes segments with the changes that the log lacks. They are invisible until the log ref moves. Only one page of
 * documents is in memory at a time; of the written ones only their versions are kept.
 */
async function writeOutgoing(
  { context, loro, unreadable, lost, progress }: LogSync,
  writer: ObjectWriter,
): Promise<Outgoing> {
  const { replica } = context.store
  const advance = progress.phase('writing the log', await replica.countOutgoing())
  const sent: Sent[] = []
  const own = new Map<string, string>()
  const others = new Map<string, string>()
  for (let last = ''; ;) {
    const page = await replica.dirty(last, BATCH_SIZE)
    if (page.length === 0) return { sent, own, others }
    context.signal.throwIfAborted()
    const lines: { own: string[]; others: string[] } = { own: [], others: [] }
    for (const stored of page) {
      const { entityId, revision, document } = stored
      const outgoing = ifReadable(() => toOutgoing(loro, stored))
      if (outgoing === undefined) {
        unreadable.add(entityId)
        continue
      }
      sent.push({ entityId, revision, version: outgoing.version, isPurged: document === null })
      ;(lost.has(entityId) ? lines.others : lines.own).push(...outgoing.lines)
    }
    for (const [name, blob] of await writeSegments(writer, toSegments(lines.own))) {
      own.set(name, blob)
    }
    for (const [name, blob] of await writeSegments(writer, toSegments(lines.others))) {
      others.set(name, blob)
    }
    advance(sent.length)
    last = page.at(-1)?.entityId ?? last
  }
}

interface WrittenSegments {
  readonly own: readonly string[]
  readonly others: readonly string[]
  readonly signs: boolean
}

async function markLogged(
  context: Context,
  sent: readonly Sent[],
  { own, others, signs }: WrittenSegments,
): Promise<void> {
  for (let at = 0; at < sent.length; at += BATCH_SIZE) {
    await context.store.write(async ({ replica }) => {
      for (const { version, ...document } of sent.slice(at, at + BATCH_SIZE)) {
        await replica.markLogged(document, version)
      }
    })
  }
  // Segments written here need not be read again.
  if (own.length + others.length === 0) return
  await context.store.write(async ({ replica }) => {
    await replica.addSegments(own, signs ? 'own' : undefined)
    await replica.addSegments(others)
  })
}
