import * as z from 'zod'
import { content, tags, title } from '../../entity/entity.ts'
import { reference } from '../../entity/reference.ts'
import { moment, priority, taskFields, taskStatus } from '../fields.ts'
import { body, calendarDate, oneLine } from '../../core/input/schema.ts'

const { shape } = taskFields()
const references = z.array(reference).max(100)

/** Input fields of a new task. */
export const newTask = z.object({
  title: title.describe('One line that says what is to be done'),
  content: content.optional().describe('Markdown text'),
  labels: tags.default([]).describe('Words to find it by'),
  status: taskStatus().optional().describe('Where it stands (default: todo)'),
  priority: priority().optional(),
  due_date: shape.due_date,
  defer_until: shape.defer_until,
  assignee: shape.assignee,
  task_type: shape.task_type,
  acceptance_criteria: shape.acceptance_criteria,
  locks: shape.locks,
  needs_verification: shape.needs_verification,
  key: shape.key,
  external_ref: shape.external_ref,
  depends_on: references.default([]).describe('Tasks that must be done first'),
  blocks: references.default([]).describe('Tasks that must wait for it'),
  parent: reference.optional().describe('The task it is a part of'),
  discovered_from: reference.optional().describe('The task during which it was found'),
  duplicates: reference.optional().describe('The task that says the same already'),
  prd_source: oneLine({ max: 1024 }).optional().describe('Document that it implements a part of'),
  prd_refs: z
    .array(oneLine({ max: 250 }))
    .max(50)
    .default([])
    .describe('Sections of the document: heading, or heading:10-42 for lines'),
  prd_excerpt: body({ max: 10 * 1024 })
    .optional()
    .describe('The words that matter'),
})
export type NewTask = z.output<typeof newTask>

/** Editable task fields; absent fields are unchanged, `null` clears. */
export const taskEdit = z.object({
  title: title.optional().describe('New title'),
  content: content.nullable().optional().describe('New text, replaces the old one'),
  labels: tags.optional().describe('New labels, replace the old ones'),
  add_labels: tags.default([]).describe('Labels to add'),
  remove_labels: tags.default([]).describe('Labels to remove'),
  status: taskStatus().optional().describe('New status'),
  priority: priority().optional(),
  due_date: calendarDate().nullable().optional().describe('Date like 2026-11-15; null for none'),
  defer_until: moment().nullable().optional().describe('Not ready before; null for now'),
  assignee: oneLine({ max: 100 }).nullable().optional().describe('Who does it; null to unassign'),
  task_type: oneLine({ max: 50 }).nullable().optional().describe('Kind of task'),
  acceptance_criteria: shape.acceptance_criteria,
  locks: shape.locks,
  needs_verification: shape.needs_verification,
  key: oneLine({ max: 100 }).nullable().optional().describe('A name of its own'),
  add_depends_on: references.default([]).describe('Tasks that must be done first, to add'),
  remove_depends_on: references.default([]).describe('Tasks that need no longer be done first'),
  parent: reference.nullable().optional().describe('The task it is a part of; null for none'),
  duplicates: reference
    .nullable()
    .optional()
    .describe('The task that says the same; null for none'),
})
export type TaskEdit = z.output<typeof taskEdit>
