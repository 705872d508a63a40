import * as z from 'zod'
import type { ReadContext } from '../../core/context.ts'
import { reference } from '../../entity/reference.ts'
import { taskStatus } from '../fields.ts'
import { defineOperation } from '../../core/operation.ts'
import { type QueueQuery, toPosition } from './store.ts'
import type { EntityRow } from '../../entity/store.ts'
import { yieldToEventLoop } from '../../support/yield-to-event-loop.ts'
import { findTask } from '../find-task.ts'
import { unlisted } from '../../core/input/schema.ts'
import { queueAgent, type QueueFilter, queueFilter, readerId, toTaskFilter } from './filter.ts'
import {
  releaseView,
  taskLabel,
  taskSummary,
  type TaskSummary,
  toReleaseFields,
  toTaskLabel,
  toTaskSummaries,
} from '../view.ts'
import { showTaskResult, showTasks } from '../show.ts'
import { showBlockedToAgent, showQueueToAgent } from '../show-agent.ts'

const limit = z.int().min(1).max(100).default(50).describe('How many at most')
/** A specification without pages lists all of them. */
const anyLimit = z.int().min(1).max(100_000).default(50).describe('How many at most')
/** The blockers of each task are read by a statement of its own, so few tasks take long. */
const MOST_AT_ONCE = 100
const offset = z.int().min(0).default(0).describe('How many to skip')

/**
 * For specifications that judge by open tasks with a relation `blocks` to the task: neither parts, nor verification, nor
 * the status of the task count.
 */
const blockersOnly = unlisted(z.boolean().default(false))

export const readyTasks = defineOperation({
  name: 'task.ready',
  summary: 'List the tasks that can be claimed, most urgent first',
  example: '--label parser',
  effect: 'read',
  input: queueFilter.extend({
    status: taskStatus().optional().describe('Only with this status, such as todo'),
    include_held: z.boolean().default(false).describe('Also what an agent holds already'),
    include_deferred: z.boolean().default(false).describe('Also what is put off until later'),
    mine: z.boolean().default(false).describe('Leave out tasks assigned to others'),
    blockers_only: blockersOnly,
    agent_id: readerId,
    limit,
    offset,
  }),
  output: z.object({ tasks: z.array(taskSummary), total: z.int() }),
  async run(context, input) {
    const {
      limit,
      offset,
      include_held,
      include_deferred,
      mine,
      blockers_only,
      agent_id,
      status,
      ...filter
    } = input
    const free = mine ? 'offered' : 'claimable'
    return await queue(context, filter, {
      state: blockers_only ? 'unblocked' : include_held ? 'ready' : free,
      statuses: status && [status],
      includeDeferred: include_deferred,
      agent: await queueAgent(context, agent_id),
      limit,
      offset,
    })
  },
  show: showTasks,
  showToAgent: showQueueToAgent,
})

const blockedTask = taskSummary.extend({
  blockers: z
    .array(taskLabel)
    .describe('Unresolved tasks that block it, or one that it is a part of'),
})
export type BlockedTask = z.output<typeof blockedTask>

export const blockedTasks = defineOperation({
  name: 'task.blocked',
  summary: 'List the tasks that wait for others or are marked as blocked, with the reason',
  example: '12',
  effect: 'read',
  input: queueFilter.extend({
    id: reference.optional().describe('Only this task'),
    blockers_only: blockersOnly,
    limit: anyLimit,
    offset,
  }),
  output: z.object({ tasks: z.array(blockedTask), total: z.int() }),
  positional: ['id'],
  async run(context, { id, limit, offset, blockers_only, ...filter }) {
    const { tasks } = context.store
    const now = await context.store.now(context)
    const blockersOf = blockers_only ? tasks.openBlockersOf : tasks.allBlockersOf
    const describe = async (rows: readonly EntityRow[]): Promise<BlockedTask[]> => {
      const summaries = await toTaskSummaries(context.store, rows, now)
      const withBlockers = async (task: TaskSummary) => ({
        ...task,
        blockers: (await blockersOf(task.id)).map(toTaskLabel),
      })
      return await Promise.all(summaries.map(withBlockers))
    }
    if (id !== undefined) {
      return { tasks: await describe([await findTask(context.store, id)]), total: 1 }
    }
    const state = blockers_only ? 'waiting' : 'blocked'
    const wanted = { ...(await toTaskFilter(context.store, filter)), state, now } as const
    const first = { ...wanted, offset, limit: Math.min(limit, MOST_AT_ONCE) }
    const { tasks: firstRows, total } = await tasks.page(first)
    const found = await describe(firstRows)
    const most = Math.min(limit, total - offset)
    for (let last = firstRows.at(-1); last && found.length < most;) {
      await yieldToEventLoop(context.signal)
      const page = Math.min(most - found.length, MOST_AT_ONCE)
      const rows = await tasks.queue({ ...wanted, after: toPosition(last), limit: page })
      found.push(...(await describe(rows)))
      last = rows.at(-1)
    }
    return { tasks: found, total }
  },
  show: showTasks,
  showToAgent: showBlockedToAgent,
})

export const nextTask = defineOperation({
  name: 'task.next',
  summary: 'Show the most urgent task that is ready and not held',
  example: '--label parser',
  effect: 'read',
  input: queueFilter.extend({
    include_held: z.boolean().default(false).describe('Also what an agent holds already'),
    include_deferred: z.boolean().default(false).describe('Also what is put off until later'),
    blockers_only: blockersOnly,
    agent_id: readerId,
  }),
  output: z.object({
    task: taskSummary
      .extend({ last_release: releaseView.optional().describe('Who gave it back last, and why') })
      .nullable(),
  }),
  async run(context, { include_held, include_deferred, blockers_only, agent_id, ...filter }) {
    const { store } = context
    const now = await store.now(context)
    const wanted = await toTaskFilter(store, filter)
    const tasks = await store.tasks.queue({
      ...wanted,
      state: blockers_only ? 'unblocked' : include_held ? 'ready' : 'offered',
      includeDeferred: include_deferred,
      agent: await queueAgent(context, agent_id),
      now,
      limit: 1,
    })
    const [task] = await toTaskSummaries(store, tasks, now)
    if (task === undefined) return { task: null }
    return { task: { ...task, ...toReleaseFields(await store.leases.of(task.id)) } }
  },
  show: showTaskResult,
})

interface Page {
  readonly tasks: TaskSummary[]
  readonly total: number
}

async function queue(
  context: ReadContext,
  filter: QueueFilter,
  query: Omit<QueueQuery, 'now'>,
): Promise<Page> {
  const { store } = context
  const now = await store.now(context)
  const wanted = { ...(await toTaskFilter(store, filter)), ...query, now }
  const { tasks, total } = await store.tasks.page(wanted)
  return { tasks: await toTaskSummaries(store, tasks, now), total }
}
