import * as z from 'zod'
import {
  type BlockedTask,
  blockedTasks,
  nextTask,
  readyTasks,
} from '../../task/queue/operations.ts'
import { completeTask, rescheduleTask } from '../../task/state/operations.ts'
import type { DialectTool, Fields } from '../dialect.ts'
import { ALL, capped, define, id, limit } from './define-tool.ts'
import {
  SPEC_PRIORITIES,
  type SpecEntity,
  toSpecBlocker,
  toSpecQueueTask,
  toSpecTaskEntity,
} from './shapes.ts'

export function taskTools(): readonly DialectTool[] {
  return [
    define('task_ready', 'List tasks with no unresolved blockers, most urgent first', readyTasks, {
      input: z.object({
        limit: limit.optional(),
        priority: z.string().optional().describe(SPEC_PRIORITIES.join(', ')),
      }),
      toInput: (args) => {
        const { limit, priority } = capped(args)
        return { limit, priority, include_deferred: true, blockers_only: true }
      },
      toResult: ({ tasks, total }) => ({ tasks: tasks.map(toSpecQueueTask), total }),
    }),
    define('task_blocked', 'List blocked tasks and what blocks them', blockedTasks, {
      input: z.object({
        id: id.optional().describe('Only this task'),
        limit: limit.optional(),
      }),
      toInput: (args) => {
        const { id, limit = ALL } = capped(args)
        return { id, limit, blockers_only: true }
      },
      toResult: ({ tasks, total }, args) =>
        args['id'] === undefined
          ? { blocked_tasks: tasks.map(toSpecBlockedTask), total }
          : tasks.map(toSpecBlockers)[0],
    }),
    define('task_next', 'Get the highest-priority ready task', nextTask, {
      input: z.object({}),
      toInput: () => ({ include_deferred: true, blockers_only: true }),
      toResult: ({ task }) =>
        task === null ? { task, message: 'No ready tasks' } : toSpecQueueTask(task),
    }),
    define('task_complete', 'Mark a task done', completeTask, {
      input: z.object({ id }),
      // The spec lets a task be completed while its subtasks and blockers are open.
      toInput: ({ id }) => ({ id, force: true }),
      toResult: ({ task }) => toSpecTaskEntity(task),
    }),
    define('task_reschedule', 'Change the due date of a task', rescheduleTask, {
      input: z.object({ id, due_date: z.string().describe('Date like 2026-11-15') }),
      toInput: ({ id, due_date }) => ({ id, due_date }),
      toResult: ({ task }) => toSpecTaskEntity(task),
    }),
  ]
}

function toSpecBlockedTask(task: BlockedTask): SpecEntity {
  return { ...toSpecQueueTask(task), blockers: task.blockers.map(toSpecBlocker) }
}

function toSpecBlockers({ id, blockers }: BlockedTask): Fields {
  return { task_id: id, blockers: blockers.map(toSpecBlocker), total: blockers.length }
}
