import type { TaskProperties } from './fields.ts'

export const TASK_STATUSES = ['todo', 'in_progress', 'blocked', 'done', 'cancelled'] as const
export type TaskStatus = (typeof TASK_STATUSES)[number]

/** Priorities are whole numbers from 0, the most urgent, to 1000; these four have names. */
export const PRIORITIES = { urgent: 0, high: 250, normal: 500, low: 750 } as const
export type PriorityName = keyof typeof PRIORITIES

export const LEAST_URGENT = 1000

export const PRIORITY_NAMES = [
  'urgent',
  'high',
  'normal',
  'low',
] as const satisfies readonly PriorityName[]

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

/** Nothing is left to do. */
export function isClosed(task: Pick<TaskProperties, 'status'>): boolean {
  return task.status === 'done' || task.status === 'cancelled'
}

/** It no longer blocks other tasks. */
export function isResolved(
  task: Pick<TaskProperties, 'status' | 'needs_verification' | 'verified_at'>,
): boolean {
  if (task.status === 'cancelled') return true
  return task.status === 'done' && (!task.needs_verification || task.verified_at !== undefined)
}
