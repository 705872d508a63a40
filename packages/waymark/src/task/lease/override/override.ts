import * as z from 'zod'
import type { Context } from '../../../core/context.ts'
import { body } from '../../../core/input/schema.ts'
import { callerId, isPerson, NO_AGENT } from '../../../agent/agent.ts'
import type { EntityRow } from '../../../entity/store.ts'
import type { HeldLeaseRow, LeaseEnd } from '../store.ts'
import type { Change } from '../../../core/change.ts'
import { emitTaskEvent } from '../../write/update-task-row.ts'
import { toFacts } from '../refusals.ts'

/** Accepted by every surface, but effective only for a person at the command line. */
export const force = z
  .boolean()
  .default(false)
  .describe('End the lease of the agent that holds the task; for people at the command line only')

/** The same where the command line would otherwise ask first. */
export const forceDelete = force.describe(
  'Do not ask; for people, also end the lease of the agent that holds the task',
)

/** The words that the agent is told, and that the record keeps. */
export const reason = body({ max: 4096 })
  .optional()
  .describe('Why it is taken from the agent that holds it, for the record')

/** Requests to write to a task even if an agent holds it. */
export interface Override {
  readonly force?: boolean | undefined
  readonly reason?: string | undefined
}

/**
 * Ends another agent's lease at a person's request; agents cannot. Returns the ended lease, if there was one.
 */
export async function overrideLease(
  { agent }: Context,
  change: Change,
  task: EntityRow,
  { force, reason }: Override,
): Promise<HeldLeaseRow | undefined> {
  if (force !== true || !isPerson(agent)) return undefined
  change.admission.override(task.id)
  const lease = await change.leases.heldAgainst(
    callerId(agent) ?? NO_AGENT,
    task.id,
    change.stamp.at,
  )
  if (lease === undefined) return undefined
  await endLease(change, task, lease, { how: 'force', reason })
  return lease
}

/** Ends a lease and its fence without its holder, and announces it. */
export async function endLease(
  change: Change,
  task: EntityRow,
  lease: HeldLeaseRow,
  { how, reason }: Pick<LeaseEnd, 'how'> & Pick<Override, 'reason'>,
): Promise<void> {
  const { at, by } = change.stamp
  const end = { how, by, reason: reason ?? null }
  await change.leases.end(task.id, end)
  await change.leases.leaveNotice({
    ...end,
    agentId: lease.agentId,
    taskId: task.id,
    number: task.number,
    fence: lease.fence,
    at,
  })
  const { agent_id: holder, ...facts } = toFacts(lease)
  await emitTaskEvent(change, task, {
    type: 'lease.ended',
    facts: { ...facts, holder, how, ...(reason !== undefined && { reason }) },
  })
}
