import { parseReference } from '../../domain/reference.ts'
import { Failure } from '../../error.ts'
import type { EntityRow } from '../../store/entities.ts'
import type { Change } from '../change.ts'
import { findTask } from '../find-task.ts'
import { leaseLost } from './refusals.ts'

/** The task that `text` names. A caller with a fence is told `lease_lost` if sync has deleted the task meanwhile. */
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
    const [deleted] = await change.replica.named(parseReference(text, field))
    const lease = deleted && (await change.leases.of(deleted.row.id))
    throw deleted !== undefined && lease?.ended?.how === 'sync'
      ? leaseLost(deleted.row, lease)
      : error
  }
}
