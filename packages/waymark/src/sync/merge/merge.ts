import { runInSlices } from '../../support/yield-to-event-loop.ts'
import type { Context } from '../../core/context.ts'
import { type Received, toReceived } from '../arrival.ts'
import type { LogLine, RefusedLine } from '../log/log-line.ts'
import type { LoroModule } from '../document/loro.ts'
import type { ChangedTwiceNews, EntityNews, RelationNews } from './materialise.ts'
import { absorb, prepareDocument, type PreparedDocument, readMaterial } from './merge-document.ts'
import { byEntity, mergeLines } from './merge-lines.ts'
import { type NumberRule, type Renumbered, settleNumbers } from './numbers/numbers.ts'
import { type Advance, Progress } from '../../core/progress.ts'
import type { EntityRow } from '../../entity/store.ts'
import { announceNumber, emitEntityEvent, emitRedacted } from '../../entity/view.ts'
import { ACYCLIC_RELATION_TYPES } from '../../relation/relation.ts'
import type { RelationKey } from '../../relation/store.ts'
import { type Change, change, withAnnounce } from '../../core/change.ts'
import { holdersOf } from '../../task/lease/elsewhere/holders.ts'
import { endMergedLeases, findForeign } from '../../task/lease/elsewhere/merged-leases.ts'
import { onStatusChanged } from '../../task/write/update-task-row.ts'
import type { EntityId } from '../../entity/entity-id.ts'

/** Entities, or characters of lines, merged per transaction, so that other writers are not blocked for long. */
const BATCH_SIZE = 250
const LARGEST_BATCH = 1024 * 1024

/** Above these sizes, lines are merged before the transaction begins. */
const MANY_CHANGES = 250
const LONG_LINES = 64 * 1024
const LONG_DOCUMENT = 256 * 1024

/** The accumulated result of a merge. */
export interface MergeReport {
  created: number
  updated: number
  deleted: number
  purged: number
  relations: number
  damaged: number
  readonly refused: RefusedLine[]
  /** Entities that another clone has purged. */
  readonly asked: EntityId[]
  /** Entities as they were before they were deleted. */
  readonly deletions: EntityRow[]
  readonly notUnderstood: EntityId[]
  readonly late: EntityId[]
  readonly renumbered: Renumbered[]
  readonly changedTwice: ChangedTwiceNews[]
  /** New relations of types that must not form cycles. */
  readonly acyclic: RelationKey[]
  /** Keys of tasks that are new, or have a new key. */
  readonly keys: Set<string>
  /** Tasks whose holders changed. */
  readonly claimed: EntityId[]
  /** Entities that were left as they are because of a task that another agent holds. */
  readonly leftAlone: EntityId[]
}

export function emptyMergeReport(): MergeReport {
  return {
    created: 0,
    updated: 0,
    deleted: 0,
    purged: 0,
    relations: 0,
    damaged: 0,
    refused: [],
    asked: [],
    deletions: [],
    notUnderstood: [],
    late: [],
    renumbered: [],
    changedTwice: [],
    acyclic: [],
    keys: new Set(),
    claimed: [],
    leftAlone: [],
  }
}

export interface NewLines {
  readonly lines: Iterable<LogLine>
  /** They come from the log; lines from elsewhere have yet to be written there. */
  readonly isLogged: boolean
  /** How they came here; what is known of single lines goes before. */
  readonly received: Received
  /** How claims to the same number are settled: by age, unless they come from a log. */
  readonly numbers?: NumberRule | 'later'
  /** Apply remote purges without confirmation. */
  readonly acceptsPurges?: boolean
}

/**
 * Merges lines and emits events for the changes. Adds the results to `incoming` and reports the number of lines done.
 */
