import { toTime } from '../../support/text/moment.ts'
import { toTitle } from '../../support/text/visible-text.ts'
import { Failure } from '../../core/error.ts'
import type { EntityRow } from '../../entity/store.ts'
import type { HeldElsewhere } from './elsewhere/holders.ts'
import type { HeldLeaseRow, LeaseRow } from './store.ts'

type NamedTask = Pick<EntityRow, 'id' | 'number'>

/** Another agent holds the task. */
export function heldBy(task: NamedTask, lease: HeldLeaseRow, remark = ''): Failure {
  const id = toTitle(lease.agentId)
  const name = lease.agentName ? `${toTitle(lease.agentName)} (${id})` : id
  const until = toTime(lease.expiresAt)
  return new Failure('conflict', `task ${task.number} is held by ${name} until ${until}${remark}`, {
    details: {
      reason: 'held',
      id: task.id,
      claimed_by: lease.agentId,
      expires_at: until,
      fence: lease.fence,
    },
  })
}

/** An agent or a person in another clone holds the task, and was heard of lately. */
export function heldInOtherClone(task: NamedTask, held: HeldElsewhere): Failure {
  const { by, since, until, isClosed } = held
  const who = by.join(' and ')
  if (isClosed === true) {
    const message = `task ${task.number} was closed by ${who} in another clone; run \`waymark sync\` there, then here`
    return new Failure('conflict', message, {
      details: { reason: 'closed_elsewhere', id: task.id, closed_by: by },
    })
  }
  const remedy = 'take another task, or take this one over with force'
  const when =
    until === undefined ? `last changed ${toTime(since)}` : `until ${toTime(until)} at the latest`
  return new Failure(
    'conflict',
    `task ${task.number} is held by ${who} in another clone, ${when}; ${remedy}`,
    {
      details: {
        reason: 'held_elsewhere',
        id: task.id,
        held_by: by,
        since: toTime(since),
        ...(until !== undefined && { until: toTime(until) }),
      },
    },
  )
}

/** Another agent of this clone is claiming the task, and waits for the remote. */
export function beingClaimed(task: NamedTask): Failure {
  return new Failure('busy', `task ${task.number} is being claimed by another agent; try again`, {
    details: { reason: 'being_claimed', id: task.id },
  })
}

/** The caller does not hold the task any more, or never did. */
export function leaseLost(task: NamedTask, current?: LeaseRow): Failure {
  const { remedy, ...facts } = toEnd(current)
  return new Failure('lease_lost', `you no longer hold task ${task.number}${remedy}`, {
    details: { id: task.id, ...(current !== undefined && toFacts(current)), ...facts },
  })
}

/** The caller holds the task, but names an earlier fence: the session that had it was replaced, or it claimed anew. */
export function outdatedFence(task: NamedTask, lease: LeaseRow): Failure {
  const message = `you hold task ${task.number} with fence ${lease.fence} now; pass that fence, or none`
  const details = { reason: 'outdated_fence', id: task.id, ...toFacts(lease) } as const
  return new Failure('lease_lost', message, { details })
}

/** A person ends the lease of a task that has none. */
export function notHeld(task: NamedTask): Failure {
  return new Failure(
    'conflict',
    `no agent holds task ${task.number}; there is nothing to release`,
    {
      details: { reason: 'not_held', id: task.id },
    },
  )
}

/** How the lease was ended by another party, and what to do next. */
function toEnd(lease: LeaseRow | undefined) {
  switch (lease?.ended?.how) {
    case 'sync':
      return {
        reason: 'closed_by_sync' as const,
        remedy: ': sync closed or deleted it and ended the lease; reopen or restore it to go on',
      }
    case 'elsewhere':
      return {
        reason: 'held_elsewhere' as const,
        remedy: `: ${lease.ended?.reason ?? 'another clone holds it'}; agree with its holder, or take it over with force`,
      }
    case 'force': {
      const by = toTitle(lease.ended?.by ?? 'a person')
      const why = lease.ended?.reason ?? undefined
      const remedy = `: ${by} ended the lease${why === undefined ? '; ask why before you claim it again' : `: ${toTitle(why)}`}`
      const facts = { ended_by: by, ...(why !== undefined && { ended_reason: why }) }
      return { reason: 'ended_by_person' as const, ...facts, remedy }
    }
    case undefined:
      return { remedy: '; claim it again' }
  }
}

export function toFacts(lease: LeaseRow): Readonly<Record<string, unknown>> {
  return {
    ...(lease.agentId !== null && { agent_id: lease.agentId }),
    fence: lease.fence,
    expires_at: toTime(lease.expiresAt),
  }
}
