import * as z from 'zod'
import type { TaskStatus } from '../../task/task.ts'
import type { TaskLabel, TaskSummary, TaskView } from '../../task/view.ts'

export const STATUSES = ['pending', 'completed', 'cancelled'] as const
export type Status = (typeof STATUSES)[number]

/** 1 is the least and 5 the most urgent; the engine counts the other way, from 0 to 1000. */
const MOST_URGENT = 5
const STEP = 250
const DEFAULT_PRIORITY = 3

const neighbour = z.object({ task_id: z.string(), name: z.string(), status: z.enum(STATUSES) })

/** A task with everything known about it. */
export const taskModel = z.object({
  task_id: z.string(),
  name: z.string(),
  details: z.string(),
  status: z.enum(STATUSES),
  priority: z.int(),
  due_date: z.string().optional(),
  created_at: z.string(),
  updated_at: z.string(),
  blockers: z.array(neighbour).describe('Unfinished tasks that stand in its way'),
  blocked_by: z.array(z.string()).describe('Ids of all tasks that it depends on'),
  blocks: z.array(neighbour).describe('Tasks that wait for it'),
  subtasks: z.array(neighbour),
  subtask_of: z.array(neighbour),
})
type TaskModel = z.output<typeof taskModel>

/** The error result of a tool. */
export const failure = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    request_id: z.string(),
    index: z.int().optional().describe('Which of several it was'),
    suggestions: z.array(z.string()).optional(),
  }),
})

/** Enough to choose from; priority and due date only when they say something. */
export const compactTask = z.object({
  task_id: z.string(),
  name: z.string(),
  status: z.enum(STATUSES),
  priority: z.int().optional(),
  due_date: z.string().optional(),
})

export function toTaskModel(task: TaskView): TaskModel {
  return {
    task_id: task.id,
    name: task.title,
    details: task.content ?? '',
    status: toStatus(task.status),
    priority: toPriority(task.priority),
    ...(task.due_date !== undefined && { due_date: task.due_date }),
    created_at: task.created_at,
    updated_at: task.updated_at,
    blockers: task.blockers.map(toNeighbour),
    blocked_by: task.depends_on.map(({ id }) => id),
    blocks: task.blocks.map(toNeighbour),
    subtasks: task.subtasks.map(toNeighbour),
    subtask_of: task.parents.map(toNeighbour),
  }
}

export function toCompactTask(task: TaskSummary): z.output<typeof compactTask> {
  const priority = toPriority(task.priority)
  return {
    ...toNeighbour(task),
    ...(priority !== DEFAULT_PRIORITY && { priority }),
    ...(task.due_date !== undefined && { due_date: task.due_date }),
  }
}

function toNeighbour({ id, title, status }: TaskLabel): z.output<typeof neighbour> {
  return { task_id: id, name: title, status: toStatus(status) }
}

function toStatus(status: TaskStatus): Status {
  switch (status) {
    case 'done':
      return 'completed'
    case 'cancelled':
      return 'cancelled'
    case 'todo':
    case 'in_progress':
    case 'blocked':
      return 'pending'
  }
}

/** Engine filter for a status of the spec. */
export const ENGINE_STATUSES = {
  pending: ['todo', 'in_progress', 'blocked'],
  completed: ['done'],
  cancelled: ['cancelled'],
} as const satisfies Record<Status, readonly [TaskStatus, ...TaskStatus[]]>

function toPriority(value: number): number {
  return MOST_URGENT - Math.round(value / STEP)
}

export function fromPriority(value: number): number {
  return (MOST_URGENT - value) * STEP
}
