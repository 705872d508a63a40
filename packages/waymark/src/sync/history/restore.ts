import { isDeepStrictEqual } from 'node:util'
import type { EntityType } from '../../entity/entity.ts'
import { Failure } from '../../core/error.ts'
import type { LoroModule } from '../document/loro.ts'
import { toEntityState, toFields, toPropertyName } from '../document/document-state.ts'
import type { Facts } from './history.ts'
import { materialise } from '../merge/materialise.ts'
import { openDocument } from '../document/document.ts'
import type { EntityRow } from '../../entity/store.ts'
import type { RelationKey } from '../../relation/store.ts'
import type { FoundRow } from '../merge/rows-store.ts'
import { emitEntityEvent } from '../../entity/view.ts'
import type { Change } from '../../core/change.ts'
import { isHeld } from '../../task/lease/lease.ts'
import { onStatusChanged } from '../../task/write/update-task-row.ts'
import { relate } from '../../relation/relate.ts'
import type { EntityId } from '../../entity/entity-id.ts'

/** Why a relation cannot be restored: it would create a cycle, or belongs to a task that another agent holds. */
type RefusedRelation = 'cycle' | 'held'

interface Reverted {
  readonly row: EntityRow
  /** The key that was not restored, because another task has it now. */
  readonly lostKey?: string
  /** Names of facts that were not fully restored, because they are invalid. */
  readonly leftOut?: readonly string[]
}

export interface Restored extends Reverted {
  /** Relations that were not restored. */
  readonly refused: readonly (RelationKey & { readonly why: RefusedRelation })[]
}

/** Restores a deleted entity and those of its relations whose other ends still exist. */
export async function revive(
  change: Change,
  loro: LoroModule,
  found: FoundRow,
): Promise<Restored | undefined> {
  const { id } = found.row
  const materialised = await bringBack(change, loro, id)
  if (materialised === undefined) return undefined
  const { key, ...properties } = materialised.properties
  const lostKey = await takenKey(change, materialised, key)
  const row =
    lostKey === undefined
      ? materialised
      : ((await change.entities.update(id, { properties }, change.stamp)) ?? materialised)
  const { deleted } = found
  const lost = deleted === undefined ? [] : await change.replica.removedWith(id, deleted.at)
  const refused: Restored['refused'][number][] = []
  for (const key of lost) {
    const why = await relateAgain(change, key)
    if (why === 'cycle' || why === 'held') refused.push({ ...key, why })
  }
  await announceRestored(change, row)
  return { row, refused, ...(lostKey !== undefined && { lostKey }) }
}

/** Restores the entity as it was deleted, even if another task has its key now. Emits no event. */
export async function bringBack(
  { replica, stamp }: Change,
  loro: LoroModule,
  id: EntityId,
): Promise<EntityRow | undefined> {
  await replica.record(id, stamp, { deleted: false })
  using document = openDocument(loro, id, await replica.document(id), await replica.ops(id))
  const state = toEntityState(id, document.read())
  if (state === undefined) return undefined
  const { entities } = await materialise(replica, [state], stamp)
  return entities[0]?.row
}

/** Reverts title, text, tags and properties to an earlier version; the key only if no other task has it. */
export async function revert(
  change: Change,
  current: EntityRow,
  facts: Facts,
): Promise<Reverted | undefined> {
  const [once, present] = [facts.get(KEY), current.properties['key']]
  const lostKey = once === present ? undefined : await takenKey(change, current, once)
  const wanted = lostKey === undefined ? facts : withKey(facts, present)
  const status = await toRestorableStatus(change, current, wanted.get(STATUS))
  const row = await rewrite(
    change,
    current,
    status === undefined ? wanted : new Map([...wanted, [STATUS, status]]),
  )
  if (row === undefined) return undefined
  const leftOut = [...wanted].flatMap(([name, value]) => {
    const property = toPropertyName(name)
    // Holders come and go with the status.
    if (property === undefined || property === 'holders') return []
    if (isDeepStrictEqual(row.properties[property], value)) return []
    return [name]
  })
  return { row, leftOut, ...(lostKey !== undefined && { lostKey }) }
}

/** Rewrites an entity with these facts, without the invalid ones that a document may contain. */
export async function rewrite(
  change: Change,
  current: EntityRow,
  facts: Facts,
): Promise<EntityRow | undefined> {
  const { title, properties, ...fields } = toFields(current.type as EntityType, facts)
  const status = (properties ?? current.properties)['status']
  const changes = {
    ...fields,
    title: title ?? current.title,
    properties: properties ?? current.properties,
    status: typeof status === 'string' ? status : null,
  }
  const row = await change.entities.update(current.id, changes, change.stamp)
  if (row === undefined) return undefined
  await emitEntityEvent(change, 'entity.updated', row)
  await onStatusChanged(change, current, row)
  return row
}

/** What a task's status is called among the facts. */
export const STATUS = 'properties.status'

/**
 * The status to restore: `todo` instead of an `in_progress` that came from a claim, because the lease cannot be
 * restored with it.
 */
export async function toRestorableStatus(
  { leases, stamp }: Change,
  { id }: EntityRow,
  status: unknown,
): Promise<unknown> {
  if (status !== 'in_progress') return status
  const lease = await leases.of(id)
  return lease === undefined || isHeld(lease, stamp.at) ? status : 'todo'
}

/** What a task's key is called among the facts. */
export const KEY = 'properties.key'

/** The same facts with another key, or with none. */
export function withKey(facts: Facts, key: unknown): Facts {
  const changed = new Map(facts)
  if (key === undefined) changed.delete(KEY)
  else changed.set(KEY, key)
  return changed
}

/** Restores a removed relation if both its ends exist and it is still valid. */
export async function relateAgain(
  change: Change,
  { sourceId, type, targetId }: RelationKey,
): Promise<'drawn' | 'has_no_end' | RefusedRelation> {
  const source = await change.entities.byId(sourceId)
  const target = await change.entities.byId(targetId)
  if (source === undefined || target === undefined) return 'has_no_end'
  try {
    await relate(change, { source, type, target, field: 'relations' })
    return 'drawn'
  } catch (error) {
    const reason = error instanceof Failure ? error.details.reason : undefined
    if (reason === 'cycle' || reason === 'held') return reason
    throw error
  }
}

/** The key, if another task has it now. Keys are unique, and the present owner keeps it. */
async function takenKey(
  change: Change,
  { id, type }: EntityRow,
  key: unknown,
): Promise<string | undefined> {
  if (type !== 'task' || typeof key !== 'string') return undefined
  const holders = await change.tasks.byKey(key)
  return holders.every((holder) => holder.id === id) ? undefined : key
}

export async function announceRestored(change: Change, row: EntityRow): Promise<void> {
  await emitEntityEvent(change, 'entity.restored', row)
}
