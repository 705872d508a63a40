import type { Context } from '../../core/context.ts'
import { callerId, type AgentId, NO_AGENT } from '../../agent/agent.ts'
import { clampLease, isHeld, isSameLease, attemptsExhausted, toParkedReason } from './lease.ts'
import { isClosed } from '../task.ts'
import { parseMoment } from '../../support/text/moment.ts'
import { Failure } from '../../core/error.ts'
import type { Reason } from '../../core/reason.ts'
import type { AgentRow } from '../../agent/store.ts'
import type { EntityRow } from '../../entity/store.ts'
import type { LeaseRow } from './store.ts'
import { actingAgent } from '../../agent/acting-agent.ts'
import type { Change } from '../../core/change.ts'
import { type Override, overrideLease } from './override/override.ts'
import { type HeldElsewhere, heldElsewhere, toHolder, withoutClone } from './elsewhere/holders.ts'
import {
  beingClaimed,
  heldBy,
  heldInOtherClone,
  leaseLost,
  outdatedFence,
  toFacts,
} from './refusals.ts'
import { ASKED_FOR_MS, newNonce } from './shared/store.ts'
import { emitTaskEvent, updateTaskRow, type TaskEvent } from '../write/update-task-row.ts'
import { asTask } from '../fields.ts'
import { findOpenParts } from '../find-task.ts'
import { BLOCKED } from '../index-store.ts'
import { nameTasks, toTaskLabel } from '../view.ts'
import type { EntityId } from '../../entity/entity-id.ts'

/** For a caller with the holder's name, which is not unique. */
const PERHAPS_YOU = '; if you are the holder, pass its fence or your actor'

export interface ClaimOptions {
  readonly seconds?: number | undefined
  /** Whether the caller is known to be the holder, and not just an agent of the same name. */
  readonly identityProved: boolean
  /** The caller proved (by fence) that it is the same process; otherwise this counts as a new attempt. */
  readonly resumes: boolean
  /** Take it from a holder in another clone. */
  readonly force?: boolean | undefined
  /** What the remote has granted. Absent where this clone grants claims. */
  readonly ticket?: Ticket | undefined
  /** The remote has granted nothing: only a lease that is held already is renewed. */
  readonly hasNone?: true | undefined
  /** Claimed without the remote that grants claims: the next sync settles it. */
  readonly isProvisional?: boolean | undefined
}

/** A lease that the remote has granted to this clone. */
export interface Ticket {
  readonly taskId: EntityId
  readonly nonce: string
  readonly fence: number
  /** Milliseconds since 1970. */
  readonly expiresAt: number
  /** From whom in another clone it was taken. */
  readonly takenFrom?: HeldElsewhere | undefined
}

/** Who writes to a task, as the call says it. */
export interface Writer extends Override {
  readonly agent_id?: string | undefined
  readonly fence?: number | undefined
}

export interface Claim {
  readonly task: EntityRow
  readonly lease: LeaseRow & { readonly agentId: AgentId }
  /** The agent held it already, and its lease was extended. */
  readonly renewed: boolean
  /** The holders in other clones that it was taken from. */
  readonly takenFrom?: HeldElsewhere | undefined
}

/** Grants or renews a lease; throws if the task is held by another agent or not ready. */
export async function claim(
  change: Change,
  task: EntityRow,
  agent: AgentRow,
  options: ClaimOptions,
): Promise<Claim> {
  const { seconds, identityProved, resumes, force, ticket } = options
  const now = change.stamp.at
  const wanted = now + 1000 * clampLease(seconds ?? agent.leaseSeconds)
  const expiresAt = Math.min(wanted, ticket?.expiresAt ?? wanted)
  const current = await change.leases.of(task.id)
  if (isHeld(current, now)) {
    if (current.agentId !== agent.id) throw heldBy(task, current)
    if (!identityProved) throw heldBy(task, current, PERHAPS_YOU)
    if (!resumes) await countRestart(change, task, current)
    const renewed = await change.leases.renew(task.id, { agentId: agent.id }, { now, expiresAt })
    if (renewed === undefined) throw leaseLost(task)
    await emitTaskEvent(change, task, { type: 'task.renewed', facts: toFacts(renewed) })
    return { task, lease: { ...renewed, agentId: agent.id }, renewed: true }
  }
  await refuseUnready(change, task, current)
  if (options.hasNone === true) throw leaseLost(task, current)
  const takenFrom =
    ticket === undefined ? await findHolderElsewhere(change, task, { force }) : ticket.takenFrom
  if (ticket !== undefined) await confirm(change, task, agent, ticket)
  const started = task.status === 'todo'
  const fence = ticket?.fence
  const lease = await change.leases.grant(task.id, {
    agentId: agent.id,
    agentName: agent.name,
    now,
    expiresAt,
    started,
    fence,
  })
  if (lease === undefined) throw leaseLost(task)
  if (options.isProvisional === true) await noteProvisional(change, task, agent)
  const event: TaskEvent = { type: 'task.claimed', facts: toFacts(lease) }
  const holders = [await toHolder(change, agent.name ?? agent.id)]
  const fields = { status: 'in_progress', holders }
  if (started || task.status === 'in_progress') {
    task = await updateTaskRow(change, task, fields, event)
  } else await emitTaskEvent(change, task, event)
  return { task, lease: { ...lease, agentId: agent.id }, renewed: false, takenFrom }
}

