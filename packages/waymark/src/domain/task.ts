import * as z from 'zod'
import { body, calendarDate, line, oneOf } from '../schema.ts'
import { moment } from './moment.ts'

export const TASK_STATUSES = ['todo', 'in_progress', 'blocked', 'done', 'cancelled'] as const
export type TaskStatus = (typeof TASK_STATUSES)[number]

/** Priorities are whole numbers from 0, the most urgent, to 1000; these four have names. */
export const PRIORITIES = { urgent: 0, high: 250, normal: 500, low: 750 } as const
export type PriorityName = keyof typeof PRIORITIES

export const LEAST_URGENT = 1000

const PRIORITY_NAMES = [
  'urgent',
  'high',
  'normal',
  'low',
] as const satisfies readonly PriorityName[]

export const taskStatus = oneOf(TASK_STATUSES, { inprogress: 'in_progress' })
export const priorityName = oneOf(PRIORITY_NAMES)
export const priority = z
  .union([z.int().min(0).max(LEAST_URGENT), priorityName])
  .describe('urgent, high, normal, low, or 0 (most urgent) to 1000')

export function parsePriority(value: number | PriorityName): number {
  return typeof value === 'number' ? value : PRIORITIES[value]
}

/** The name whose range a number falls into, so that 300 still reads as high. */
export function toPriorityName(value: number): PriorityName {
  const urgency = PRIORITY_NAMES.toReversed().find((name) => value >= PRIORITIES[name])
  return urgency ?? 'urgent'
}

/** The numbers that read as this name, first and last. */
export function priorityRange(name: PriorityName): readonly [number, number] {
  const next = PRIORITY_NAMES[PRIORITY_NAMES.indexOf(name) + 1]
  return [PRIORITIES[name], next === undefined ? LEAST_URGENT : PRIORITIES[next] - 1]
}

/** Where the text that a task implements is found, and what it said when the task was written. */
export const prd = z.object({
  source: line({ max: 1024 }).describe('Path of the document in the repository'),
  refs: z
    .array(
      z.object({
        anchor: line({ max: 200 }).describe('Heading or {#id} of the section'),
        lines: z.tuple([z.int().min(1), z.int().min(1)]).optional(),
        hash: z.string().max(100).optional(),
      }),
    )
    .max(50)
    .default([]),
  excerpt: body({ max: 10 * 1024 }).optional(),
  hash: z.string().max(100).optional(),
})
export type Prd = z.output<typeof prd>

/** What anyone may say about a task, beyond title, text and labels. */
export const taskFields = z.object({
  status: taskStatus.default('todo'),
  priority: priority.default('normal').transform(parsePriority),
  due_date: calendarDate().optional().describe('Date like 2026-11-15'),
  assignee: line({ max: 100 }).optional().describe('Who does it'),
  task_type: line({ max: 50 }).optional().describe('Kind of task: bug, feature, chore, …'),
  defer_until: moment.optional().describe('Not ready before this date or time'),
  needs_verification: z.boolean().optional().describe('Done is not enough: someone must verify it'),
  acceptance_criteria: z
    .array(body({ max: 2 * 1024 }))
    .max(50)
    .optional()
    .describe('What must be true when it is done'),
  locks: z
    .array(line({ max: 500 }))
    .max(50)
    .optional()
    .describe('Files it will change, as paths or globs such as src/api/**'),
  key: line({ max: 100 }).optional().describe('A name of its own, such as T001'),
  external_ref: line({ max: 200 }).optional().describe('Where it came from'),
  prd: prd.optional().describe('The part of a document that it implements'),
})

/** What the operations write down as a task goes on its way; nobody sets these by hand. */
export const taskRecord = z.object({
  completed_at: z.string().optional(),
  completed_by: z.string().optional(),
  verified_at: z.string().optional(),
  verified_by: z.string().optional(),
  close_reason: z.string().optional(),
})

export type TaskProperties = z.output<typeof taskFields> & z.output<typeof taskRecord>

/** Nothing is left to do. */
export function isClosed(task: Pick<TaskProperties, 'status'>): boolean {
  return task.status === 'done' || task.status === 'cancelled'
}

/** It no longer holds up the tasks it blocks. */
export function isResolved(
  task: Pick<TaskProperties, 'status' | 'needs_verification' | 'verified_at'>,
): boolean {
  if (task.status === 'cancelled') return true
  return task.status === 'done' && (!task.needs_verification || task.verified_at !== undefined)
}
