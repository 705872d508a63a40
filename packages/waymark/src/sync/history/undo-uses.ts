import { agentIdOf } from '../../agent/agent.ts'
import { isHeld } from '../../task/lease/lease.ts'
import type { EntityRow } from '../../entity/store.ts'
import type { Change } from '../../core/change.ts'
import type { Plan } from './undo-plan.ts'
import { type EntityId, toEntityId } from '../../entity/entity-id.ts'

/**
 * Whether other agents use an entity in ways that its document does not record: one holds its lease, or has added an
 * artifact. Messages and annotations about it do not count, because they stay readable without it.
 */
export async function isWorkedOn(
  change: Change,
  { id }: EntityRow,
  author: string,
): Promise<boolean> {
  const lease = await change.leases.of(id)
  if (isHeld(lease, change.stamp.at)) {
    const isOwn = lease.agentName === author || lease.agentId === agentIdOf(author)
    if (!isOwn) return true
  }
  const [all, own] = [
    await change.artifacts.list({ entityId: id, limit: 1, offset: 0 }),
    await change.artifacts.list({ entityId: id, creator: author, limit: 1, offset: 0 }),
  ]
  return all.total > own.total
}

/**
 * Ids still referenced by entities that survive the undo. Entities owned by the author alone are assumed deleted.
 */
export async function findReached(
  change: Change,
  plans: ReadonlyMap<string, Plan>,
): Promise<Set<string>> {
  const reached = new Set([...plans.values()].flatMap(toReached))
  const own = [...plans.values()].filter(({ isOwn }) => isOwn).map(({ found }) => found.row)
  for (const { id } of own) {
    const edges = await change.relations.of(id, 'to')
    if (edges.some(({ sourceId }) => !plans.has(sourceId))) reached.add(id)
  }
  const decisions = own.filter(({ type }) => type === 'decision').map(({ id }) => id)
  for (const { id, successor } of await change.entities.supersededBy(decisions)) {
    if (!plans.has(id)) reached.add(successor)
  }
  return reached
}

/** Ids that an entity references after its plan is applied. */
export function toReached({ found, outcome, facts }: Plan): string[] {
  const isThere = outcome === 'restored' || found.deleted === undefined
  if (!isThere || outcome === 'deleted') return []
  const successor = facts.get('properties.superseded_by')
  const targets = [...facts.keys()].flatMap((name) => toTarget(name)?.targetId ?? [])
  return typeof successor === 'string' ? [successor, ...targets] : targets
}

/** The target id, if the fact is a relation. */
export function toTarget(
  name: string,
): { readonly type: string; readonly targetId: EntityId } | undefined {
  const [kind, type = '', targetId = ''] = name.split(' ')
  return kind === 'relation' ? { type, targetId: toEntityId(targetId) } : undefined
}
