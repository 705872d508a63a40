import * as z from 'zod'
import { editTasks } from '../../task/state/bulk.ts'
import { claimTask, releaseTask, renewTask, takeTask } from '../../task/lease/operations.ts'
import { listTasks } from '../../task/queue/list.ts'
import { blockedTasks, readyTasks } from '../../task/queue/operations.ts'
import {
  cancelTask,
  completeTask,
  reopenTask,
  rescheduleTask,
  verifyTask,
} from '../../task/state/operations.ts'
import type { TaskSummary, TaskView } from '../../task/view.ts'
import { createTasks, getTasks, updateTask } from '../../task/operations.ts'
import { violation } from '../../core/input/parse.ts'
import type { Operation } from '../../core/operation.ts'
import type { DialectTool } from '../dialect.ts'
import { limitOf, shorten, takeFitting } from './budget.ts'
import {
  count,
  define,
  type Fields,
  maxTokens,
  pick,
  plain,
  toTextIds,
  words,
} from './define-tool.ts'
import { toLabel, toTaskLine, toTaskRow, toTaskText, toWholeTask } from './task-lines.ts'

const text = z.string().optional()
const priority = z.string().optional().describe('urgent, high, normal, low')

const ACTIONS = {
  complete: completeTask,
  cancel: cancelTask,
  reopen: reopenTask,
  verify: verifyTask,
  release: releaseTask,
  renew: renewTask,
} as const satisfies Readonly<Record<string, Operation>>
type Action = keyof typeof ACTIONS

/** What can be done to several tasks at once. */
const BULK_ACTIONS: ReadonlySet<unknown> = new Set([undefined, 'complete', 'cancel', 'reopen'])

export function taskTools(): readonly DialectTool[] {
  return [createTool(), updateTool(), getTool(), nextTool()]
}

function createTool(): DialectTool {
  // Loose because the operation knows more fields than are worth listing, and refuses all others.
  const task = z.looseObject({
    title: z.string(),
    content: text,
    key: text.describe('name for depends_on'),
    priority,
    depends_on: words.optional(),
    parent: text,
    labels: words.optional(),
    assignee: text,
    due_date: text,
    acceptance_criteria: words.optional(),
    locks: words.optional().describe('paths or globs it will change'),
    discovered_from: text,
    duplicates: text,
  })
  return define({
    name: 'task_create',
    description:
      'Plan work or note work you found: create tasks, all or none. depends_on and parent take numbers or keys of the same call.',
    input: z.object({ tasks: z.array(task) }),
    operations: [createTasks],
    toInput: ({ tasks }) => ({
      tasks: Array.isArray(tasks) ? tasks.map(withTextReferences) : tasks,
    }),
    toResult: ({ tasks, warnings }, args) => ({
      tasks: shorten((tasks as TaskView[]).map(toTaskRow), args),
      ...pick({ warnings }, ['warnings']),
    }),
    toText: taskLines,
  })
}

function withTextReferences(task: unknown): unknown {
  if (typeof task !== 'object' || task === null) return task
  const given = task as Fields
  const names = ['depends_on', 'parent', 'discovered_from', 'duplicates'].filter(
    (name) => name in given,
  )
  return { ...given, ...Object.fromEntries(names.map((name) => [name, toTextIds(given[name])])) }
}

function updateTool(): DialectTool {
  return define({
    name: 'task_update',
    description:
      'Finish or change tasks. Complete what you claimed with its fence; renew before the lease ends; release what you cannot finish. Several ids: all or none.',
    input: z.object({
      ids: words,
      action: z
        .enum(Object.keys(ACTIONS) as [Action, ...Action[]])
        .optional()
        .describe('none: change fields'),
      reason: text.describe('what was done, or why'),
      fence: count.optional(),
      force: z.boolean().optional(),
      seconds: count.optional().describe('for renew'),
      title: text,
      content: text,
      status: text,
      priority,
      due_date: text.describe('"" for none'),
      defer_until: text,
      assignee: text,
      parent: text,
      duplicates: text,
      add_labels: words.optional(),
      remove_labels: words.optional(),
      add_depends_on: words.optional(),
      remove_depends_on: words.optional(),
    }),
    operations: [updateTask, editTasks, rescheduleTask, ...Object.values(ACTIONS)],
    toOperation: operationForUpdate,
    toInput: toUpdateInput,
    toResult: toUpdateResult,
    toText: (result, args) =>
      [taskLines(result, args), labelled('ready now', result['newly_ready'])]
        .filter((line) => line !== '')
        .join('\n'),
  })
}

