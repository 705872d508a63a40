import * as z from 'zod'
import { reference } from '../domain/reference.ts'
import { priority, priorityName, priorityRange, parsePriority, taskStatus } from '../domain/task.ts'
import type { Context } from '../context.ts'
import { defineOperation } from '../operation.ts'
import type { QueueQuery, TaskFilter } from '../store/tasks.ts'
import { findTask } from './find-task.ts'
import { taskLabel, taskSummary, toTaskLabel, toTaskSummary } from './task-view.ts'

const LARGEST_PAGE = 100

/** Which part of the queue is wanted; the same words for everything that looks at the queue. */
export const queueFilter = z.object({
  priority: priorityName.optional().describe('Only tasks of this urgency'),
  max_priority: priority.optional().describe('Only tasks at least this urgent'),
  label: z.array(z.string().trim()).max(20).default([]).describe('Only with all these labels'),
  task_type: z.string().trim().optional().describe('Only this kind of task'),
  assignee: z.string().trim().optional().describe('Only tasks of this assignee'),
  parent: reference.optional().describe('Only parts of this task, at any depth'),
})
type QueueFilter = z.output<typeof queueFilter>

const limit = z.int().min(1).max(LARGEST_PAGE).default(50).describe('How many at most')

export const readyTasks = defineOperation({
  name: 'task.ready',
  summary: 'List the tasks that nothing stands in the way of, most urgent first',
  effect: 'read',
  input: queueFilter.extend({
    status: taskStatus.optional().describe('Only with this status, such as todo'),
    unclaimed: z.boolean().default(false).describe('Only what no agent holds'),
    include_deferred: z.boolean().default(false).describe('Also what is put off until later'),
    limit,
  }),
  output: z.object({ tasks: z.array(taskSummary), total: z.int() }),
  async run(context, { limit, unclaimed, include_deferred, status, ...filter }) {
    const { tasks, total } = await queue(context, filter, {
      state: unclaimed ? 'claimable' : 'ready',
      statuses: status && [status],
      includeDeferred: include_deferred,
      limit,
    })
    return { tasks: tasks.map(toTaskSummary), total }
  },
})

const blockedTask = taskSummary.extend({
  blockers: z.array(taskLabel).describe('Unresolved tasks that block it directly'),
})

export const blockedTasks = defineOperation({
  name: 'task.blocked',
  summary: 'List the tasks that wait for others, with what each waits for',
  effect: 'read',
  input: queueFilter.extend({
    id: reference.optional().describe('Only this task'),
    limit,
  }),
  output: z.object({ tasks: z.array(blockedTask), total: z.int() }),
  positional: ['id'],
  async run(context, { id, limit, ...filter }) {
    const { tasks } = context.store
    if (id !== undefined) {
      const row = await findTask(context.store, id)
      const blockers = (await tasks.blockersOf(row.id)).map(toTaskLabel)
      return { tasks: [{ ...toTaskSummary(row), blockers }], total: 1 }
    }
    const page = await queue(context, filter, { state: 'blocked', limit })
    const blocked = page.tasks.map(async (row) => ({
      ...toTaskSummary(row),
      blockers: (await tasks.blockersOf(row.id)).map(toTaskLabel),
    }))
    return { tasks: await Promise.all(blocked), total: page.total }
  },
})

export const nextTask = defineOperation({
  name: 'task.next',
  summary: 'Show the most urgent task that is ready and that nobody holds',
  effect: 'read',
  input: queueFilter,
  output: z.object({ task: taskSummary.nullable() }),
  async run(context, filter) {
    const { tasks } = await queue(context, filter, { state: 'claimable', limit: 1 })
    const [first] = tasks
    return { task: first === undefined ? null : toTaskSummary(first) }
  },
})

async function queue(
  context: Context,
  filter: QueueFilter,
  query: Omit<QueueQuery, 'now'>,
): Promise<Awaited<ReturnType<Context['store']['tasks']['queue']>>> {
  const now = await context.store.now(context.now())
  return await context.store.tasks.queue({
    ...(await toTaskFilter(context, filter)),
    ...query,
    now,
  })
}

async function toTaskFilter({ store }: Context, filter: QueueFilter): Promise<TaskFilter> {
  const { priority, max_priority, label, task_type, assignee, parent } = filter
  const [mostUrgent, leastUrgent] = priority === undefined ? [0, 1000] : priorityRange(priority)
  const limit = max_priority === undefined ? leastUrgent : parsePriority(max_priority)
  return {
    labels: label,
    taskType: task_type,
    assignee,
    partOf: parent === undefined ? undefined : (await findTask(store, parent, 'parent')).id,
    ...((priority ?? max_priority) !== undefined && {
      priorities: [mostUrgent, Math.min(leastUrgent, limit)],
    }),
  }
}
