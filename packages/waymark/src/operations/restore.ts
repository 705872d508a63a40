import type { LoroModule } from '../replica/loro.ts'
import { toEntityState } from '../replica/document-state.ts'
import type { Facts } from '../replica/history.ts'
import { materialise } from '../replica/materialise.ts'
import { openDocument } from '../replica/merge-document.ts'
import type { EntityRow } from '../store/entities.ts'
import type { FoundRow } from '../store/replica-rows.ts'
import type { Change } from './change.ts'
import { settleTask } from './record-task.ts'

/** Brings a deleted entity back, with the relations that went with it as far as their other ends are still there. */
export async function revive(
  change: Change,
  loro: LoroModule,
  { row: { id }, deleted }: FoundRow,
): Promise<EntityRow | undefined> {
  const { replica, stamp } = change
  await replica.record(id, stamp, { deleted: false })
  using document = openDocument(loro, id, await replica.document(id), await replica.ops(id))
  const state = toEntityState(id, document.read())
  if (state === undefined) return undefined
  const { entities } = await materialise(replica, [state], stamp)
  const lost = deleted === undefined ? [] : await replica.removedWith(id, deleted.at)
  for (const { sourceId, type, targetId } of lost) {
    const other = await change.entities.byId(sourceId === id ? targetId : sourceId)
    if (other === undefined) continue
    const created = { createdAt: stamp.at, createdBy: stamp.by, properties: {} }
    if (await change.relations.insert({ sourceId, type, targetId, ...created })) {
      await change.announce('relation.created', sourceId, { type, target: targetId })
    }
  }
  const row = entities[0]?.row
  if (row !== undefined) await announce(change, 'entity.restored', row)
  return row
}

/** Gives an entity the title, text, tags and properties that it once had. */
export async function revert(
  change: Change,
  current: EntityRow,
  facts: Facts,
): Promise<EntityRow | undefined> {
  const properties = Object.fromEntries(
    [...facts].flatMap(([name, value]) =>
      name.startsWith('properties.') ? [[name.slice('properties.'.length), value]] : [],
    ),
  )
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
  return row
}

async function announce(change: Change, event: string, row: EntityRow): Promise<void> {
  const { id, type, number, title, revision } = row
  await change.announce(event, id, { type, number, title, revision })
}