function idsOf({ ids }: Fields): readonly unknown[] {
  return Array.isArray(ids) ? ids : [ids]
}

function operationForUpdate(args: Fields): Operation {
  const { action } = args
  if (idsOf(args).length > 1) return editTasks
  if (isAction(action)) return ACTIONS[action]
  if (action !== undefined) {
    const valid = Object.keys(ACTIONS)
    throw violation('action', 'not_one_of', `must be one of ${valid.join(', ')}`, { valid })
  }
  const changed = Object.keys(args).filter((name) => name !== 'ids')
  return changed.length === 1 && changed[0] === 'due_date' ? rescheduleTask : updateTask
}

function isAction(value: unknown): value is Action {
  return typeof value === 'string' && Object.hasOwn(ACTIONS, value)
}

function toUpdateInput(args: Fields): unknown {
  const { ids: _ids, action, ...fields } = args
  const ids = idsOf(args)
  if (isAction(action)) refuseIdle(action, fields)
  const known = shapeOf(operationForUpdate(args))
  const edit = Object.fromEntries(
    Object.entries(fields)
      .filter(([name]) => name in known || !ABOUT_THE_STEP.has(name))
      .map(([name, value]) => [name, value === '' && CLEARABLE.has(name) ? null : value]),
  )
  if (ids.length === 1) {
    return { ...edit, id: ids[0], ...(action === 'verify' && { note: fields['reason'] }) }
  }
  if (!BULK_ACTIONS.has(action)) {
    throw violation('ids', 'too_many', `must be one for ${String(action)}`, { max: 1 })
  }
  return { edits: ids.map((id) => ({ ...edit, id, action: action ?? 'update' })) }
}

function shapeOf(operation: Operation): Readonly<Record<string, unknown>> {
  return operation === editTasks ? editTasks.input.shape.edits.element.shape : operation.input.shape
}

/** An empty text stands for nothing; `null` is more than a flat schema can say. */
const CLEARABLE: ReadonlySet<string> = new Set([
  'due_date',
  'defer_until',
  'assignee',
  'parent',
  'duplicates',
])

/** Words about the step itself, which do no harm where they say nothing new. */
const ABOUT_THE_STEP: ReadonlySet<string> = new Set(['reason', 'fence', 'force', 'seconds'])

/** A field that the action does nothing with would be taken for changed. */
function refuseIdle(action: Action, fields: Fields): void {
  const { shape } = ACTIONS[action].input
  const idle = Object.keys(fields).find((name) => !(name in shape) && !ABOUT_THE_STEP.has(name))
  if (idle === undefined) return
  throw violation(idle, 'unknown_field', `does nothing with ${action}; change it without an action`)
}

function toUpdateResult(output: Fields, args: Fields): Fields {
  const { task, results, lease, released: _released, newly_ready, suggested_next, changed } = output
  const tasks = (results as { task?: TaskView }[] | undefined)?.map((each) => each.task) ?? [task]
  const rows = tasks.flatMap((each) => (each === undefined ? [] : [toTaskRow(each as TaskView)]))
  const until = lease as { fence: number; expires_at: string } | undefined
  return {
    tasks: shorten(
      rows.map((row) =>
        until === undefined ? row : { ...row, fence: until.fence, lease_until: until.expires_at },
      ),
      args,
    ),
    ...(changed === false && { changed }),
    ...pick({ newly_ready: labels(newly_ready) }, ['newly_ready']),
    ...pick({ suggested_next: labels([suggested_next])[0] }, ['suggested_next']),
  }
}

function labels(tasks: unknown): readonly string[] {
  return Array.isArray(tasks) ? tasks.filter(Boolean).map(toLabel) : []
}

function getTool(): DialectTool {
  return define({
    name: 'task_get',
    description:
      'Read tasks: whole ones by ids, or a list by filter (default: all that is open). blocked lists what waits and why.',
    input: z.object({
      ids: words.optional(),
      statuses: words.optional(),
      text,
      labels: words.optional(),
      assignee: text,
      parent: text,
      blocked: z.boolean().optional(),
      limit: count.optional(),
      cursor: text,
      max_tokens: maxTokens,
    }),
    operations: [listTasks, getTasks, blockedTasks],
    toOperation: (args) => {
      if (args['ids'] !== undefined) return getTasks
      return args['blocked'] === true ? blockedTasks : listTasks
    },
    toInput: toGetInput,
    toResult: toGetResult,
    toText: taskLines,
  })
}

