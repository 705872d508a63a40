import { isHeld, isSameLease } from './lease.ts'
import { Failure } from '../../core/error.ts'
import type { AgentRow } from '../../agent/store.ts'
import type { EntityRow } from '../../entity/store.ts'
import type { HeldLeaseRow } from './store.ts'
import type { Change } from '../../core/change.ts'
import { emitTaskEvent } from '../write/update-task-row.ts'
import { toFacts } from './refusals.ts'
import type { EntityId } from '../../entity/entity-id.ts'

/** The lease in a stored response to the caller or its predecessor. */
interface Remembered {
  readonly taskId: EntityId
  readonly number: number
  readonly fence: number
  /** The agent that got the answer, when that was the caller's predecessor. */
  readonly from: string | undefined
}

/**
 * The lease of a stored response, if the caller still holds it. Leases of its predecessor belong to the caller now. A
 * replayed response must not report a lease that another agent has taken since.
 */
export async function recallLease(
  change: Change,
  agent: AgentRow,
  { taskId, number, fence, from }: Remembered,
): Promise<{ readonly task: EntityRow; readonly lease: HeldLeaseRow }> {
  const [task, lease] = [await change.entities.byId(taskId), await change.leases.of(taskId)]
  if (task !== undefined && isHeld(lease, change.stamp.at) && isSameLease(lease, fence)) {
    if (lease.agentId === agent.id) return { task, lease }
    if (lease.agentId === from && (await change.leases.handOver(taskId, lease, agent.id))) {
      const moved = { ...lease, agentId: agent.id, agentName: agent.name }
      await emitTaskEvent(change, task, { type: 'lease.moved', facts: { ...toFacts(moved), from } })
      return { task, lease: moved }
    }
  }
  const message = `this call gave you task ${number}, and you no longer hold it`
  throw new Failure('lease_lost', `${message}; claim it under another idempotency key`, {
    details: {
      id: taskId,
      field: 'idempotency_key',
      ...(lease !== undefined && toFacts(lease)),
    },
  })
}
