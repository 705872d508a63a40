import * as z from 'zod'
import { once } from '../support/once.ts'
import { body, calendarDate, oneLine, oneOf } from '../core/input/schema.ts'
import { momentViolation } from '../support/text/moment.ts'
import { LEAST_URGENT, parsePriority, PRIORITY_NAMES, TASK_STATUSES } from './task.ts'
import type { EntityRow } from '../entity/store.ts'

// Lazy: most commands do not use tasks and should not pay for these schemas.

export const taskStatus = once(() => oneOf(TASK_STATUSES, { inprogress: 'in_progress' }))

export const priorityName = once(() => oneOf(PRIORITY_NAMES))

export const priority = once(() =>
  z
    .union([z.int().min(0).max(LEAST_URGENT), priorityName()], {
      error: `must be one of ${PRIORITY_NAMES.join(', ')}, or a number from 0 to ${LEAST_URGENT}`,
    })
    .describe('urgent, high, normal, low, or 0 (most urgent) to 1000'),
)

/** A point in time: an ISO 8601 time with its zone, or a date, which means its first moment in UTC. */
export const moment = once(() =>
  z
    .string()
    .trim()
    .check((payload) => {
      const found = momentViolation(payload.value)
      if (found === undefined) return
      const { message } = found
      payload.issues.push({ code: 'custom', message, params: { ...found }, input: payload.value })
    }),
)

/** Where the text that a task implements is found, and what it said when the task was written. */
export const prd = once(() =>
  z.object({
    source: oneLine({ max: 1024 }).describe('Path of the document in the repository'),
    refs: z
      .array(
        z.object({
          anchor: oneLine({ max: 200 }).describe('Heading or {#id} of the section'),
          lines: z.tuple([z.int().min(1), z.int().min(1)]).optional(),
          hash: z.string().max(100).optional(),
        }),
      )
      .max(50)
      .default([]),
    excerpt: body({ max: 10 * 1024 }).optional(),
    hash: z.string().max(100).optional(),
  }),
)
export type Prd = z.output<ReturnType<typeof prd>>

/** The task fields that callers may set, beyond title, text and labels. */
export const taskFields = once(() =>
  z.object({
    status: taskStatus().default('todo'),
    priority: priority().default('normal').transform(parsePriority),
    due_date: calendarDate().optional().describe('Date like 2026-11-15'),
    assignee: oneLine({ max: 100 }).optional().describe('Who does it'),
    task_type: oneLine({ max: 50 }).optional().describe('Kind of task: bug, feature, chore, …'),
    defer_until: moment().optional().describe('Not ready before this date or time'),
    needs_verification: z
      .boolean()
      .optional()
      .describe('Done is not enough: someone must verify it'),
    acceptance_criteria: z
      .array(body({ max: 2 * 1024 }))
      .max(50)
      .optional()
      .describe('What must be true when it is done'),
    locks: z
      .array(oneLine({ max: 500 }))
      .max(50)
      .optional()
      .describe('Files it will change, as paths or globs such as src/api/**'),
    key: oneLine({ max: 100 }).optional().describe('A name of its own, such as T001'),
    external_ref: oneLine({ max: 200 }).optional().describe('Where it came from'),
    external_hash: z.string().max(100).optional().describe('What it said there'),
    prd: prd().optional().describe('The part of a document that it implements'),
  }),
)

/** More than any number of moves to one end of a list needs. */
export const FARTHEST_RANK = 2 ** 45

/** Fields that only operations write. */
const taskRecord = once(() =>
  z.object({
    completed_at: z.string().optional(),
    completed_by: z.string().optional(),
    verified_at: z.string().optional(),
    verified_by: z.string().optional(),
    /** Which completion was verified, and when, see `toVerifiedCompletion`. */
    verified_completion: z.string().optional(),
    close_reason: z.string().optional(),
    /** Where it stands among open tasks of its priority; 0 unless it was placed by hand. */
    rank: z.int().min(-FARTHEST_RANK).max(FARTHEST_RANK).optional(),
    /** Of a task in progress; see `holders.ts`. */
    holders: z.array(z.string().max(300)).max(100).optional(),
  }),
)

/** The names of those fields. */
export const TASK_RECORD: ReadonlySet<string> = new Set([
  'completed_at',
  'completed_by',
  'verified_at',
  'verified_by',
  'verified_completion',
  'close_reason',
  'rank',
  'holders',
] satisfies (keyof z.output<ReturnType<typeof taskRecord>>)[])

export type TaskProperties = z.output<ReturnType<typeof taskFields>> &
  z.output<ReturnType<typeof taskRecord>>

/**
 * The lifecycle fields without a stale verification or stale holders: a merge can combine one clone's verification with
 * another clone's later completion.
 */
export function toTaskRecord(
  properties: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const { holders, ...record } = taskRecord().parse(properties)
  if (properties['status'] === 'in_progress' && holders !== undefined) return { ...record, holders }
  if (properties['status'] === 'done' && !isOfAnother(record)) return record
  const others = Object.entries(record).filter(([name]) => !name.startsWith('verified_'))
  return Object.fromEntries(others)
}

type End = Pick<TaskProperties, 'completed_at' | 'verified_at' | 'verified_completion'>

/**
 * Identifies the completion that a verification is about. A general edit that sets the status records no completion
 * time.
 */
export function toVerifiedCompletion({ verified_at = '', completed_at = '' }: End): string {
  return `${verified_at} ${completed_at}`
}

/**
 * Whether a verification is about an earlier completion. An older version of Waymark does not record the completion and
 * leaves the previous record in place, which therefore does not count.
 */
function isOfAnother(end: End): boolean {
  const { verified_at = '', verified_completion = '' } = end
  const isOfPresent = verified_completion.startsWith(`${verified_at} `)
  return isOfPresent && verified_completion !== toVerifiedCompletion(end)
}

/** The properties of a row that is known to be a task. */
export function asTask(row: EntityRow): TaskProperties {
  return row.properties as TaskProperties
}
