import * as z from 'zod'
import type { Context } from '../../core/context.ts'
import { agentIdOf, callerId, isPerson } from '../../agent/agent.ts'
import { DEFAULT_LEASE, clampLease, isHeld, LONGEST_LEASE, SHORTEST_LEASE } from './lease.ts'
import { reference } from '../../entity/reference.ts'
import { defineOperation } from '../../core/operation.ts'
import { body } from '../../core/input/schema.ts'
import type { AgentRow } from '../../agent/store.ts'
import type { EntityRow } from '../../entity/store.ts'
import type { HeldLeaseRow } from './store.ts'
import { actingAgent, agentId } from '../../agent/acting-agent.ts'
import { type Change, change } from '../../core/change.ts'
import { readsOfReference } from '../../entity/find-entity.ts'
import { findTask } from '../find-task.ts'
import { readsOfLeases, readsOfWrite } from '../read-ahead.ts'
import {
  assertClaimable,
  claim,
  endUnfinished,
  fenceRefused,
  presentFence,
  sweepLeases,
  takeFromHolder,
  type Ticket,
  type Writer,
} from './rules.ts'
import { grantFor, renewAtRemote } from './shared/grant.ts'
import { findLeased } from './find-leased.ts'
import { force, overrideLease } from './override/override.ts'
import { recallLease } from './recall-lease.ts'
import { notHeld, toFacts } from './refusals.ts'
import { emitTaskEvent } from '../write/update-task-row.ts'
import { toQueueAgent } from '../queue/assignee.ts'
import { noteOwner } from '../../sync/note-owner.ts'
import { queueFilter, toTaskFilter } from '../queue/filter.ts'
import type { QueueAgent } from '../queue/selection-store.ts'
import { leaseView, taskSummary, toLeaseView, toTaskSummary } from '../view.ts'
import { showTaskResult } from '../show.ts'
import { showChangeToAgent, showClaimToAgent, showQueueToAgent } from '../show-agent.ts'
import { type Claimed, claimedTask, toClaimed, withOverlaps, withRemark } from './claimed.ts'
import { fence } from './input.ts'
import type { EntityId } from '../../entity/entity-id.ts'

const seconds = z
  .int()
  .optional()
  .describe(
    `How long to hold it, ${SHORTEST_LEASE} to ${LONGEST_LEASE} seconds (default ${DEFAULT_LEASE})`,
  )

const offline = z
  .boolean()
  .default(false)
  .describe('Claim it without the remote that grants claims; the next sync settles it')

const renewed = z.object({ task: taskSummary, lease: leaseView })
type Renewed = z.output<typeof renewed>

export const claimTask = defineOperation({
  name: 'task.claim',
  summary: 'Take a ready task for a while, so that no other agent works on it',
  example: '12 --seconds 1800',
  effect: 'write',
  settlesClaims: true,
  input: z.object({
    id: reference,
    seconds,
    force: force.describe(
      'Take it from a holder in another clone; a person also ends the lease of an agent here',
    ),
    offline,
    agent_id: agentId,
    fence,
  }),
  output: claimedTask,
  positional: ['id'],
  async run(context, { id, seconds, force, offline, agent_id, fence }) {
    const grant = await grantFor(context, { offline }, async (change) => {
      await sweepLeases(change)
      const agent = await actingAgent(context, change, agent_id)
      const task = await findTask(change, id)
      const lease = await change.leases.of(task.id)
      // Held already, so the remote is not asked.
      if (isHeld(lease, change.stamp.at) && lease.agentId === agent.id) return 'held'
      // The lease of another agent ends with the grant, below.
      const overrides = force && isPerson(context.agent)
      const takenFrom = await assertClaimable(change, task, agent, { force, overrides })
      return { task, agent, takenFrom }
    })
    const work = async (change: Change): Promise<Claimed> => {
      const now = change.stamp.at
      await change.prefetch(() => [change.leases.expired(now), change.leases.shared.foreign(now)])
      await sweepLeases(change)
      const agent = await actingAgent(context, change, agent_id)
      const found = await findTask(change, id)
      await change.prefetch(() => readsOfWrite(change, found.id))
      const task = await takeFromHolder(context, change, found, { force })
      const resumes =
        isHandedOut(context, agent) ||
        isSession(context, agent) ||
        (await holds(change, task.id, agent, fence))
      const identityProved = resumes || isKnown(context, agent_id)
      return await toClaimed(
        change,
        agent,
        await claim(change, task, agent, { seconds, identityProved, resumes, force, ...grant }),
      )
    }
    const taken = await change(context, work, {
      recall: recallClaim(context, agent_id),
      reads: (tx) => [...readsOfLeases(tx), ...readsOfReference(tx.entities, id)],
    })
    return withOverlaps(context, withRemark(taken, grant.remark))
  },
  show: showTaskResult,
  showToAgent: showClaimToAgent,
})

