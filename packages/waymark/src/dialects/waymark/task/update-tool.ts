import * as z from 'zod'
import { releaseTask, renewTask } from '../../../task/lease/operations.ts'
import { updateTask } from '../../../task/operations.ts'
import { editTasks } from '../../../task/state/bulk.ts'
import {
  cancelTask,
  completeTask,
  reopenTask,
  rescheduleTask,
  verifyTask,
} from '../../../task/state/operations.ts'
import { type ChangedTask, describeTask } from '../../../task/show-agent.ts'
import { TASK_STATUSES } from '../../../task/task.ts'
import { violation } from '../../../core/input/parse.ts'
import type { Operation } from '../../../core/operation.ts'
import type { DialectTool, Fields } from '../../dialect.ts'
import { type Route, when } from '../../tool.ts'
import { shorten } from '../budget.ts'
import { calling, count, defineCore, pick, words } from '../define-tool.ts'
import { toTaskRow } from './rows.ts'

const text = z.string().optional()
const priority = z.string().optional().describe('urgent, high, normal, low')

type ChangeTask = Operation<z.ZodObject, z.ZodType<ChangedTask>>

const ACTION_NAMES = ['complete', 'cancel', 'reopen', 'verify', 'release', 'renew'] as const
type Action = (typeof ACTION_NAMES)[number]

const ACTIONS: Readonly<Record<Action, ChangeTask>> = {
  complete: completeTask,
  cancel: cancelTask,
  reopen: reopenTask,
  verify: verifyTask,
  release: releaseTask,
  renew: renewTask,
}

/** What can be done to several tasks at once. */
const BULK_ACTIONS: ReadonlySet<unknown> = new Set([undefined, 'complete', 'cancel', 'reopen'])

export function updateTool(): DialectTool {
  const listing = {
    name: 'task_update',
    // Every action here can be undone by another one.
    isDestructive: false,
    description:
      'Finish or change tasks, all or none. Complete with the fence of your claim; renew before the lease ends; release what you cannot finish.',
    input: z.object({
      ids: words,
      action: z.enum(ACTION_NAMES).optional().describe('none: change fields'),
      reason: text.describe('what was done, or why'),
      fence: count.optional(),
      force: z.boolean().optional(),
      seconds: count.optional().describe('for renew'),
      title: text,
      content: text,
      status: text.describe(TASK_STATUSES.join(', ')),
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
  }
  return defineCore(listing, [
    changing(updateTask),
    when(
      (args) => idsOf(args).length > 1,
      calling({
        operation: editTasks,
        toInput: (args) => toUpdateInput(args, editTasks.input.shape.edits.element.shape),
        toFitting: (output, args) => shorten(output, args, toEdited),
        toResult: toEdited,
      }),
    ),
    ...ACTION_NAMES.map((name) => when((args) => actionOf(args) === name, changing(ACTIONS[name]))),
    when(isReschedule, changing(rescheduleTask)),
  ])
}

function changing(operation: ChangeTask): Route<Fields> {
  return calling({
    operation,
    toInput: (args) => toUpdateInput(args, operation.input.shape),
    toFitting: (output, args) => shorten(output, args, toChanged),
    toResult: toChanged,
  })
}

export function idsOf({ ids }: Fields): readonly unknown[] {
  return Array.isArray(ids) ? ids : [ids]
}

function actionOf({ action }: Fields): Action | undefined {
  if (action === undefined || isAction(action)) return action
  throw violation('action', 'not_one_of', `must be one of ${ACTION_NAMES.join(', ')}`, {
    valid: ACTION_NAMES,
  })
}

function isAction(value: unknown): value is Action {
  return ACTION_NAMES.some((name) => name === value)
}

function isReschedule(args: Fields): boolean {
  const changed = Object.keys(args).filter((name) => name !== 'ids')
  return changed.length === 1 && changed[0] === 'due_date'
}

function toUpdateInput(args: Fields, known: Fields): unknown {
  const { ids: _ids, action, ...fields } = args
  const ids = idsOf(args)
  if (isAction(action)) refuseIdle(action, fields)
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

/** An empty text stands for nothing; `null` is more than a flat schema can say. */
const CLEARABLE: ReadonlySet<string> = new Set([
  'due_date',
  'defer_until',
  'assignee',
  'parent',
  'duplicates',
])

/** Fields about the action itself, which are accepted with every action. */
const ABOUT_THE_STEP: ReadonlySet<string> = new Set(['reason', 'fence', 'force', 'seconds'])

/** Refuses fields that the action ignores, since the model would believe them changed. */
function refuseIdle(action: Action, fields: Fields): void {
  const { shape } = ACTIONS[action].input
  const idle = Object.keys(fields).find((name) => !(name in shape) && !ABOUT_THE_STEP.has(name))
  if (idle === undefined) return
  throw violation(idle, 'unknown_field', `does nothing with ${action}; change it without an action`)
}

function toChanged(output: ChangedTask) {
  const { task, lease, newly_ready = [], ready_to_close = [], suggested_next, changed } = output
  const until = lease && { fence: lease.fence, lease_until: lease.expires_at }
  return {
    tasks: [{ ...toTaskRow(task), ...until }],
    ...(changed === false && { changed }),
    ...pick({ newly_ready: newly_ready.map(describeTask) }, ['newly_ready']),
    ...pick({ ready_to_close: ready_to_close.map(describeTask) }, ['ready_to_close']),
    ...(suggested_next && { suggested_next: describeTask(suggested_next) }),
  }
}

function toEdited({ results }: z.output<typeof editTasks.output>) {
  return { tasks: results.flatMap(({ task }) => (task === undefined ? [] : [toTaskRow(task)])) }
}
