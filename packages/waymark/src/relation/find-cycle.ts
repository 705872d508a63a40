import type { RelationKey, Relations } from './store.ts'
import type { EntityId } from '../entity/entity-id.ts'

/** Entities that a report visits at most. */
const MOST_VISITED = 10_000

/** The ids on the cycle that this relation closes, or would close, beginning and ending with its source. */
export async function findCycle(
  relations: Pick<Relations, 'of'>,
  { sourceId, type, targetId }: RelationKey,
  most = Infinity,
): Promise<readonly EntityId[] | undefined> {
  const cameFrom = new Map<EntityId, EntityId | undefined>([[targetId, undefined]])
  const frontier = [targetId]
  for (let id = frontier.pop(); id !== undefined; id = frontier.pop()) {
    if (id === sourceId) return [sourceId, ...pathTo(id, cameFrom)]
    if (cameFrom.size > most) return undefined
    for (const next of await relations.of(id, 'from')) {
      if (next.type !== type || cameFrom.has(next.targetId)) continue
      cameFrom.set(next.targetId, id)
      frontier.push(next.targetId)
    }
  }
  return undefined
}

/** The ids on a cycle of such relations through this entity, each once. */
export async function findCycleAt(
  relations: Pick<Relations, 'of'>,
  id: EntityId,
  type: string,
): Promise<readonly EntityId[] | undefined> {
  for (const relation of await relations.of(id, 'from')) {
    if (relation.type !== type) continue
    const found = await findCycle(relations, relation, MOST_VISITED)
    if (found !== undefined) return found.slice(1)
  }
  return undefined
}

function pathTo(end: EntityId, cameFrom: ReadonlyMap<EntityId, EntityId | undefined>): EntityId[] {
  const path: EntityId[] = []
  for (let id: EntityId | undefined = end; id !== undefined; id = cameFrom.get(id)) path.unshift(id)
  return path
}
