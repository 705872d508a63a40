import * as z from 'zod'
import { callerId } from '../../agent/agent.ts'
import type { Context } from '../../core/context.ts'
import { toTime } from '../../support/text/moment.ts'
import { assertRevision, expectedRevision } from '../../entity/expected-revision.ts'
import { reference } from '../../entity/reference.ts'
import { asTask, moment, toVerifiedCompletion } from '../fields.ts'
import { isResolved } from '../task.ts'
import { defineOperation } from '../../core/operation.ts'
import { body, calendarDate } from '../../core/input/schema.ts'
import { agentId } from '../../agent/acting-agent.ts'
import { type Change, change } from '../../core/change.ts'
import { cancelOne, type Closed, completeOne, refusal, reopenOne } from './close-task.ts'
import { resolveWriter } from '../lease/rules.ts'
import { readsOfReference } from '../../entity/find-entity.ts'
import { readsOfClosing, readsOfLeases } from '../read-ahead.ts'
import { findLeased } from '../lease/find-leased.ts'
import { force } from '../lease/override/override.ts'
import { updateTaskRow } from '../write/update-task-row.ts'
import { toQueueAgent } from '../queue/assignee.ts'
import { pointTask } from '../../relation/relate.ts'
import { fence } from '../lease/input.ts'
import { taskLabel, taskView, toTaskLabel, toTaskView } from '../view.ts'
import { showTaskResult } from '../show.ts'
import { showChangeToAgent } from '../show-agent.ts'

const changed = z.boolean().describe('false when there was nothing to change')
const reason = body({ max: 4096 })
  .optional()
  .describe('Why, or what was done, for those who come later')

const closed = z.object({
  task: taskView,
  changed,
  was_held: z.boolean().describe('Whether you held it until now'),
  newly_ready: z.array(taskLabel).describe('Tasks that nothing blocks any more'),
  ready_to_close: z.array(taskLabel).describe('Tasks of which this was the last open part'),
  suggested_next: taskLabel.nullable().describe('The most urgent task that you could claim now'),
})

export const completeTask = defineOperation({
  name: 'task.complete',
  summary: 'Mark a task as done and show what that makes ready',
  example: '12 --reason "merged"',
  off: { needs_verification: 'It counts as done at once' },
  effect: 'write',
  input: z.object({
    id: reference,
    reason,
    force: force.describe(
      'Even if blockers or parts of it are open; a person also ends the lease of an agent',
    ),
    needs_verification: z.boolean().optional().describe('It counts only once it is verified'),
    agent_id: agentId,
    fence,
    expected_revision: expectedRevision,
  }),
  output: closed,
  positional: ['id'],
  async run(context, { id, expected_revision, ...closing }) {
    const work = async (change: Change): Promise<z.output<typeof closed>> => {
      const task = await findLeased(change, id, closing)
      assertRevision(task, expected_revision)
      await change.prefetch(() => readsOfClosing(change, task.id))
      return await toClosed(context, change, await completeOne(context, change, task, closing))
    }
    return await change(context, work, {
      reads: (tx) => [...readsOfLeases(tx), ...readsOfReference(tx.entities, id)],
    })
  },
  show: showTaskResult,
  showToAgent: showChangeToAgent,
})

export const cancelTask = defineOperation({
  name: 'task.cancel',
  summary: 'Give a task up; what it blocked is free',
  example: '12 --reason "done upstream"',
  effect: 'write',
  input: z.object({
    id: reference,
    reason,
    duplicates: reference.optional().describe('The task that says the same and stays'),
    force,
    agent_id: agentId,
    fence,
  }),
  output: closed,
  positional: ['id'],
  async run(context, { id, duplicates, ...closing }) {
    return await change(context, async (change) => {
      const task = await findLeased(change, id, closing)
      const closed = await cancelOne(context, change, task, closing)
      await pointTask(change, task, 'duplicates', { to: duplicates, field: 'duplicates' })
      return await toClosed(context, change, closed)
    })
  },
  show: showTaskResult,
  showToAgent: showChangeToAgent,
})

export const reopenTask = defineOperation({
  name: 'task.reopen',
  summary: 'Open a closed task again, or one that was set aside',
  example: '12 --reason "it fails on Windows"',
  effect: 'write',
  input: z.object({ id: reference, reason, force, agent_id: agentId, fence }),
  output: z.object({ task: taskView, changed }),
  positional: ['id'],
  async run(context, { id, ...writer }) {
    return await change(context, async (change) => {
      const found = await findLeased(change, id, writer)
      const { task, changed } = await reopenOne(context, change, found, writer)
      return { task: await toTaskView(change, task, change.stamp.at), changed }
    })
  },
  show: showTaskResult,
  showToAgent: showChangeToAgent,
})

