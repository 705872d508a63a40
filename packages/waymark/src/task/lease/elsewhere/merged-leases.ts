import { isClosed } from '../../task.ts'
import type { LogLine } from '../../../sync/log/log-line.ts'
import type { HeldLeaseRow } from '../store.ts'
import type { Change } from '../../../core/change.ts'
import { asTask } from '../../fields.ts'
import { endLease } from '../override/override.ts'
import type { EntityId } from '../../../entity/entity-id.ts'

type LinesByEntity = ReadonlyMap<EntityId, readonly LogLine[]>

/**
 * Entities that an import skips: tasks held by other agents, and entities that would block one of them. Sync skips
 * nothing, because clones must converge.
 */
export async function findForeign(
  { admission, leases, stamp }: Change,
  linesByEntity: LinesByEntity,
): Promise<ReadonlySet<EntityId>> {
  const foreign: EntityId[] = []
  for (const { taskId } of await leases.held(stamp.at)) {
    if ((await admission.refusal(taskId)) !== undefined) foreign.push(taskId)
  }
  const isLeftAlone = ([entityId, lines]: readonly [string, readonly LogLine[]]): boolean =>
    foreign.some((id) => id === entityId || lines.some(({ text }) => text.includes(`blocks ${id}`)))
  return new Set([...linesByEntity].filter(isLeftAlone).map(([entityId]) => entityId))
}

/** Ends the leases of tasks that a merge has closed or deleted. */
export async function endMergedLeases(
  change: Change,
  leases: readonly HeldLeaseRow[],
): Promise<void> {
  for (const lease of leases) {
    const found = await change.replica.rows.find(lease.taskId)
    if (found === undefined) continue
    const isOver = found.deleted !== undefined || isClosed(asTask(found.row))
    if (isOver) await endLease(change, found.row, lease, { how: 'sync' })
  }
}