export const takeTask = defineOperation({
  name: 'task.take',
  summary: 'Claim the most urgent task that is ready and not held, in one step',
  example: '--label parser',
  effect: 'write',
  settlesClaims: true,
  input: queueFilter.extend({ seconds, offline, agent_id: agentId }),
  output: z.object({
    claimed: claimedTask.nullable().describe('null when there is nothing to do'),
  }),
  async run(context, { seconds, offline, agent_id, ...filter }) {
    const pick = async (change: Change, ticket?: Ticket) => {
      const now = change.stamp.at
      const next = async (agent: QueueAgent) =>
        await change.tasks.queue({
          ...(await toTaskFilter(change, filter)),
          state: 'offered',
          agent: await toQueueAgent(change, { id: agent.id, name: agent.name }),
          now,
          limit: 1,
        })
      await change.prefetch(() => [
        change.leases.expired(now),
        change.leases.shared.foreign(now),
        ...(agent_id === undefined
          ? [next({ id: callerId(context.agent), name: context.agent.name })]
          : []),
      ])
      await sweepLeases(change)
      const agent = await actingAgent(context, change, agent_id)
      const [task] =
        ticket === undefined ? await next(agent) : [await change.entities.byId(ticket.taskId)]
      if (task === undefined) return undefined
      await change.prefetch(() => [
        ...readsOfWrite(change, task.id),
        change.messages.unreadAbout(task.id, agent.id),
      ])
      return { task, agent }
    }
    await noteOwner(context)
    const grant = await grantFor(context, { offline }, pick)
    const work = async (change: Change): Promise<{ claimed: Claimed | null }> => {
      const picked = grant.hasNone === true ? undefined : await pick(change, grant.ticket)
      if (picked === undefined) return { claimed: null }
      const { task, agent } = picked
      const taken = await claim(change, task, agent, {
        seconds,
        identityProved: true,
        resumes: false,
        ...grant,
      })
      return { claimed: await toClaimed(change, agent, taken) }
    }
    const recall = recallClaim(context, agent_id)
    const { claimed } = await change(context, work, {
      reads: readsOfLeases,
      recall: async (change, { claimed }, from) => ({
        claimed: claimed && (await recall(change, claimed, from)),
      }),
    })
    return { claimed: claimed && withOverlaps(context, withRemark(claimed, grant.remark)) }
  },
  show: ({ claimed }) => showTaskResult(claimed ?? { task: null }),
  showToAgent: ({ claimed }) =>
    claimed === null ? showQueueToAgent({ tasks: [], total: 0 }) : showClaimToAgent(claimed),
})

export const renewTask = defineOperation({
  name: 'task.renew',
  summary: 'Hold a claimed task for longer',
  example: '12 --seconds 1800',
  effect: 'write',
  settlesClaims: true,
  input: z.object({ id: reference, seconds, agent_id: agentId, fence }),
  output: renewed,
  positional: ['id'],
  async run(context, { id, seconds, agent_id, fence }) {
    await renewAtRemote(context, { id, seconds })
    const work = async (change: Change): Promise<Renewed> => {
      await sweepLeases(change)
      const agent = await actingAgent(context, change, agent_id)
      const task = await findLeased(change, id, { fence })
      const now = change.stamp.at
      const expiresAt = now + 1000 * clampLease(seconds ?? agent.leaseSeconds)
      const agentId = agent.id
      const holder = {
        agentId,
        fence: await presentFence(context, change, task, { agentId, fence }),
      }
      const lease = await change.leases.renew(task.id, holder, { now, expiresAt })
      if (lease === undefined) throw await fenceRefused(change, task, agent.id)
      await emitTaskEvent(change, task, { type: 'task.renewed', facts: toFacts(lease) })
      return await toRenewed(change, task, { ...lease, agentId: agent.id })
    }
    return await change(context, work, {
      recall: async (change, kept, from) => {
        const agent = await actingAgent(context, change, agent_id)
        const { task, lease } = await recallLease(change, agent, toRemembered(kept, from))
        return await toRenewed(change, task, lease)
      },
    })
  },
  show: showTaskResult,
  showToAgent: showChangeToAgent,
})