/** How many steps the verification of a task reports. */
const STEPS = 3

export const verifyTask = defineOperation({
  name: 'task.verify',
  summary: 'Confirm that a task which is done was done well, and show what that makes ready',
  example: '12 --note "tests pass"',
  effect: 'write',
  input: z.object({
    id: reference,
    note: reason,
    agent_id: agentId,
    fence,
    expected_revision: expectedRevision,
  }),
  output: z.object({ task: taskView, changed, newly_ready: z.array(taskLabel) }),
  positional: ['id'],
  async run(context, { id, note, agent_id, fence, expected_revision }) {
    return await change(context, async (change) => {
      const task = await findLeased(change, id, { fence })
      assertRevision(task, expected_revision)
      const { at, by } = change.stamp
      const writer = await resolveWriter(context, change, task, { agent_id, fence })
      if (task.status !== 'done') throw refusal(task, 'not_done', 'is not done yet')
      if (asTask(task).verified_at !== undefined) {
        return { task: await toTaskView(change, task, at), changed: false, newly_ready: [] }
      }
      context.progress(1, STEPS, 'checking')
      const wasResolved = isResolved(asTask(task))
      const verifier = agent_id === undefined ? by : writer
      const verified_at = toTime(at)
      const { completed_at } = asTask(task)
      const verified = await updateTaskRow(
        change,
        task,
        {
          verified_at,
          verified_completion: toVerifiedCompletion({ verified_at, completed_at }),
          ...(verifier !== null && { verified_by: verifier }),
        },
        {
          type: 'task.verified',
          facts: {
            ...(agent_id !== undefined && { agent_id }),
            ...(note !== undefined && { note }),
          },
        },
      )
      context.progress(2, STEPS, 'looking for tasks that are ready now')
      const freed = wasResolved ? [] : await change.tasks.freedBy(task.id)
      await change.leases.offerAgain(freed.map((row) => row.id))
      context.progress(STEPS, STEPS, 'verified')
      return {
        task: await toTaskView(change, verified, at),
        changed: true,
        newly_ready: freed.map(toTaskLabel),
      }
    })
  },
  show: showTaskResult,
  showToAgent: showChangeToAgent,
})

export const rescheduleTask = defineOperation({
  name: 'task.reschedule',
  summary: 'Change the date a task is due, or remove it',
  example: '12 2026-12-01',
  effect: 'write',
  input: z.object({
    id: reference,
    due_date: calendarDate().nullable().describe('Date like 2026-11-15; null for none'),
    agent_id: agentId,
    fence,
  }),
  output: z.object({ task: taskView }),
  positional: ['id', 'due_date'],
  async run(context, { id, due_date, ...writer }) {
    return await change(context, async (change) => {
      const before = await findLeased(change, id, writer)
      await resolveWriter(context, change, before, writer)
      const task = await updateTaskRow(change, before, { due_date }, { type: 'entity.updated' })
      return { task: await toTaskView(change, task, change.stamp.at) }
    })
  },
  show: showTaskResult,
  showToAgent: showChangeToAgent,
})

export const deferTask = defineOperation({
  name: 'task.defer',
  summary: 'Put a task off until a date or time, or make it ready again',
  example: '12 2026-12-01',
  effect: 'write',
  input: z.object({
    id: reference,
    until: moment().nullable().describe('Date or UTC time; null for now'),
    agent_id: agentId,
    fence,
  }),
  output: z.object({ task: taskView }),
  positional: ['id', 'until'],
  async run(context, { id, until, ...writer }) {
    return await change(context, async (change) => {
      const before = await findLeased(change, id, writer)
      await resolveWriter(context, change, before, writer)
      const fields = { defer_until: until }
      const task = await updateTaskRow(change, before, fields, { type: 'entity.updated' })
      return { task: await toTaskView(change, task, change.stamp.at) }
    })
  },
  show: showTaskResult,
})

async function toClosed(
  { agent: caller }: Context,
  change: Change,
  { task, changed, wasHeld, freed, closable }: Closed,
): Promise<z.output<typeof closed>> {
  const now = change.stamp.at
  const agent = await toQueueAgent(change, { id: callerId(caller), name: caller.name })
  const [next] = await change.tasks.queue({ state: 'offered', agent, now, limit: 1 })
  return {
    task: await toTaskView(change, task, now),
    changed,
    was_held: wasHeld,
    newly_ready: freed.map(toTaskLabel),
    ready_to_close: closable.map(toTaskLabel),
    suggested_next: next === undefined ? null : toTaskLabel(next),
  }
}
