import type { Context } from '../core/context.ts'
import { Failure } from '../core/error.ts'
import type { Repository } from '../git/repository.ts'
import type { Progress } from '../core/progress.ts'
import { damagedHistory, EntityDocument, openDocument } from '../sync/document/document.ts'
import { type EntityState, toEntityState } from '../sync/document/document-state.ts'
import { type LogLine } from '../sync/log/log-line.ts'
import { readLog } from '../sync/log/log-ref.ts'
import { type LogTree, readSegment } from '../sync/log/log-tree.ts'
import type { LoroModule } from '../sync/document/loro.ts'
import { isSame, materialise } from '../sync/merge/materialise.ts'
import { withRequest } from '../sync/merge/merge-lines.ts'
import { inOrder } from '../sync/snapshot.ts'
import { toCreation, toRelationName, toRelationValue } from '../sync/document/ops-store.ts'
import type { EntityRow } from '../entity/store.ts'
import type { RelationRow } from '../relation/store.ts'
import type { Replica, ReplicaReader } from '../sync/merge/store.ts'
import type { FoundRow } from '../sync/merge/rows-store.ts'
import type { Store } from '../core/store/store.ts'
import { isUnreadable } from '../core/store/stored-json.ts'
import { emitRedacted } from '../entity/view.ts'
import { type Change, change } from '../core/change.ts'
import { withoutIdempotencyKey } from '../sync/merge/merge.ts'
import type { EntityId } from '../entity/entity-id.ts'

const BATCH_SIZE = 200

/** An entity whose row and document differ; `state` is undefined if the document is unreadable. */
interface BrokenEntity {
  readonly id: EntityId
  readonly state: EntityState | undefined
  /** False when the row itself cannot be read. */
  readonly isReadable: boolean
}

interface Damage {
  readonly broken: readonly BrokenEntity[]
  /** Entities with missing or stale index entries. */
  readonly unindexed: readonly EntityId[]
}

export async function findBroken(
  { store, signal }: Context,
  loro: LoroModule,
  progress: Progress,
): Promise<readonly BrokenEntity[]> {
  const advance = progress.phase('checking entities', await store.replica.countEntities())
  let done = 0
  const broken: BrokenEntity[] = []
  const purged = new Set(await store.replica.purged())
  const brokenEnds = new Set(await store.consistency.brokenEnds())
  for (const id of await store.consistency.rowless()) {
    // A document without a state has missing dependencies, and no row yet.
    const state = await readState(store.replica, loro, id)
    if (state !== undefined) broken.push({ id, state, isReadable: true })
  }
  for (let last = ''; ;) {
    const page = await store.replica.entities(last, BATCH_SIZE)
    if (page.length === 0) return broken
    signal.throwIfAborted()
    for (const found of page.filter(({ row }) => !purged.has(row.id))) {
      const { isReadable, row } = found
      const state = await readState(store.replica, loro, row.id)
      const isWhole =
        isReadable &&
        isSound(found, state) &&
        !brokenEnds.has(row.id) &&
        (await hasItsEdges(store, state))
      if (!isWhole) broken.push({ id: row.id, state, isReadable })
    }
    advance((done += page.length))
    last = page.at(-1)?.row.id ?? last
  }
}

async function readState(
  replica: ReplicaReader,
  loro: LoroModule,
  id: EntityId,
): Promise<EntityState | undefined> {
  try {
    using document = openDocument(loro, id, await replica.document(id), await replica.ops(id))
    const state = toEntityState(id, document.read())
    return state && withRequest(state, await replica.purges.find(id))
  } catch {
    // A document that the library rejects counts as missing.
    return undefined
  }
}

function isSound({ row, deleted }: FoundRow, state: EntityState | undefined): boolean {
  if (state === undefined) return false
  if (deleted !== undefined || state.deleted !== undefined) {
    return (deleted === undefined) === (state.deleted === undefined)
  }
  return state.entity.number === row.number && isSame(row, state.entity)
}

