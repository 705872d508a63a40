import type { Context } from '../../core/context.ts'
import { callerId } from '../../agent/agent.ts'
import { isHeld } from '../lease/lease.ts'
import { toTime } from '../../support/text/moment.ts'
import { isClosed } from '../task.ts'
import { Failure } from '../../core/error.ts'
import type { Reason } from '../../core/reason.ts'
import type { EntityRow } from '../../entity/store.ts'
import type { EventType } from '../../event/types.ts'
import { actingAgent } from '../../agent/acting-agent.ts'
import type { Change } from '../../core/change.ts'
import {
  assertMayWrite,
  resolveWriter,
  endUnfinished,
  sweepLeases,
  type Writer,
} from '../lease/rules.ts'
import { overrideLease } from '../lease/override/override.ts'
import { type TaskEvent, updateTaskRow } from '../write/update-task-row.ts'
import { asTask } from '../fields.ts'
import { nameTasks, toTaskLabel } from '../view.ts'
import { findOpenParts } from '../find-task.ts'
import { toQueueAgent } from '../queue/assignee.ts'
import { readsOfView } from '../read-ahead.ts'

/** Who closes a task, and with what words. With `force` also if tasks that block it or parts of it are still open. */
export interface Closing extends Writer {
  /** Whether it counts as done only after verification; defaults to the task's setting. */
  readonly needs_verification?: boolean | undefined
}

export interface Closed {
  readonly task: EntityRow
  readonly changed: boolean
  /** Whether the agent held the task until now. */
  readonly wasHeld: boolean
  /** Tasks that nothing blocks any more. */
  readonly freed: readonly EntityRow[]
  /** Tasks of which this was the last open part. */
  readonly closable: readonly EntityRow[]
}

const UNCHANGED = { changed: false, wasHeld: false, freed: [], closable: [] } as const

/** Marks a task as done. A no-op if it is done already. */
export async function completeOne(
  context: Context,
  change: Change,
  task: EntityRow,
  closing: Closing,
): Promise<Closed> {
  const closer = await resolveCloser(context, change, task, closing)
  if (task.status === 'done') return { task, ...UNCHANGED }
  if (task.status === 'cancelled') throw refusal(task, 'closed', 'is cancelled; reopen it first')
  if (closing.force !== true) await refuseUnfinished(change, task)
  return await close(change, task, closer, {
    event: 'task.done',
    fields: {
      status: 'done',
      completed_at: toTime(change.stamp.at),
      ...(closer.name !== null && { completed_by: closer.name }),
      ...(closing.reason !== undefined && { close_reason: closing.reason }),
      ...(closing.needs_verification !== undefined && {
        needs_verification: closing.needs_verification,
      }),
    },
  })
}

/** Cancels a task. A no-op if it is cancelled already; a done task cannot be cancelled. */
export async function cancelOne(
  context: Context,
  change: Change,
  task: EntityRow,
  closing: Closing,
): Promise<Closed> {
  const closer = await resolveCloser(context, change, task, closing)
  if (task.status === 'cancelled') return { task, ...UNCHANGED }
  if (task.status === 'done') throw refusal(task, 'closed', 'is done; reopen it first')
  return await close(change, task, closer, {
    event: 'task.cancelled',
    fields: {
      status: 'cancelled',
      ...(closing.reason !== undefined && { close_reason: closing.reason }),
    },
  })
}

/** Reopens a closed task, unparks a parked one, or, for a person, frees one that an agent holds. */
export async function reopenOne(
  context: Context,
  change: Change,
  found: EntityRow,
  writer: Writer,
): Promise<Pick<Closed, 'task' | 'changed'>> {
  await sweepLeases(change)
  // The sweep may have freed or parked it.
  const task = (await change.entities.byId(found.id)) ?? found
  const { reason } = writer
  const facts = reason === undefined ? {} : { reason }
  const event: TaskEvent = { type: 'task.reopened', facts }
  const ended = await overrideLease(context, change, task, writer)
  if (ended !== undefined)
    return { task: await endUnfinished(change, task, ended, event), changed: true }
  await resolveWriter(context, change, task, writer)
  const lease = await change.leases.of(task.id)
  const isParked = typeof lease?.parkedAt === 'number'
  if (!isClosed(asTask(task)) && !isParked) return { task, changed: false }
  // A fence from before the reopening must not close the task again.
  await change.leases.clear(task.id, { keepsFence: false, to: 'open', now: change.stamp.at })
  const fields = isClosed(asTask(task)) ? { status: 'todo' } : {}
  return { task: await updateTaskRow(change, task, fields, event), changed: true }
}

interface Closer {
  readonly id: string | undefined
  readonly name: string | null
  readonly isHolder: boolean
  /** The last fence belongs to the closer and stays valid. */
  readonly keepsFence: boolean
}

/** A named agent must have joined; a person who closes a task at the terminal need not. */
async function resolveCloser(
  context: Context,
  change: Change,
  task: EntityRow,
  { agent_id, ...closing }: Closing,
): Promise<Closer> {
  await sweepLeases(change)
  const agent = agent_id === undefined ? undefined : await actingAgent(context, change, agent_id)
  const id = agent?.id ?? callerId(context.agent)
  await assertMayWrite(context, change, task, { ...closing, agentId: id })
  const lease = await change.leases.of(task.id)
  const isHolder = isHeld(lease, change.stamp.at) && lease.agentId === id
  const keepsFence = isHolder || closing.fence !== undefined
  return { id, name: agent?.id ?? context.agent.name, isHolder, keepsFence }
}

async function close(
  change: Change,
  task: EntityRow,
  { id, name, isHolder, keepsFence }: Closer,
  { event, fields }: { event: EventType; fields: Readonly<Record<string, unknown>> },
): Promise<Closed> {
  const now = change.stamp.at
  await change.leases.clear(task.id, { keepsFence, to: 'closed', now })
  const facts = id === undefined ? {} : { agent_id: id }
  const closed = await updateTaskRow(change, task, fields, { type: event, facts })
  const agent = await toQueueAgent(change, { id, name })
  await change.prefetch(() => [
    change.tasks.freedBy(closed.id),
    change.tasks.closableAfter(closed.id),
    change.tasks.queue({ state: 'offered', agent, now, limit: 1 }),
    ...readsOfView(change, closed.id),
  ])
  const freed = await change.tasks.freedBy(closed.id)
  const closable = await change.tasks.closableAfter(closed.id)
  await change.leases.offerAgain([...freed, ...closable].map((row) => row.id))
  return { task: closed, changed: true, wasHeld: isHolder, freed, closable }
}

async function refuseUnfinished(change: Change, task: EntityRow): Promise<void> {
  const blockers = await change.tasks.blockersOf(task.id)
  if (blockers.length > 0) {
    throw refusal(
      task,
      'blocked',
      `is blocked by ${nameTasks(blockers)}; force to close it anyway`,
      {
        blockers: blockers.map(toTaskLabel),
      },
    )
  }
  const open = await findOpenParts(change, task.id)
  if (open.length > 0) {
    throw refusal(
      task,
      'open_parts',
      `has open parts, ${nameTasks(open)}; force to close it anyway`,
      {
        subtasks: open.map(toTaskLabel),
      },
    )
  }
}

export function refusal(
  task: EntityRow,
  reason: Reason,
  message: string,
  facts: Readonly<Record<string, unknown>> = {},
): Failure {
  return new Failure('conflict', `task ${task.number} ${message}`, {
    details: { reason, id: task.id, status: task.status, ...facts },
  })
}
