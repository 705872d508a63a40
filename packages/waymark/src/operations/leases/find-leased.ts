import { Failure } from '../../error.ts'
import type { EntityRow } from '../../store/entities.ts'
import type { Change } from '../change.ts'
import { findAny } from '../find-any.ts'
import { findTask } from '../find-task.ts'
import { leaseLost } from './refusals.ts'

/** The task that `text` names. Whoever comes with a fence is told if sync has deleted the task meanwhile. */
export async function findLeased(
  change: Change,
  text: string,
  { fence, field = 'id' }: { readonly fence?: number | undefined; readonly field?: string },
): Promise<EntityRow> {
  try {
    return await findTask(change, text, field)
  } catch (error) {
    const isMissing = error instanceof Failure && error.code === 'not_found'
    if (!isMissing || fence === undefined) throw error
    const { row } = await findAny(change.replica, text)
    const lease = await change.leases.of(row.id)
    if (lease?.ended?.how !== 'sync') throw error
    throw leaseLost(row, lease)
  }
}
