import * as z from 'zod'
import type { ReadContext } from '../core/context.ts'
import { assertRevision, expectedRevision } from '../entity/expected-revision.ts'
import { reference } from '../entity/reference.ts'
import { Failure } from '../core/error.ts'
import { defineOperation } from '../core/operation.ts'
import { body } from '../core/input/schema.ts'
import type { EntityRow } from '../entity/store.ts'
import { agentId } from '../agent/acting-agent.ts'
import { type Change, change } from '../core/change.ts'
import { insertTask, namesTasks, relateTask } from './write/create-task.ts'
import { deleteTask } from './state/delete-task.ts'
import { editTask } from './write/edit-task.ts'
import { findTask } from './find-task.ts'
import { findLeased } from './lease/find-leased.ts'
import { force, forceDelete } from './lease/override/override.ts'
import { readPrd, readPrdContext } from './spec/prd-source.ts'
import { type NewTask, newTask, taskEdit } from './write/input.ts'
import { fence } from './lease/input.ts'
import { asTask } from './fields.ts'
import { findLinked, linkedView } from '../entity/linked/linked.ts'
import {
  taskLabel,
  taskView,
  type TaskView,
  toNewTaskView,
  toRemains,
  toTaskLabel,
  toTaskView,
} from './view.ts'
import { trust, trustIn } from '../agent/trust.ts'
import { warningView } from '../core/warning.ts'
import { line } from '../core/show.ts'
import { label } from '../entity/view.ts'
import { showTask, showTaskResult, showTasks } from './show.ts'
import { showChangeToAgent, showTasksToAgent, showWholeTasksToAgent } from './show-agent.ts'

const MOST_TASKS = 1000

export const createTask = defineOperation({
  name: 'task.create',
  summary: 'Add a task, with what must be done first and what it is a part of',
  example: '"Fix the parser" --priority high --depends-on 11',
  off: { needs_verification: 'Done is enough' },
  effect: 'write',
  input: newTask,
  output: z.object({ task: taskView, warnings: z.array(warningView) }),
  positional: ['title'],
  async run(context, input) {
    const { prd, warnings } = await readPrd(context, prdOf(input))
    return await change(context, async (change) => {
      const row = await insertTask(context, change, { input, prd })
      await relateTask(change, row, { input })
      const [task] = await viewCreated(change, [row], [input])
      return { task: task as TaskView, warnings }
    })
  },
  show: showTaskResult,
})

export const createTasks = defineOperation({
  name: 'task.create_many',
  summary: 'Add several tasks at once, all or none; they may name each other by key',
  example: `--task '{"key":"a","title":"Write the parser"}' --task '{"title":"Test it","depends_on":["a"]}'`,
  effect: 'write',
  input: z.object({
    tasks: z.array(newTask).min(1).max(MOST_TASKS).describe('What each task is'),
  }),
  output: z.object({ tasks: z.array(taskView), warnings: z.array(warningView) }),
  async run(context, { tasks }) {
    const sources = await Promise.all(tasks.map((input) => readPrd(context, prdOf(input))))
    return await change(context, async (change) => {
      const rows = await eachOf(tasks, (input, path, at) =>
        insertTask(context, change, { input, prd: sources[at]?.prd, path }),
      )
      await eachOf(rows, async (row, path, at) => {
        const input = tasks[at]
        if (input !== undefined) await relateTask(change, row, { input, path })
      })
      const views = await viewCreated(change, rows, tasks)
      return { tasks: views, warnings: sources.flatMap(({ warnings }) => warnings) }
    })
  },
  show: showTasks,
  showToAgent: showTasksToAgent,
})

/** Tasks that were created together, as views. */
async function viewCreated(
  change: Change,
  rows: readonly EntityRow[],
  inputs: readonly NewTask[],
): Promise<TaskView[]> {
  if (!inputs.some(namesTasks)) return rows.map(toNewTaskView)
  return await Promise.all(rows.map((row) => toTaskView(change, row, change.stamp.at)))
}

const recalledTask = taskView.omit({ received: true }).extend({ trust, linked: linkedView })
type RecalledTask = z.output<typeof recalledTask>

/** Relations that the view of a task has fields for. */
const NEIGHBOUR_TYPES = ['blocks', 'subtask_of', 'discovered_from', 'duplicates']

