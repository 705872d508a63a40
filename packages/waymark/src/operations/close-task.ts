import type { Context } from '../context.ts'
import { callerId } from '../domain/agent.ts'
import { toTime } from '../domain/moment.ts'
import { toDisplayId } from '../domain/reference.ts'
import { isClosed } from '../domain/task.ts'
import { Failure } from '../error.ts'
import type { EntityRow } from '../store/entities.ts'
import { actingAgent } from './acting-agent.ts'
import type { Change } from './change.ts'
import { admit, sweepLeases, type Writer } from './leases.ts'
import { recordTask } from './record-task.ts'
import { taskOf } from './task-of.ts'
import { toTaskLabel } from './task-view.ts'

/** Who closes a task, and with what words. */
export interface Closing extends Writer {
  readonly reason?: string | undefined
  /** Even if tasks that block it or parts of it are still open. */
  readonly force?: boolean
  /** Whether somebody must verify it before it counts; as the task says when absent. */
  readonly needs_verification?: boolean | undefined
}

export interface Closed {
  readonly task: EntityRow
  readonly changed: boolean
  /** Whether the agent held the task until now. */
  readonly wasHeld: boolean
  /** Tasks that nothing blocks any more. */
  readonly freed: readonly EntityRow[]
}

/** Marks a task as done. One that is done already stays as it is. */
export async function completeOne(
  context: Context,
  change: Change,
  task: EntityRow,
  closing: Closing,
): Promise<Closed> {
  const closer = await identify(context, change, closing)
  if (task.status === 'done') return { task, changed: false, wasHeld: false, freed: [] }
  if (task.status === 'cancelled') throw refusal(task, 'closed', 'is cancelled; reopen it first')
  const isHolder = await admitCloser(change, task, closer, closing)
  if (closing.force !== true) await refuseUnfinished(change, task)
  return await close(
    change,
    task,
    { ...closer, isHolder },
    {
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
    },
  )
}

/** Gives a task up. One that is given up already stays as it is; what is done cannot be given up. */
export async function cancelOne(
  context: Context,
  change: Change,
  task: EntityRow,
  closing: Closing,
): Promise<Closed> {
  const closer = await identify(context, change, closing)
  if (task.status === 'cancelled') return { task, changed: false, wasHeld: false, freed: [] }
  if (task.status === 'done') throw refusal(task, 'closed', 'is done; reopen it first')
  const isHolder = await admitCloser(change, task, closer, closing)
  return await close(
    change,
    task,
    { ...closer, isHolder },
    {
      event: 'task.cancelled',
      fields: {
        status: 'cancelled',
        ...(closing.reason !== undefined && { close_reason: closing.reason }),
      },
    },
  )
}

/** Opens a closed task again, or lets agents at one that was set aside. */
export async function reopenOne(
  change: Change,
  found: EntityRow,
): Promise<Pick<Closed, 'task' | 'changed'>> {
  await sweepLeases(change)
  // The sweep may have put it back, or set it aside.
  const task = (await change.entities.byId(found.id)) ?? found
  const lease = await change.leases.of(task.id)
  const isParked = typeof lease?.parkedAt === 'number'
  if (!isClosed(taskOf(task)) && !isParked) return { task, changed: false }
  await change.leases.clear(task.id)
  const fields = isClosed(taskOf(task)) ? { status: 'todo' } : {}
  return {
    task: await recordTask(change, task, fields, { type: 'task.reopened' }),
    changed: true,
  }
}

interface Closer {
  readonly id: string | undefined
  readonly name: string | null
}

/** Whoever names itself must be somebody; a person who closes a task at the terminal need not join for it. */
async function identify(context: Context, change: Change, { agent_id }: Closing): Promise<Closer> {
  const agent = agent_id === undefined ? undefined : await actingAgent(context, change, agent_id)
  return { id: agent?.id ?? callerId(context.agent), name: agent?.id ?? context.agent.name }
}

/** Answers whether the closer holds the task. */
async function admitCloser(
  change: Change,
  task: EntityRow,
  { id }: Closer,
  { fence }: Closing,
): Promise<boolean> {
  await sweepLeases(change)
  return await admit(change, task, { agentId: id, fence })
}

async function close(
  change: Change,
  task: EntityRow,
  { id, isHolder }: Closer & { readonly isHolder: boolean },
  { event, fields }: { event: string; fields: Readonly<Record<string, unknown>> },
): Promise<Closed> {
  await change.leases.clear(task.id)
  const facts = id === undefined ? {} : { agent_id: id }
  const closed = await recordTask(change, task, fields, { type: event, facts })
  return {
    task: closed,
    changed: true,
    wasHeld: isHolder,
    freed: await change.tasks.freedBy(closed.id),
  }
}

async function refuseUnfinished(change: Change, task: EntityRow): Promise<void> {
  const blockers = await change.tasks.blockersOf(task.id)
  if (blockers.length > 0) {
    throw refusal(task, 'blocked', `is blocked by ${names(blockers)}; force to close it anyway`, {
      blockers: blockers.map(toTaskLabel),
    })
  }
  const parts = await change.tasks.related(task.id, 'subtask_of', 'to')
  const open = parts.filter((part) => !isClosed(taskOf(part)))
  if (open.length > 0) {
    throw refusal(task, 'open_parts', `has open parts, ${names(open)}; force to close it anyway`, {
      subtasks: open.map(toTaskLabel),
    })
  }
}

function names(tasks: readonly EntityRow[]): string {
  const shown = tasks.slice(0, 5).map(toDisplayId).join(', ')
  return tasks.length > 5 ? `${shown} and ${tasks.length - 5} more` : shown
}

export function refusal(
  task: EntityRow,
  reason: string,
  message: string,
  facts: Readonly<Record<string, unknown>> = {},
): Failure {
  return new Failure('conflict', `task ${task.number} ${message}`, {
    details: { reason, id: task.id, status: task.status, ...facts },
  })
}
