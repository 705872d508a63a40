import * as z from 'zod'
import type { ReadContext } from '../../core/context.ts'
import { defineOperation } from '../../core/operation.ts'
import { line, own } from '../../core/show.ts'
import { reference } from '../../entity/reference.ts'
import type { EntityRow } from '../../entity/store.ts'
import { findTask } from '../find-task.ts'
import { taskLabel, toTaskLabel } from '../view.ts'

const MOST_TASKS = 500

const treeView = z.object({
  tasks: z
    .array(taskLabel.extend({ depth: z.int().describe('0 for the task at the top') }))
    .describe('Each task before its parts'),
  truncated: z.boolean(),
})

export const showTaskTree = defineOperation({
  name: 'task.tree',
  summary: 'Show a task with its parts and their parts, or all open tasks like that',
  example: '12',
  effect: 'read',
  input: z.object({
    id: reference.optional().describe('Number, key or id of the task at the top'),
  }),
  output: treeView,
  positional: ['id'],
  async run(context, { id }) {
    const { store } = context
    const tops = id === undefined ? await openTops(context) : [await findTask(store, id)]
    const tasks: z.output<typeof treeView>['tasks'] = []
    const waiting = tops.map((row) => ({ row, depth: 0 }))
    while (tasks.length < MOST_TASKS) {
      const next = waiting.shift()
      if (next === undefined) break
      const { row, depth } = next
      tasks.push({ ...toTaskLabel(row), depth })
      const parts = await store.tasks.related(row.id, 'subtask_of', 'to')
      waiting.unshift(...parts.map((part) => ({ row: part, depth: depth + 1 })))
    }
    return { tasks, truncated: waiting.length > 0 }
  },
  show: ({ tasks, truncated }) =>
    tasks.length === 0
      ? [line`no tasks`]
      : [
          ...tasks.map(
            ({ number, title, status, depth }) =>
              line`${own('  '.repeat(depth))}#${number} ${status}: ${title}`,
          ),
          ...(truncated ? [line`there is more; name a task to see its parts`] : []),
        ],
})

/** The open tasks that are no part of another one. */
async function openTops(context: ReadContext): Promise<readonly EntityRow[]> {
  const { store } = context
  const now = await store.now(context)
  const open = await store.tasks.queue({ state: 'open', now, limit: MOST_TASKS })
  const tops: EntityRow[] = []
  for (const row of open) {
    const wholes = await store.tasks.related(row.id, 'subtask_of', 'from')
    if (wholes.length === 0) tops.push(row)
  }
  return tops
}