async function toRecalledTasks(
  context: ReadContext,
  rows: readonly EntityRow[],
): Promise<RecalledTask[]> {
  const { store } = context
  const now = await store.now(context)
  const facts = await trustIn(
    context,
    rows.map((entity) => ({ entity })),
  )
  const linked = await findLinked(context, rows, { except: NEIGHBOUR_TYPES })
  return await Promise.all(
    rows.map(async (row, at) => {
      // Trust says it, and more.
      const { received: _, ...view } = await toTaskView(store, row, now)
      return { ...view, trust: facts[at] ?? {}, linked: linked[at] ?? {} }
    }),
  )
}

export const getTask = defineOperation({
  name: 'task.get',
  summary: 'Show everything about a task: text, blockers, parts, who holds it',
  example: '12',
  effect: 'read',
  input: z.object({ id: reference }),
  output: recalledTask.extend({ warnings: z.array(warningView) }),
  positional: ['id'],
  async run(context, { id }) {
    const row = await findTask(context.store, id)
    const { warnings } = await readPrdContext(context, asTask(row).prd)
    const [task] = await toRecalledTasks(context, [row])
    return { ...(task as RecalledTask), warnings }
  },
  show: (task) => showTask(task, task),
})

export const getTasks = defineOperation({
  name: 'task.get_many',
  summary: 'Show everything about several tasks; fails if one of them is missing',
  example: '--id 12 --id 13',
  effect: 'read',
  input: z.object({ ids: z.array(reference).min(1).max(100).describe('Numbers or ids') }),
  output: z.object({ tasks: z.array(recalledTask) }),
  async run(context, { ids }) {
    const { store } = context
    const rows = await Promise.all(ids.map((id, at) => findTask(store, id, `ids.${at}`)))
    return { tasks: await toRecalledTasks(context, rows) }
  },
  show: showTasks,
  showToAgent: showWholeTasksToAgent,
})

export const updateTask = defineOperation({
  name: 'task.update',
  summary: 'Change a task; what is not named stays as it is',
  example: '12 --priority high --add-label parser',
  off: { needs_verification: 'Done is enough' },
  effect: 'write',
  input: taskEdit.extend({
    id: reference,
    reason: body({ max: 4096 })
      .optional()
      .describe('Why it is closed or taken from its holder, for the record'),
    force: force.describe(
      'Close it even if blockers or parts are open; a person also ends the lease of an agent',
    ),
    agent_id: agentId,
    fence,
    expected_revision: expectedRevision,
  }),
  output: z.object({ task: taskView }),
  positional: ['id'],
  async run(context, { id, reason, force, agent_id, fence, expected_revision, ...edit }) {
    return await change(context, async (change) => {
      const before = await findLeased(change, id, { fence })
      assertRevision(before, expected_revision)
      const closing = { reason, force, agent_id, fence }
      const task = await editTask(context, change, before, { edit, ...closing })
      return { task: await toTaskView(change, task, change.stamp.at) }
    })
  },
  show: showTaskResult,
  showToAgent: showChangeToAgent,
})

export const removeTask = defineOperation({
  name: 'task.delete',
  summary: 'Delete a task and its relations',
  example: '12',
  effect: 'delete',
  input: z.object({
    id: reference,
    reason: body({ max: 4096 }).optional().describe('Why, for the record'),
    force: forceDelete,
    agent_id: agentId,
    fence,
  }),
  output: taskLabel.extend({ deleted: z.literal(true) }),
  positional: ['id'],
  async run(context, { id, ...deletion }) {
    const work = async (change: Change) => {
      const task = await findLeased(change, id, deletion)
      await deleteTask(context, change, task, deletion)
      return { ...toTaskLabel(task), deleted: true as const }
    }
    return await change(context, work, {
      toKept: ({ deleted, ...task }) => ({ ...toRemains(task), deleted }),
    })
  },
  show: (task) => [line`deleted task ${label(task)}`],
})

/** Does one thing after the other; a failure says at which it happened, and nothing of any is kept. */
export async function eachOf<T, R>(
  items: readonly T[],
  work: (item: T, path: string, at: number) => Promise<R>,
  list = 'tasks',
): Promise<R[]> {
  const results: R[] = []
  for (const [at, item] of items.entries()) {
    try {
      results.push(await work(item, `${list}.${at}.`, at))
    } catch (error) {
      if (!(error instanceof Failure) || error.code === 'internal') throw error
      const { code, message, details, cause } = error
      const place = message.startsWith(`${list}.${at}`) ? message : `${list}.${at}: ${message}`
      throw new Failure(code, place, { details: { ...details, index: at }, cause })
    }
  }
  return results
}

function prdOf({ prd_source: source, prd_refs: refs, prd_excerpt: excerpt }: NewTask) {
  return source === undefined ? undefined : { source, refs, excerpt }
}
