import * as z from 'zod'
import { changedProperties } from '../domain/entity.ts'
import { reference } from '../domain/reference.ts'
import { isClosed } from '../domain/task.ts'
import { Failure } from '../error.ts'
import { defineOperation } from '../operation.ts'
import { body, calendarDate } from '../schema.ts'
import type { EntityRow } from '../store/entities.ts'
import { type Change, change } from './change.ts'
import { toTime } from './entity-view.ts'
import { findTask } from './find-task.ts'
import { taskLabel, taskOf, taskSummary, toTaskLabel, toTaskSummary } from './task-view.ts'

export const completeTask = defineOperation({
  name: 'task.complete',
  summary: 'Mark a task as done and show what that makes ready',
  effect: 'write',
  input: z.object({
    id: reference,
    reason: body({ max: 4096 }).optional().describe('What was done, for those who come later'),
  }),
  output: z.object({
    task: taskSummary,
    changed: z.boolean().describe('false when it was done already'),
    newly_ready: z.array(taskLabel).describe('Tasks that nothing blocks any more'),
  }),
  positional: ['id'],
  async run(context, { id, reason }) {
    return await change(context, async (change) => {
      const before = await findTask(change, id)
      if (before.status === 'done')
        return { task: toTaskSummary(before), changed: false, newly_ready: [] }
      const { at, by } = change.stamp
      const task = await record(change, before, 'task.done', {
        status: 'done',
        completed_at: toTime(at),
        ...(by !== null && { completed_by: by }),
        ...(reason !== undefined && { close_reason: reason }),
      })
      const freed = isClosed(taskOf(before)) ? [] : await change.tasks.freedBy(task.id)
      return { task: toTaskSummary(task), changed: true, newly_ready: freed.map(toTaskLabel) }
    })
  },
})

export const rescheduleTask = defineOperation({
  name: 'task.reschedule',
  summary: 'Change the date a task is due, or remove it',
  effect: 'write',
  input: z.object({
    id: reference,
    due_date: calendarDate().nullable().describe('Date like 2026-11-15; null for none'),
  }),
  output: z.object({ task: taskSummary }),
  positional: ['id', 'due_date'],
  async run(context, { id, due_date }) {
    return await change(context, async (change) => {
      const before = await findTask(change, id)
      const task = await record(change, before, 'task.rescheduled', { due_date })
      return { task: toTaskSummary(task) }
    })
  },
})

/** Changes a task's properties and says so; `null` clears one. */
async function record(
  change: Change,
  before: EntityRow,
  event: string,
  fields: Readonly<Record<string, unknown>>,
): Promise<EntityRow> {
  const kept = changedProperties('task', before.properties, fields)
  const written = Object.entries({ ...kept, ...fields }).filter(([, value]) => value !== null)
  const properties = Object.fromEntries(written)
  const status = String(kept['status'])
  const row = await change.entities.update(before.id, { status, properties }, change.stamp)
  if (row === undefined) {
    throw new Failure('internal', `task ${before.number} vanished inside its transaction`)
  }
  const { number, title, revision } = row
  await change.announce(event, row.id, { type: 'task', number, title, revision, status })
  return row
}
