import * as z from 'zod'
import { TASK_STATUSES, type TaskProperties } from '../domain/task.ts'
import type { EntityRow } from '../store/entities.ts'
import { time, toTime } from './entity-view.ts'

/** Enough of a task to recognise it and to see where it stands. */
export const taskLabel = z.object({
  id: z.string(),
  number: z.int(),
  key: z.string().optional(),
  title: z.string(),
  status: z.enum(TASK_STATUSES),
  priority: z.int(),
})
export type TaskLabel = z.output<typeof taskLabel>

/** A task in a list. */
export const taskSummary = taskLabel.extend({
  task_type: z.string().optional(),
  due_date: z.string().optional(),
  defer_until: z.string().optional(),
  assignee: z.string().optional(),
  labels: z.array(z.string()),
  updated_at: time,
})
export type TaskSummary = z.output<typeof taskSummary>

export function toTaskLabel(row: EntityRow): TaskLabel {
  const { key, status, priority } = taskOf(row)
  const { id, number, title } = row
  return { id, number, ...(key !== undefined && { key }), title, status, priority }
}

export function toTaskSummary(row: EntityRow): TaskSummary {
  const { task_type, due_date, defer_until, assignee } = taskOf(row)
  return {
    ...toTaskLabel(row),
    ...(task_type !== undefined && { task_type }),
    ...(due_date !== undefined && { due_date }),
    ...(defer_until !== undefined && { defer_until }),
    ...(assignee !== undefined && { assignee }),
    labels: [...row.tags],
    updated_at: toTime(row.updatedAt),
  }
}

/** The properties of a row that is known to be a task. */
export function taskOf(row: EntityRow): TaskProperties {
  return row.properties as TaskProperties
}