/** Throws if the agent cannot claim the task now; the same checks as when it is claimed. */
export async function assertClaimable(
  change: Change,
  task: EntityRow,
  agent: AgentRow,
  { force, overrides }: Pick<ClaimOptions, 'force'> & { readonly overrides: boolean },
): Promise<HeldElsewhere | undefined> {
  const now = change.stamp.at
  const current = await change.leases.of(task.id)
  if (isHeld(current, now) && !overrides) throw heldBy(task, current)
  const asked = await change.leases.shared.of(task.id, now)
  const isAsked = asked?.state === 'asked' && asked.at > now - ASKED_FOR_MS
  if (isAsked && asked.agentId !== agent.id) throw beingClaimed(task)
  await refuseUnready(change, task, current)
  return await findHolderElsewhere(change, task, { force })
}

async function findHolderElsewhere(
  { leases, stamp }: Change,
  task: EntityRow,
  { force }: Pick<ClaimOptions, 'force'>,
): Promise<HeldElsewhere | undefined> {
  const found = heldElsewhere(task, await leases.elsewhere(stamp.at))
  if (found?.isSilent === false && force !== true) throw heldInOtherClone(task, found)
  return found
}

/** The remote has granted the claim: from here on this clone knows the lease as its own. */
async function confirm(
  { leases, stamp }: Change,
  task: EntityRow,
  agent: AgentRow,
  { nonce, expiresAt }: Ticket,
): Promise<void> {
  const now = stamp.at
  const row = await leases.shared.of(task.id, now)
  const isOurs = row?.state === 'asked' && row.nonce === nonce && row.agentId === agent.id
  // It took so long that another agent has asked, or the lease is over already.
  if (!isOurs || expiresAt <= now) throw beingClaimed(task)
  await leases.shared.put(task.id, { nonce, state: 'held', agentId: agent.id, expiresAt, at: now })
}

async function noteProvisional({ leases, stamp }: Change, task: EntityRow, agent: AgentRow) {
  const row = { nonce: newNonce(), agentId: agent.id, expiresAt: stamp.at, at: stamp.at }
  await leases.shared.put(task.id, { ...row, state: 'provisional' })
}

/**
 * Ends expired leases: emits an event for each, frees its task, and parks a task that lost too many. Every operation on
 * leases starts with this sweep, so that it reads current state.
 */
export async function sweepLeases(change: Change): Promise<void> {
  const now = change.stamp.at
  for (const lease of await change.leases.sweep(now)) {
    const found = await change.entities.byId(lease.taskId)
    if (found === undefined) continue
    const facts = { ...toFacts(lease), lost: lease.lost + 1 }
    await endUnfinished(change, found, lease, { type: 'lease.expired', facts })
  }
}

/**
 * Ends a lease without a result: reverts the status change of the claim, emits the event, and parks the task after too
 * many attempts.
 */
export async function endUnfinished(
  change: Change,
  task: EntityRow,
  { started }: LeaseRow,
  event: TaskEvent,
): Promise<EntityRow> {
  // Another clone may hold it by now; the end of a lease of this clone is recorded all the same.
  change.admission.override(task.id)
  const others = withoutClone(task, await change.leases.ownClone())
  const isBegun = task.status === 'in_progress'
  // A claim that another clone has made too is not undone.
  const fields =
    started && others.length === 0
      ? { status: 'todo' }
      : { holders: others.length > 0 ? others : null }
  if (isBegun) task = await updateTaskRow(change, task, fields, event)
  else await emitTaskEvent(change, task, event)
  const after = await change.leases.of(task.id)
  if (after === undefined || !attemptsExhausted(after)) return task
  const { attempts, lost } = after
  await change.leases.park(task.id, change.stamp.at)
  await emitTaskEvent(change, task, { type: 'task.parked', facts: { attempts, lost } })
  return task
}

/**
 * Throws if another agent holds the task, or if the writer's fence is not the current one. A person may override the
 * holder.
 */
export async function assertMayWrite(
  context: Context,
  change: Change,
  task: EntityRow,
  { agentId = NO_AGENT, fence: given, ...override }: Admitted,
): Promise<void> {
  if ((await overrideLease(context, change, task, override)) !== undefined) return
  const fence = await presentFence(context, change, task, { agentId, fence: given })
  if (fence === undefined) {
    const refusal = await change.admission.refusal(task.id)
    if (refusal !== undefined) throw refusal
    return
  }
  const state = { now: change.stamp.at, isClosed: isClosed(asTask(task)) }
  if (await change.leases.admits(task.id, { agentId, fence }, state)) return
  throw await fenceRefused(change, task, agentId)
}

