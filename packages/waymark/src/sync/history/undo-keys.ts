import type { Change } from '../../core/change.ts'
import { KEY } from './restore.ts'
import type { Plan } from './undo-plan.ts'
import type { EntityId } from '../../entity/entity-id.ts'

/**
 * The ids of the tasks that cannot get their old key back, because another task has it now and keeps it. A task whose
 * own plan releases the key does not count, unless that plan fails, and so on. Must run before deleted entities are
 * restored.
 */
export async function findLostKeys(
  change: Change,
  plans: readonly Plan[],
): Promise<ReadonlySet<EntityId>> {
  const claims = plans.filter(isClaim)
  const claimants = new Set(claims.map(({ found }) => found.row.id))
  const lost = new Set<EntityId>()
  const heirs = new Map<string, EntityId>()
  // Live entities take precedence over deleted ones.
  for (const { found, facts } of claims.toSorted(liveFirst)) {
    const [{ id }, key] = [found.row, facts.get(KEY)]
    if (typeof key !== 'string') continue
    const holders = await change.tasks.byKey(key)
    const isTaken = holders.some((holder) => holder.id !== id && !claimants.has(holder.id))
    if (isTaken || heirs.has(key)) lost.add(id)
    else heirs.set(key, id)
  }
  const presentKeys = new Map(
    claims
      .filter(({ outcome }) => outcome === 'reverted')
      .map(({ found: { row } }) => [row.id, row.properties['key']]),
  )
  // A task that cannot revert keeps its present key, so the task that would have got that key loses it.
  for (const id of lost) {
    const present = presentKeys.get(id)
    const heir = typeof present === 'string' ? heirs.get(present) : undefined
    if (heir !== undefined) lost.add(heir)
  }
  return lost
}

function isClaim({ found, outcome, back }: Plan): boolean {
  if (found.row.type !== 'task') return false
  if (outcome === 'restored') return true
  return found.deleted === undefined && back.some(({ name }) => name === KEY)
}

function liveFirst(one: Plan, other: Plan): number {
  return Number(one.outcome === 'restored') - Number(other.outcome === 'restored')
}
