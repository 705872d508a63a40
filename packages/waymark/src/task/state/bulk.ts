import * as z from 'zod'
import type { Context } from '../../core/context.ts'
import { assertRevision, expectedRevision } from '../../entity/expected-revision.ts'
import { reference } from '../../entity/reference.ts'
import { isClosed } from '../task.ts'
import { defineOperation, hasDeletion } from '../../core/operation.ts'
import { violation } from '../../core/input/parse.ts'
import { body, oneOf } from '../../core/input/schema.ts'
import { agentId } from '../../agent/acting-agent.ts'
import { type Change, change } from '../../core/change.ts'
import { cancelOne, type Closing, completeOne, reopenOne } from './close-task.ts'
import { deleteTask } from './delete-task.ts'
import { editTask } from '../write/edit-task.ts'
import { findLeased } from '../lease/find-leased.ts'
import { force } from '../lease/override/override.ts'
import { pointTask } from '../../relation/relate.ts'
import { taskEdit } from '../write/input.ts'
import { fence } from '../lease/input.ts'
import { asTask } from '../fields.ts'
import { type TaskView, taskView, toRemains, toTaskView } from '../view.ts'
import { eachOf } from '../operations.ts'
import type { EntityRow } from '../../entity/store.ts'
import { type Block, line } from '../../core/show.ts'
import { label } from '../../entity/view.ts'
import { showTasksToAgent } from '../show-agent.ts'

export const EDIT_ACTIONS = ['update', 'complete', 'cancel', 'reopen', 'delete'] as const

const edit = taskEdit.extend({
  id: reference,
  action: oneOf(EDIT_ACTIONS).describe('What to do with the task'),
  reopen: z.boolean().default(false).describe('With update: open it again if it is closed'),
  reason: body({ max: 4096 }).optional().describe('Why, for the record'),
  force: force.describe(
    'Close it even if blockers or parts are open; a person also ends the lease of an agent',
  ),
  fence,
  expected_revision: expectedRevision,
})
type Edit = z.output<typeof edit>

const edited = z.object({
  action: z.enum(EDIT_ACTIONS),
  task: taskView.optional().describe('As it is now; absent when deleted'),
  deleted: taskView.optional().describe('As it was'),
})

interface Output {
  results: z.output<typeof edited>[]
}

export const editTasks = defineOperation({
  name: 'task.edit',
  summary: 'Change, complete, cancel, reopen or delete several tasks at once, all or none',
  example: `--edit '{"id":"12","action":"complete"}' --edit '{"id":"13","action":"cancel"}'`,
  effect: 'write',
  mayDelete: ({ edits }) => hasDeletion(edits, 'action'),
  input: z.object({
    edits: z.array(edit).min(1).max(1000).describe('What to do, in this order'),
    agent_id: agentId,
  }),
  output: z.object({ results: z.array(edited) }),
  async run(context, { edits, agent_id }) {
    const work = async (change: Change): Promise<Output> => {
      const done = await eachOf(
        edits,
        async (edit, path) => {
          const task = await findLeased(change, edit.id, { ...edit, field: `${path}id` })
          assertRevision(task, edit.expected_revision)
          return {
            action: edit.action,
            before: await toTaskView(change, task, change.stamp.at),
            after: await apply(context, change, task, { ...edit, agent_id, path }),
          }
        },
        'edits',
      )
      // Read at the end: a later edit may have changed the task of an earlier one.
      const results = done.map(async ({ action, before, after }) => {
        if (after === undefined) return { action, deleted: before }
        const now = (await change.entities.byId(after.id)) ?? after
        return { action, task: await toTaskView(change, now, change.stamp.at) }
      })
      return { results: await Promise.all(results) }
    }
    return await change(context, work, { toKept })
  },
  show: showEdits,
  showToAgent: ({ results }) =>
    showTasksToAgent({ tasks: results.flatMap(({ task }) => (task === undefined ? [] : [task])) }),
})