/**
 * The fence to check a caller by. A resumed conversation knows the fence that the ended session was given, so the session
 * that continues as its agent may name that one. The ended session itself cannot: its calls are refused as replaced.
 */
export async function presentFence(
  { agent, store }: Context,
  change: Change,
  task: EntityRow,
  { agentId, fence }: { readonly agentId: AgentId; readonly fence: number | undefined },
): Promise<number | undefined> {
  const { session } = agent
  const isSession = session !== undefined && store.sessionAgents.get(session)?.id === agentId
  if (fence === undefined || !isSession) return fence
  const lease = await change.leases.of(task.id)
  return lease?.agentId === agentId && isSameLease(lease, fence) ? lease.fence : fence
}

/** Why a write of this agent is refused that named a fence. */
export async function fenceRefused(
  change: Change,
  task: EntityRow,
  agentId: AgentId,
): Promise<Failure> {
  const lease = await change.leases.of(task.id)
  const isOwn = isHeld(lease, change.stamp.at) && lease.agentId === agentId
  return isOwn ? outdatedFence(task, lease) : leaseLost(task, lease)
}

interface Admitted extends Override {
  readonly agentId: AgentId | undefined
  readonly fence?: number | undefined
}

/**
 * Ends another agent's lease at a person's request and puts the task back as it was before the claim: no task stays in
 * progress without a holder.
 */
export async function takeFromHolder(
  context: Context,
  change: Change,
  task: EntityRow,
  override: Override,
): Promise<EntityRow> {
  const lease = await overrideLease(context, change, task, override)
  if (lease === undefined) return task
  const { reason } = override
  const facts = { ...toFacts(lease), ...(reason !== undefined && { reason }) }
  return await endUnfinished(change, task, lease, { type: 'task.released', facts })
}

/** As assertMayWrite, for a call that may name its agent, as which the caller must be allowed to act. Returns its id. */
export async function resolveWriter(
  context: Context,
  change: Change,
  task: EntityRow,
  { agent_id, ...writer }: Writer,
): Promise<string | undefined> {
  const agent = agent_id === undefined ? undefined : await actingAgent(context, change, agent_id)
  const agentId = agent?.id ?? callerId(context.agent)
  await assertMayWrite(context, change, task, { ...writer, agentId })
  return agentId
}

/** Counts another attempt; throws if the attempts are exhausted. */
async function countRestart(change: Change, task: EntityRow, lease: LeaseRow): Promise<void> {
  if (!attemptsExhausted(lease)) return await change.leases.countRestart(task.id)
  const remedy = 'name its fence to go on, or reopen it when its lease has run out'
  throw parked(task, `is yours, but ${toParkedReason(lease)}; ${remedy}`)
}

function parked(task: EntityRow, message: string): Failure {
  return new Failure('conflict', `task ${task.number} ${message}`, {
    details: { reason: 'parked', id: task.id, status: task.status },
  })
}

async function refuseUnready(
  change: Change,
  task: EntityRow,
  lease: LeaseRow | undefined,
): Promise<void> {
  const { defer_until } = asTask(task)
  const refuse = (reason: Reason, message: string, facts: object = {}): never => {
    throw new Failure('conflict', `task ${task.number} ${message}`, {
      details: { reason, id: task.id, status: task.status, ...facts },
    })
  }
  if (isClosed(asTask(task))) refuse('closed', `is ${String(task.status)}; reopen it first`)
  if (typeof lease?.parkedAt === 'number') {
    throw parked(task, `is set aside: ${toParkedReason(lease)}; reopen it first`)
  }
  if (defer_until !== undefined && (parseMoment(defer_until) ?? 0) > change.stamp.at) {
    refuse('deferred', `is put off until ${defer_until}`, { defer_until })
  }
  switch (await change.tasks.blockedBy(task.id)) {
    case BLOCKED.byTask: {
      const blockers = await change.tasks.blockersOf(task.id)
      const direct = blockers.length > 0
      const all = direct ? blockers : await change.tasks.allBlockersOf(task.id)
      const through = direct ? '' : ', through the task that it is a part of'
      refuse('blocked', `is blocked by ${nameTasks(all)}${through}`, {
        blockers: blockers.map(toTaskLabel),
      })
      return
    }
    case BLOCKED.byStatus:
      refuse('blocked', 'is blocked: its status says so; set its status to todo to claim it', {
        blockers: [],
      })
      return
    case BLOCKED.byParts: {
      const open = await findOpenParts(change, task.id)
      refuse('open_parts', `has open parts, ${nameTasks(open)}; claim one of them`, {
        subtasks: open.map(toTaskLabel),
      })
      return
    }
    case BLOCKED.no:
  }
}