async function toRenewed(change: Change, task: EntityRow, lease: HeldLeaseRow): Promise<Renewed> {
  const now = change.stamp.at
  return { task: await toTaskSummary(change, task, now), lease: toLeaseView(lease, now) }
}

export const releaseTask = defineOperation({
  name: 'task.release',
  summary: 'Give a claimed task back before its time is up',
  example: '12 --reason "needs a decision first"',
  effect: 'write',
  input: z.object({
    id: reference,
    reason: body({ max: 4096 }).optional().describe('Why, for the next agent that claims it'),
    force,
    agent_id: agentId,
    fence,
  }),
  output: z.object({ task: taskSummary, released: leaseView }),
  positional: ['id'],
  async run(context, { id, reason, force, agent_id, fence }) {
    return await change(context, async (change) => {
      await sweepLeases(change)
      const task = await findLeased(change, id, { fence })
      const now = change.stamp.at
      const lease =
        (await overrideLease(context, change, task, { force, reason })) ??
        (await releaseOwn(context, change, task, { force, reason, agent_id, fence }))
      const facts = { ...toFacts(lease), ...(reason !== undefined && { reason }) }
      const free = await endUnfinished(change, task, lease, { type: 'task.released', facts })
      return {
        task: await toTaskSummary(change, free, now),
        released: toLeaseView(lease, now),
      }
    })
  },
  show: showTaskResult,
  showToAgent: showChangeToAgent,
})

/** Ends the caller's own lease. Answers it as it was. */
async function releaseOwn(
  context: Context,
  change: Change,
  task: EntityRow,
  { agent_id, fence, reason, force = false }: Writer,
): Promise<HeldLeaseRow> {
  const lease = await change.leases.of(task.id)
  if (force && isPerson(context.agent) && !isHeld(lease, change.stamp.at)) {
    throw notHeld(task)
  }
  const agent = await actingAgent(context, change, agent_id)
  const agentId = agent.id
  const released = await change.leases.release(
    task.id,
    { agentId, fence: await presentFence(context, change, task, { agentId, fence }) },
    // A holder that gives a reason is alive and knows what stopped it.
    {
      now: change.stamp.at,
      reason,
      forgetsLost: reason !== undefined,
      withholds: reason !== undefined,
    },
  )
  if (!released || lease === undefined) throw await fenceRefused(change, task, agent.id)
  return { ...lease, agentId: agent.id }
}

/** Whether the caller said who it is, or is known by its connection. */
function isKnown({ agent }: Context, named: string | undefined): boolean {
  return named !== undefined || agent.assumed !== true
}

/**
 * Whether the id was generated by `agent.join` rather than derived from the caller's name or connection. A restarted
 * process does not know such an id, so it proves identity like a fence; the Lodestar dialect has no other proof.
 */
function isHandedOut(context: Context, { id, name }: AgentRow): boolean {
  return id !== callerId(context.agent) && (name === null || id !== agentIdOf(name))
}

/** A session that took over the leases of a crashed one has had its attempt counted. */
function isSession({ agent: { session, id } }: Context, agent: AgentRow): boolean {
  return session !== undefined && agent.id === id
}

async function holds(
  change: Change,
  taskId: EntityId,
  agent: AgentRow,
  fence: number | undefined,
): Promise<boolean> {
  const lease = await change.leases.of(taskId)
  return lease?.agentId === agent.id && lease.fence === fence
}

/** A repeated claim returns the lease's present state. */
function recallClaim(context: Context, agent_id: string | undefined) {
  return async (change: Change, kept: Claimed, from: string | undefined): Promise<Claimed> => {
    const agent = await actingAgent(context, change, agent_id)
    const current = await recallLease(change, agent, toRemembered(kept, from))
    return await toClaimed(change, agent, { ...current, renewed: kept.renewed })
  }
}

function toRemembered({ task: { id, number }, lease: { fence } }: Renewed, from?: string) {
  return { taskId: id, number, fence, from }
}