export async function applyLines(
  context: Context,
  loro: LoroModule,
  { lines, isLogged, received, numbers = 'age', acceptsPurges = false }: NewLines,
  incoming: MergeReport,
  advance?: Advance,
): Promise<void> {
  let done = 0
  const batches = [...inBatches(byEntity(lines))]
  for (const [at, batch] of batches.entries()) {
    context.signal.throwIfAborted()
    const prepared = await prepareLong(context, loro, batch)
    const rule = at === batches.length - 1 ? numbers : 'later'
    const merged = await change(withoutIdempotencyKey(context), async (change) => {
      const linesByEntity = new Map(batch)
      const { at } = change.stamp
      const leftAlone = isLogged ? new Set<EntityId>() : await findForeign(change, linesByEntity)
      for (const id of leftAlone) linesByEntity.delete(id)
      const held = await change.leases.heldAmong([...linesByEntity.keys()], at)
      const merged = await mergeLines(loro, change.unguardedReplica, {
        linesByEntity,
        isLogged,
        received,
        acceptsPurges,
        at,
        numbers: rule,
        prepared,
      })
      await endMergedLeases(inNameOf(change, null), held)
      for (const news of merged.entities) await announceEntity(change, news, received)
      for (const news of merged.relations) await announceRelation(change, news, received)
      for (const renumbered of merged.renumbered) await announceRenumbered(change, renumbered)
      for (const id of merged.purged) await emitRedacted(change, 'entity.purged', id)
      return { ...merged, leftAlone }
    })
    for (const { kind } of merged.entities) incoming[kind] += 1
    incoming.purged += merged.purged.length
    incoming.asked.push(...merged.asked)
    for (const { kind, before, row } of merged.entities) {
      if (kind === 'deleted') incoming.deletions.push(row)
      if (holdersChanged(before, row)) incoming.claimed.push(row.id)
      const key = row.type === 'task' ? row.properties['key'] : undefined
      if (typeof key === 'string' && key !== before?.properties['key']) incoming.keys.add(key)
    }
    for (const { kind, relation } of merged.relations) {
      const isAcyclic = kind === 'created' && ACYCLIC_RELATION_TYPES.has(relation.type)
      if (isAcyclic) incoming.acyclic.push(relation)
    }
    incoming.relations += merged.relations.length
    incoming.refused.push(...merged.refused)
    incoming.late.push(...merged.late)
    incoming.notUnderstood.push(...merged.notUnderstood)
    incoming.renumbered.push(...merged.renumbered.filter(({ from, to }) => from !== to))
    incoming.changedTwice.push(...merged.changedTwice)
    incoming.leftAlone.push(...merged.leftAlone)
    for (const [, lines] of batch) done += lines.length
    advance?.(done)
  }
}

function holdersChanged(before: EntityRow | undefined, row: EntityRow): boolean {
  const known = before === undefined ? [] : holdersOf(before)
  return holdersOf(row).join('\n') !== known.join('\n')
}

/** Settles claims to numbers that were left open when an exchange was interrupted, or ended with lines that say nothing. */
export async function settleClaims(
  context: Context,
  rule: NumberRule,
  incoming: MergeReport,
): Promise<void> {
  if (!(await context.store.replica.hasClaims())) return
  const settled = await change(withoutIdempotencyKey(context), async (change) => {
    const settled = await settleNumbers(change.unguardedReplica, { at: change.stamp.at, rule })
    for (const renumbered of settled) await announceRenumbered(change, renumbered)
    return settled
  })
  incoming.renumbered.push(...settled.filter(({ from, to }) => from !== to))
}

/** Documents of many changes take seconds to merge, in which no other write could begin. */
async function prepareLong(
  { store, signal }: Context,
  loro: LoroModule,
  batch: Batch,
): Promise<ReadonlyMap<EntityId, PreparedDocument>> {
  const prepared = new Map<EntityId, PreparedDocument>()
  const ids = batch.map(([id]) => id)
  const long = new Set(await store.replica.longDocuments(ids, LONG_DOCUMENT))
  for (const [id, lines] of batch) {
    if (!long.has(id) && !areLong(lines)) continue
    const updates = lines.filter((line) => 'update' in line)
    const material = await readMaterial(store.replica, id, updates)
    const document = await runInSlices(prepareDocument(loro, material), signal)
    if (document !== undefined) prepared.set(id, document)
  }
  return prepared
}

