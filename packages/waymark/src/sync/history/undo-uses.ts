import { agentIdOf } from '../../agent/agent.ts'
import { isHeld } from '../../task/lease/lease.ts'
import type { EntityRow } from '../../entity/store.ts'
import type { Change } from '../../core/change.ts'
import type { Plan } from './undo-plan.ts'

/**
 * Whether others work on what an author created, though its document knows nothing of them: somebody holds it, or has
 * added an artifact to it. What is said about it, in a message or beside code, says the same without it.
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
 * The ids of what something leads to that stays or comes back: others count on it. What is the author's alone is taken
 * to go, and to lead nowhere.
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

/** The ids of what an entity leads to once its plan is carried out. */
export function toReached({ found, outcome, facts }: Plan): string[] {
  const isThere = outcome === 'restored' || found.deleted === undefined
  if (!isThere || outcome === 'deleted') return []
  const successor = facts.get('properties.superseded_by')
  const targets = [...facts.keys()].flatMap((name) => toTarget(name)?.targetId ?? [])
  return typeof successor === 'string' ? [successor, ...targets] : targets
}

/** Where an edge leads, if the fact of this name is one. */
export function toTarget(
  name: string,
): { readonly type: string; readonly targetId: string } | undefined {
  const [kind, type = '', targetId = ''] = name.split(' ')
  return kind === 'relation' ? { type, targetId } : undefined
}
