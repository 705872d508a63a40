import * as z from 'zod'
import { oneOf } from '../schema.ts'

export const TASK_STATUSES = ['todo', 'in_progress', 'blocked', 'done', 'cancelled'] as const
export type TaskStatus = (typeof TASK_STATUSES)[number]

/** Priorities are whole numbers from 0, the most urgent, to 1000; these four have names. */
export const PRIORITIES = { urgent: 0, high: 250, normal: 500, low: 750 } as const
export type PriorityName = keyof typeof PRIORITIES

const PRIORITY_NAMES = [
  'urgent',
  'high',
  'normal',
  'low',
] as const satisfies readonly PriorityName[]

export const priority = z
  .union([z.int().min(0).max(1000), oneOf(PRIORITY_NAMES)])
  .describe('urgent, high, normal, low, or 0 (most urgent) to 1000')

export function parsePriority(value: number | PriorityName): number {
  return typeof value === 'number' ? value : PRIORITIES[value]
}

/** The name whose range a number falls into, so that 300 still reads as high. */
export function toPriorityName(value: number): PriorityName {
  const urgency = PRIORITY_NAMES.toReversed().find((name) => value >= PRIORITIES[name])
  return urgency ?? 'urgent'
}