function areLong(lines: readonly LogLine[]): boolean {
  let [changes, characters] = [0, 0]
  for (const line of lines) {
    characters += line.text.length
    if ('update' in line) changes += line.update.changes.length
  }
  return changes > MANY_CHANGES || (characters > LONG_LINES && lines.length > 1)
}

/** Applies all pending local changes to their documents. */
export async function flushLocalChanges(
  context: Context,
  loro: LoroModule,
  progress = new Progress(context),
): Promise<void> {
  const advance = progress.phase('gathering changes', await context.store.replica.countWaiting())
  let done = 0
  for (let last = ''; ;) {
    const ids = await context.store.replica.waiting(last, BATCH_SIZE)
    if (ids.length === 0) return
    context.signal.throwIfAborted()
    await context.store.write(async ({ replica }) => {
      for (const id of ids) await absorb(loro, replica, id)
    }, context)
    advance((done += ids.length))
    last = ids.at(-1) ?? last
  }
}

export async function announceEntity(
  change: Change,
  { kind, before, row }: EntityNews,
  received?: Received,
): Promise<void> {
  // A row keeps what is known of its text; who deleted it says nothing of that.
  const known = kind === 'deleted' || row.arrival === null ? received : toReceived(row.arrival)
  const theirs = inNameOf(change, row.updatedBy, known)
  await emitEntityEvent(theirs, `entity.${kind}`, row)
  if (kind === 'updated' && before !== undefined) await onStatusChanged(theirs, before, row)
}

async function announceRenumbered(
  change: Change,
  { id, from, to, until }: Renumbered,
): Promise<void> {
  if (from === to && until === to) return
  const found = await change.replica.rows.find(id)
  if (found === undefined) return
  await announceNumber(change, { ...found.row, number: to }, from === to ? until : from)
}

async function announceRelation(
  change: Change,
  { kind, relation }: RelationNews,
  received: Received,
): Promise<void> {
  const { sourceId, type, targetId, createdBy } = relation
  const { announce } = inNameOf(change, kind === 'created' ? createdBy : null, received)
  await announce(`relation.${kind}`, sourceId, { type, target: targetId })
}

/** A change context that attributes events to the remote agent of this name. */
export function inNameOf(change: Change, name: string | null, received?: Received): Change {
  const announce = change.announceFor(name)
  const facts = { merged: true, ...(received !== undefined && { received }) }
  return withAnnounce({
    change,
    announce: (type, subject, data) => announce(type, subject, { ...data, ...facts }),
  })
}

/** Drops the idempotency key: it covers one change, and this call makes many. */
export function withoutIdempotencyKey(context: Context): Context {
  const { repeatable: _, ...rest } = context
  return rest
}

type Batch = readonly (readonly [entityId: EntityId, lines: readonly LogLine[]])[]

function* inBatches(linesByEntity: ReadonlyMap<EntityId, readonly LogLine[]>): Generator<Batch> {
  let batch: [EntityId, LogLine[]][] = []
  let size = 0
  for (const [id, lines] of linesByEntity) {
    let entry: [EntityId, LogLine[]] | undefined
    for (const line of lines) {
      const isFull = entry === undefined && batch.length >= BATCH_SIZE
      if (isFull || (batch.length > 0 && size + line.text.length > LARGEST_BATCH)) {
        yield batch
        batch = []
        size = 0
        entry = undefined
      }
      if (entry === undefined) batch.push((entry = [id, []]))
      entry[1].push(line)
      size += line.text.length
    }
  }
  if (batch.length > 0) yield batch
}
