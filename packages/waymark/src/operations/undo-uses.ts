import { agentIdOf } from '../domain/agent.ts'
import { isHeld } from '../domain/lease.ts'
import type { EntityRow } from '../store/entities.ts'
import type { Change } from './change.ts'
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

/** Of what is the author's alone, that to which something leads that stays or comes back: others count on it. */
export async function findNeeded(
  change: Change,
  plans: ReadonlyMap<string, Plan>,
): Promise<Plan[]> {
  const needed: Plan[] = []
  const reached = new Set([...plans.values()].flatMap(toReached))
  for (const plan of plans.values()) {
    if (!plan.isOwn) continue
    const { id, type } = plan.found.row
    const edges = await change.relations.of(id, 'to')
    const sources = [
      ...edges.map(({ sourceId }) => sourceId),
      ...(type === 'decision' ? await change.entities.supersededBy(id) : []),
    ]
    if (reached.has(id) || sources.some((source) => !plans.has(source))) needed.push(plan)
  }
  return needed
}

/** The ids of what an entity leads to once its plan is carried out. */
function toReached({ found, outcome, facts }: Plan): string[] {
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