/** Whether the outgoing edges match the document. An edge may be missing while its target is. */
async function hasItsEdges(store: Store, state: EntityState | undefined): Promise<boolean> {
  if (state === undefined) return false
  const { entity, deleted, relations } = state
  const there = await readEdges(store, entity.id)
  if (there === undefined) return false
  const wanted = new Map(
    deleted === undefined ? relations.map((one) => [toRelationName(one), one]) : [],
  )
  const isWanted = (relation: RelationRow): boolean => {
    const { created_at, created_by, properties } = toRelationValue(relation)
    const said = wanted.get(toRelationName(relation))
    return (
      said?.created_at === created_at &&
      said.created_by === created_by &&
      JSON.stringify(inOrder(said.properties)) === JSON.stringify(inOrder(properties))
    )
  }
  if (!there.every(isWanted)) return false
  const drawn = new Set(there.map(toRelationName))
  for (const [edge, { targetId }] of wanted) {
    if (!drawn.has(edge) && (await store.entities.byId(targetId))) return false
  }
  return true
}

/** Undefined when one of them cannot be read. */
async function readEdges(store: Store, id: EntityId): Promise<readonly RelationRow[] | undefined> {
  try {
    return await store.relations.of(id, 'from')
  } catch (error) {
    if (isUnreadable(error)) return undefined
    throw error
  }
}

/**
 * Rewrites rows from their documents, and rebuilds missing documents from the log and the row. Returns the entities that
 * are unreadable; they are left unchanged for manual inspection.
 */
export async function mend(
  context: Context,
  loro: LoroModule,
  { broken, unindexed }: Damage,
  progress: Progress,
): Promise<ReadonlySet<string>> {
  const lost = new Set<string>()
  const advance = progress.phase('repairing', broken.length + unindexed.length)
  let done = 0
  const withoutDocument = broken.filter(({ state }) => state === undefined).map(({ id }) => id)
  const linesById = await readLines(context, new Set(withoutDocument))
  for (const entity of broken) {
    const lines = linesById.get(entity.id) ?? []
    if (!(await tryToMend(context, loro, entity, lines))) lost.add(entity.id)
    advance((done += 1))
  }
  for (const id of unindexed) {
    await change(withoutIdempotencyKey(context), async (change) => {
      const found = await change.unguardedReplica.rows.find(id)
      if (found?.isReadable === false) {
        lost.add(id)
        return
      }
      if (found === undefined || found.deleted !== undefined) {
        await change.search.remove('entity', id)
        await change.unguardedReplica.rows.unindex(id)
      } else {
        // Remove the entry first: effects on other entities are only recomputed for a new entry.
        await change.unguardedReplica.rows.unindex(id)
        await change.unguardedReplica.rows.update(found.row)
      }
      await emitRedacted(change, 'entity.repaired', id)
    })
    advance((done += 1))
  }
  return lost
}

/** Whether the entity could be repaired; if not, it is unchanged. */
async function tryToMend(
  context: Context,
  loro: LoroModule,
  entity: BrokenEntity,
  lines: readonly LogLine[],
): Promise<boolean> {
  if (entity.state === undefined && !entity.isReadable && lines.length === 0) return false
  try {
    await change(withoutIdempotencyKey(context), (change) =>
      mendEntity(change, loro, entity, lines),
    )
    return true
  } catch (error) {
    if (isUnreadable(error)) return false
    throw error
  }
}