function toGetInput(args: Fields): unknown {
  if (args['ids'] !== undefined) return { ids: idsOf(args) }
  const { blocked, cursor, statuses, max_tokens: _, ...filter } = args
  const limit = limitOf(args, { perRow: 60, most: 50 })
  if (blocked === true) return { ...filter, limit, offset: Number(cursor ?? 0) }
  const wanted = statuses === undefined ? { resolved: false } : { statuses }
  return { ...filter, ...wanted, limit, ...(cursor !== undefined && { cursor }) }
}

function toGetResult(output: Fields, args: Fields): Fields {
  if (args['ids'] !== undefined) {
    const all = (output['tasks'] as TaskView[]).map(toWholeTask)
    const kept = takeFitting(all.length > 1 ? shorten(all, args) : all, args)
    const left = all.slice(kept.length).map(({ number }) => number)
    return { tasks: shorten(kept, args), ...pick({ left_out: left }, ['left_out']) }
  }
  const tasks = output['tasks'] as (TaskSummary & { blockers?: TaskView['blockers'] })[]
  const total = Number(output['total'])
  const rows = tasks.map((task) => ({
    ...toTaskRow(task),
    ...pick({ blockers: labels(task.blockers) }, ['blockers']),
  }))
  const next = Number(args['cursor'] ?? 0) + rows.length
  const more = args['blocked'] === true && next < total ? String(next) : output['next_cursor']
  return { tasks: shorten(rows, args), total, ...pick({ next_cursor: more }, ['next_cursor']) }
}

function nextTool(): DialectTool {
  return define({
    name: 'task_next',
    description:
      'Find work: the most urgent ready tasks that nobody holds. claim: true takes the first at once, or the one named by id; keep its fence.',
    input: z.object({
      claim: z.boolean().optional(),
      id: text,
      labels: words.optional(),
      parent: text,
      seconds: count.optional().describe('length of the lease'),
      limit: count.optional(),
      max_tokens: maxTokens,
    }),
    operations: [readyTasks, takeTask, claimTask],
    toOperation: ({ claim, id }) => {
      if (id !== undefined) return claimTask
      return claim === true ? takeTask : readyTasks
    },
    toInput: (args) => {
      const { id, seconds, claim, limit: _limit, max_tokens: _max, ...filter } = args
      if (id !== undefined) return { id, seconds }
      if (claim === true) return { ...filter, seconds }
      return { ...filter, unclaimed: true, limit: limitOf(args, { perRow: 60, most: 5 }) }
    },
    toResult: toNextResult,
    toText: (result, args) => {
      const claimed = result['claimed'] as Fields | undefined
      if (claimed !== undefined) return `claimed: ${toTaskText(claimed)}`
      return taskLines(result, args) || 'nothing is ready'
    },
  })
}

function toNextResult(output: Fields, args: Fields): Fields {
  const { tasks, total } = output
  if (Array.isArray(tasks)) {
    return { tasks: shorten((tasks as TaskSummary[]).map(toTaskRow), args), total }
  }
  const taken = ('claimed' in output ? output['claimed'] : output) as Fields | null
  if (taken === null) return { tasks: [], total: 0 }
  const { task, overlaps, handoff, unread_messages } = taken
  const note = (handoff as { body?: string } | undefined)?.body
  const others = (overlaps as Fields[]).map((overlap) => JSON.stringify(overlap))
  return {
    claimed: shorten(
      {
        ...toWholeTask(task as TaskView),
        ...pick({ handoff: note, overlaps: others }, ['handoff', 'overlaps']),
        ...(Number(unread_messages) > 0 && { unread_messages }),
      },
      args,
    ),
  }
}

/** Whole tasks as paragraphs, rows as lines. */
function taskLines(result: Fields, args: Fields): string {
  const tasks = (result['tasks'] ?? []) as Fields[]
  const isWhole = args['ids'] !== undefined && tasks.some((task) => 'updated_at' in task)
  const lines = tasks.map((task) => (isWhole ? toTaskText(task) : toTaskLine(task)))
  return [
    ...lines,
    labelled('not shown, ask again for', result['left_out']),
    labelled('next cursor', result['next_cursor']),
  ]
    .filter((line) => line !== '')
    .join('\n')
}

function labelled(name: string, value: unknown): string {
  if (value === undefined) return ''
  return `${name}: ${Array.isArray(value) ? value.map(plain).join(', ') : plain(value)}`
}