async function apply(
  context: Context,
  change: Change,
  task: EntityRow,
  { path, ...edit }: Edit & { readonly agent_id: string | undefined; readonly path: string },
): Promise<EntityRow | undefined> {
  refuseIdle(edit, path)
  switch (edit.action) {
    case 'update':
      if (edit.reopen && isClosed(asTask(task))) {
        // Reopening has checked the fence, and ended it.
        const { task: open } = await reopenOne(context, change, task, edit)
        const closing = { ...closingOf(edit), fence: undefined }
        return await editTask(context, change, open, { edit, ...closing, path })
      }
      return await editTask(context, change, task, { edit, ...closingOf(edit), path })
    case 'complete':
      return (await completeOne(context, change, task, closingOf(edit))).task
    case 'cancel':
      await pointTask(change, task, 'duplicates', {
        to: edit.duplicates,
        field: `${path}duplicates`,
      })
      return (await cancelOne(context, change, task, closingOf(edit))).task
    case 'reopen':
      return (await reopenOne(context, change, task, edit)).task
    case 'delete':
      await deleteTask(context, change, task, edit)
      return undefined
  }
}

type Step = Exclude<Edit['action'], 'update'>

/** The fields that each action uses beyond the common ones. An update uses all. */
const USED: Readonly<Record<Step, readonly (keyof Edit)[]>> = {
  complete: ['needs_verification'],
  cancel: ['duplicates'],
  reopen: [],
  delete: [],
}
/** Values that restate what the action does, and are accepted as redundant. */
const OUTCOME: Readonly<Record<Step, Partial<Edit>>> = {
  complete: { status: 'done' },
  cancel: { status: 'cancelled' },
  reopen: { status: 'todo', reopen: true },
  delete: {},
}
const ABOUT_THE_STEP = ['id', 'action', 'agent_id', 'fence', 'reason', 'force']

/** Rejects fields that the action would silently ignore. */
function refuseIdle(edit: Edit, path: string): void {
  const { action } = edit
  if (action === 'update') return
  const used: ReadonlySet<string> = new Set([...ABOUT_THE_STEP, ...USED[action]])
  const outcome: Readonly<Record<string, unknown>> = OUTCOME[action]
  const isIdle = ([name, value]: [string, unknown]) =>
    !used.has(name) && isGiven(name, value) && value !== outcome[name]
  const idle = Object.entries(edit).find(isIdle)
  if (idle === undefined) return
  const message = `does nothing with ${action}; change it with an update of its own`
  throw violation(`${path}${idle[0]}`, 'not_one_of', message, { value: action })
}

/** Ignores defaults that the caller did not pass, and the `null` that models send for unused fields. */
function isGiven(name: string, value: unknown): boolean {
  if (name === 'reopen') return value === true
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)
}

/** Purged tasks are removed from the response, also their state after an earlier edit. */
function toKept({ results }: Output): Output {
  const gone = new Set(results.map(({ deleted }) => deleted?.id))
  const keep = (task: TaskView): TaskView => (gone.has(task.id) ? withoutWords(task) : task)
  return {
    results: results.map(({ action, task, deleted }) => ({
      action,
      ...(task !== undefined && { task: keep(task) }),
      ...(deleted !== undefined && { deleted: keep(deleted) }),
    })),
  }
}

function withoutWords(task: TaskView): TaskView {
  const { created_at, updated_at, needs_verification, revision } = task
  return {
    ...toRemains(task),
    created_at,
    updated_at,
    needs_verification,
    revision,
    labels: [],
    depends_on: [],
    acceptance_criteria: [],
    locks: [],
    blockers: [],
    blocks: [],
    parents: [],
    subtasks: [],
    discovered_from: [],
    duplicates: [],
    duplicated_by: [],
  }
}

function closingOf(edit: Edit & { agent_id: string | undefined }): Closing {
  const { agent_id, fence, reason, force, needs_verification } = edit
  return { agent_id, fence, reason, force, needs_verification }
}

function showEdits({ results }: Output): readonly Block[] {
  return results.map(({ action, task, deleted }) => {
    const shown = task ?? deleted
    return line`${action}: ${shown && label(shown)}`
  })
}