/** Completes the document from the remaining sources, then rewrites the row from the document. */
async function mendEntity(
  change: Change,
  loro: LoroModule,
  { id, state, isReadable }: BrokenEntity,
  lines: readonly LogLine[],
): Promise<void> {
  const { unguardedReplica: replica, stamp } = change
  const found = await replica.rows.find(id)
  const unread = new Set((await replica.rows.clearEdges(id)).map(toRelationName))
  if (found === undefined) {
    // Leftovers of the lost row would conflict with the new one.
    await replica.rows.unindex(id)
  } else if (state === undefined) {
    await rebuildDocument(change, loro, { found, unread, lines })
  } else if (isReadable && isLater(found, state)) {
    await recordRow(replica, found.row)
    await recordEdges(change, id, new Set([...unread, ...state.relations.map(toRelationName)]))
  }
  const settled = await readState(replica, loro, id)
  if (settled === undefined && !isReadable) throw damagedHistory(id)
  if (!isReadable) await replica.rows.clear(id)
  if (settled !== undefined) await materialise(replica, [settled], stamp)
  await emitRedacted(change, 'entity.repaired', id)
}

/** Changes were lost before they reached the document; only the row has them. */
function isLater({ row, deleted }: FoundRow, { entity, deleted: gone }: EntityState): boolean {
  return deleted === undefined && gone === undefined && row.updatedAt > entity.updatedAt
}

/** Records the row as a change with the row's own time and author, or the document would differ again. */
async function recordRow(replica: Replica, row: EntityRow): Promise<void> {
  await replica.record(row.id, { at: row.updatedAt, by: row.updatedBy }, toCreation(row))
}

/** The edges that start there, except those `known` already, by their names. */
async function recordEdges(
  { replica, relations }: Change,
  id: EntityId,
  known: ReadonlySet<string>,
): Promise<void> {
  for (const relation of await relations.of(id, 'from')) {
    const name = toRelationName(relation)
    if (known.has(name)) continue
    const stamp = { at: relation.createdAt, by: relation.createdBy }
    await replica.record(id, stamp, { relations: { [name]: toRelationValue(relation) } })
  }
}

interface Remains {
  readonly found: FoundRow
  /** Edges of which only the ends could be read, by their names. */
  readonly unread: ReadonlySet<string>
  readonly lines: readonly LogLine[]
}

/** Takes the history from the log as far as possible, and records the row's differences as a change. */
async function rebuildDocument(
  change: Change,
  loro: LoroModule,
  { found: { row, deleted, isReadable }, unread, lines }: Remains,
): Promise<void> {
  const { unguardedReplica: replica } = change
  const { id } = row
  using document = new EntityDocument(loro, id)
  for (const line of lines) if ('update' in line) document.import(line.update)
  await replica.forgetOps(id)
  await replica.put({ entityId: id, document: document.toBytes(), logged: null, isDirty: true })
  const raw = document.read()
  if (isReadable) await recordRow(replica, row)
  // For an unreadable edge prefer the log's version.
  const logged = new Set(toEntityState(id, raw)?.relations.map(toRelationName))
  await recordEdges(change, id, new Set([...unread].filter((name) => logged.has(name))))
  if (!isReadable) return
  if (deleted !== undefined) await replica.record(id, deleted, { deleted: true })
  else if (raw['fields'] !== undefined)
    await replica.record(id, { at: row.updatedAt, by: row.updatedBy }, { deleted: false })
}

async function readLines(
  { code }: Context,
  wanted: ReadonlySet<string>,
): Promise<ReadonlyMap<string, readonly LogLine[]>> {
  const found = new Map<string, LogLine[]>()
  if (code === undefined || wanted.size === 0) return found
  const repository = await code.repository()
  for (const [name, blob] of await readSegments(repository)) {
    for (const line of (await readSegment(repository, name, blob)).lines) {
      if (!wanted.has(line.entityId)) continue
      found.set(line.entityId, [...(found.get(line.entityId) ?? []), line])
    }
  }
  return found
}

/** An unreadable log counts as empty; the ref check reports it. */
async function readSegments(repository: Repository): Promise<LogTree> {
  try {
    return (await readLog(repository)).tree
  } catch (error) {
    if (error instanceof Failure) return new Map()
    throw error
  }
}
