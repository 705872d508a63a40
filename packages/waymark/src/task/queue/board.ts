import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import { BLANK, type Block, bold, dim, type Line, line, own } from '../../core/show.ts'
import { taskStatus } from '../fields.ts'
import { holder } from '../lease/show.ts'
import { TASK_STATUSES, type TaskStatus, toPriorityName } from '../task.ts'
import { taskSummary, type TaskSummary, toTaskSummaries } from '../view.ts'
import { queueFilter, toTaskFilter } from './filter.ts'
import type { QueueSelection } from './selection-store.ts'

const boardView = z.object({
  columns: z.array(z.object({ status: taskStatus(), total: z.int(), tasks: z.array(taskSummary) })),
})

/** A task that waits for another is not to be started, although its status does not say so. */
const SELECTIONS: Partial<Record<TaskStatus, Pick<QueueSelection, 'state' | 'statuses'>>> = {
  todo: { state: 'not_blocked', statuses: ['todo'] },
  blocked: { state: 'blocked', statuses: ['todo', 'blocked'] },
}

export const showTaskBoard = defineOperation({
  name: 'task.board',
  summary:
    'Show the tasks of each status, most urgent first; those that wait for others as blocked',
  example: '--label parser',
  effect: 'read',
  input: queueFilter.extend({
    limit: z.int().min(1).max(100).default(10).describe('How many of each status at most'),
  }),
  output: boardView,
  async run(context, { limit, ...given }) {
    const { store } = context
    const now = await store.now(context)
    const filter = await toTaskFilter(store, given)
    const columns: z.output<typeof boardView>['columns'] = []
    for (const status of TASK_STATUSES) {
      const { state, statuses } = SELECTIONS[status] ?? { state: 'any', statuses: [status] }
      const { tasks, total } = await store.tasks.page({ ...filter, state, statuses, now, limit })
      columns.push({ status, total, tasks: await toTaskSummaries(store, tasks, now) })
    }
    return { columns }
  },
  show: showBoard,
})

function showBoard({ columns }: z.output<typeof boardView>): readonly Block[] {
  const used = columns.filter(({ total }) => total > 0)
  if (used.length === 0) return [line`no tasks`]
  return used.flatMap(({ status, total, tasks }, at) => [
    ...(at === 0 ? [] : [BLANK]),
    line`${bold(own(status.replaceAll('_', ' ')))} (${total})`,
    ...tasks.map(showCard),
    ...(tasks.length < total ? [line`  ${dim(own(`${total - tasks.length} more`))}`] : []),
  ])
}

function showCard({ number, priority, title, lease }: TaskSummary): Line {
  const urgency = toPriorityName(priority)
  const mark = urgency === 'normal' ? undefined : line` ${own(urgency)}`
  return line`  #${number}${mark} ${title}${lease && line`, held by ${holder(lease)}`}`
}
