import { Failure } from '../error.ts'
import type { LoroModule } from '../replica/loro.ts'
import { toEntityState } from '../replica/document-state.ts'
import type { Facts } from '../replica/history.ts'
import { materialise } from '../replica/materialise.ts'
import { openDocument } from '../replica/merge-document.ts'
import type { EntityRow } from '../store/entities.ts'
import type { RelationKey } from '../store/relations.ts'
import type { FoundRow } from '../store/replica-rows.ts'
import type { Change } from './change.ts'
import { settleTask } from './record-task.ts'
import { relate } from './relate.ts'

interface Reverted {
  readonly row: EntityRow
  /** The key that it comes without, because another task has it now. */
  readonly lostKey?: string
}

export interface Restored extends Reverted {
  /** The relations that it comes without, because they would close a circle now. */
  readonly refused: readonly RelationKey[]
}

/** Brings a deleted entity back, with the relations that went with it as far as their other ends are still there. */
export async function revive(
  change: Change,
  loro: LoroModule,
  { row: { id }, deleted }: FoundRow,
): Promise<Restored | undefined> {
  const { replica, stamp } = change
  await replica.record(id, stamp, { deleted: false })
  using document = openDocument(loro, id, await replica.document(id), await replica.ops(id))
  const state = toEntityState(id, document.read())
  if (state === undefined) return undefined
  const { entities } = await materialise(replica, [state], stamp)
  const materialised = entities[0]?.row
  if (materialised === undefined) return undefined
  const { properties, lostKey } = await withFreeKey(change, id, materialised)
  const row =
    lostKey === undefined
      ? materialised
      : ((await change.entities.update(id, { properties }, stamp)) ?? materialised)
  const lost = deleted === undefined ? [] : await replica.removedWith(id, deleted.at)
  const refused: RelationKey[] = []
  for (const key of lost) if (!(await relateAgain(change, key))) refused.push(key)
  await announce(change, 'entity.restored', row)
  return { row, refused, ...(lostKey !== undefined && { lostKey }) }
}

/** Gives an entity the title, text, tags and properties that it once had. */
export async function revert(
  change: Change,
  current: EntityRow,
  facts: Facts,
): Promise<Reverted | undefined> {
  const once = Object.fromEntries(
    [...facts].flatMap(([name, value]) =>
      name.startsWith('properties.') ? [[name.slice('properties.'.length), value]] : [],
    ),
  )
  const isOwn = once['key'] === current.properties['key']
  const { properties, lostKey } = isOwn
    ? { properties: once }
    : await withFreeKey(change, current.id, { type: current.type, properties: once })
  const status = properties['status']
  const changes = {
    title: (facts.get('title') as string | undefined) ?? current.title,
    content: (facts.get('content') as string | undefined) ?? null,
    tags: (facts.get('tags') as string[] | undefined) ?? [],
    properties,
    status: typeof status === 'string' ? status : null,
  }
  const row = await change.entities.update(current.id, changes, change.stamp)
  if (row === undefined) return undefined
  await announce(change, 'entity.updated', row)
  await settleTask(change, current, row)
  return { row, ...(lostKey !== undefined && { lostKey }) }
}

/**
 * Draws an edge that was there once, if both its ends still are. False when it would now close a circle: then it is
 * not drawn.
 */
export async function relateAgain(
  change: Change,
  { sourceId, type, targetId }: RelationKey,
): Promise<boolean> {
  const source = await change.entities.byId(sourceId)
  const target = await change.entities.byId(targetId)
  if (source === undefined || target === undefined) return true
  try {
    await relate(change, { source, type, target, field: 'relations' })
    return true
  } catch (error) {
    if (error instanceof Failure && error.details['reason'] === 'cycle') return false
    throw error
  }
}

type Properties = EntityRow['properties']

/** A task's key names one task: what was given to another one meanwhile stays with that one. */
async function withFreeKey(
  change: Change,
  id: string,
  { type, properties }: Pick<EntityRow, 'type' | 'properties'>,
): Promise<{ readonly properties: Properties; readonly lostKey?: string }> {
  const { key, ...rest } = properties
  if (type !== 'task' || typeof key !== 'string') return { properties }
  const holders = await change.tasks.byKey(key)
  const isFree = holders.every((holder) => holder.id === id)
  return isFree ? { properties } : { properties: rest, lostKey: key }
}

async function announce(change: Change, event: string, row: EntityRow): Promise<void> {
  const { id, type, number, title, revision } = row
  await change.announce(event, id, { type, number, title, revision })
}
