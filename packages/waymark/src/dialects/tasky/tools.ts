import * as z from 'zod'
import { body, calendarDate, oneLine, oneOf } from '../../core/input/schema.ts'
import type { TaskStatus } from '../../task/task.ts'
import { projectStatus } from '../../project/operations.ts'
import { editTasks } from '../../task/state/bulk.ts'
import { listTasks } from '../../task/queue/list.ts'
import { createTasks, getTasks } from '../../task/operations.ts'
import { parseExact } from '../../core/input/parse.ts'
import type { DialectTool } from '../dialect.ts'
import { type ToolMapping, toTool } from '../to-tool.ts'
import { defineTool, route } from '../tool.ts'
import {
  compactTask,
  ENGINE_STATUSES,
  failure,
  fromPriority,
  type Status,
  STATUSES,
  taskModel,
  toCompactTask,
  toTaskModel,
} from './shapes.ts'

const status = oneOf(STATUSES)
const taskId = z.string().describe('Id of a task, as search_tasks gives it')
const name = oneLine({ max: 500 }).describe('What is to be done')
const details = body({ max: 100 * 1024 }).describe('More about it')
const priority = z.int().min(1).max(5).describe('1 to 5; 5 is the most urgent')
const dueDate = calendarDate().describe('YYYY-MM-DD')

const creation = z.strictObject({
  tasks: z
    .array(
      z.strictObject({
        name,
        details: details.optional(),
        priority: priority.optional(),
        due_date: dueDate.optional(),
        blocked_by: z.array(taskId).optional().describe('Tasks that must be completed first'),
        subtask_of: taskId.optional(),
      }),
    )
    .min(1)
    .max(1000),
})

const edition = z.strictObject({
  operations: z
    .array(
      z.strictObject({
        task_id: taskId,
        action: oneOf(['update', 'delete', 'complete', 'cancel', 'reopen']),
        name: name.optional(),
        details: details.optional(),
        priority: priority.optional(),
        due_date: dueDate.nullable().optional(),
        status: status.optional().describe('As project_info lists them'),
        reason: body({ max: 4096 }).optional().describe('Why, for the audit trail'),
      }),
    )
    .min(1)
    .max(1000),
})

const search = z.strictObject({
  status: status.optional().describe('As project_info lists them'),
  search: oneLine({ max: 200 }).optional().describe('Words in name or details'),
  created_after: z.string().optional().describe('Date or time'),
  due_before: z.string().optional().describe('Date'),
  limit: z.int().min(1).max(200).optional().describe('Default 50'),
  offset: z.int().min(0).optional(),
})

const editedTask = taskModel.extend({ deletion_confirmed: z.literal(true).optional() })

export function loadTools(): readonly DialectTool[] {
  return [
    define({
      name: 'project_info',
      description: 'Show the project, its valid task statuses and how many tasks have each',
      operation: projectStatus,
      input: z.strictObject({}),
      output: z.object({
        project_name: z.string(),
        project_description: z.string(),
        project_path: z.string().optional(),
        available_statuses: z.array(z.enum(STATUSES)),
        task_counts: z.record(z.enum(STATUSES), z.int()),
      }),
      toInput: () => ({}),
      toResult: ({ name, description, root, tasks }) => ({
        project_name: name,
        project_description: description,
        ...(root !== undefined && { project_path: root }),
        available_statuses: [...STATUSES],
        task_counts: {
          pending: countOf(tasks, ENGINE_STATUSES.pending),
          completed: countOf(tasks, ENGINE_STATUSES.completed),
          cancelled: countOf(tasks, ENGINE_STATUSES.cancelled),
        },
      }),
    }),
    define({
      name: 'create_tasks',
      description: 'Create one or more tasks, all or none',
      operation: createTasks,
      input: creation,
      output: z.object({ created: z.array(taskModel) }),
      toInput: ({ tasks }) => ({
        tasks: tasks.map(({ name, details, priority, blocked_by, subtask_of, ...rest }) => ({
          ...rest,
          title: name,
          content: details,
          ...(priority !== undefined && { priority: fromPriority(priority) }),
          depends_on: blocked_by,
          parent: subtask_of,
        })),
      }),
      toResult: ({ tasks }) => ({ created: tasks.map(toTaskModel) }),
    }),
    define({
      name: 'edit_tasks',
      description:
        'Update, complete, cancel, reopen or permanently delete tasks, all or none in one step',
      operation: editTasks,
      input: edition,
      output: z.object({ edited: z.array(editedTask) }),
      toInput: ({ operations }) => ({
        edits: operations.map(({ task_id, name, details, priority, status, ...rest }) => ({
          ...rest,
          id: task_id,
          title: name,
          content: details,
          ...(priority !== undefined && { priority: fromPriority(priority) }),
          ...toEngineStatus(status),
          // The spec lets a task be completed while its subtasks and blockers are open.
          force: true,
        })),
      }),
      toResult: ({ results }) => ({
        edited: results.flatMap(({ task, deleted }) => {
          if (task !== undefined) return [toTaskModel(task)]
          return deleted === undefined
            ? []
            : [{ ...toTaskModel(deleted), deletion_confirmed: true as const }]
        }),
      }),
    }),
    define({
      name: 'search_tasks',
      description: 'Find tasks; gives only what is needed to choose, get_tasks gives the rest',
      operation: listTasks,
      input: search,
      output: z.object({ tasks: z.array(compactTask), total_count: z.int() }),
      toInput: ({ status, search, ...rest }) => ({
        ...rest,
        ...(status === undefined ? { all: true } : { statuses: ENGINE_STATUSES[status] }),
        text: search,
      }),
      toResult: ({ tasks, total }) => ({ tasks: tasks.map(toCompactTask), total_count: total }),
    }),
    define({
      name: 'get_tasks',
      description: 'Show tasks with everything about them: details, blockers, subtasks',
      operation: getTasks,
      input: z.strictObject({ task_ids: z.array(taskId).min(1).max(100) }),
      output: z.object({ tasks: z.array(taskModel) }),
      toInput: ({ task_ids }) => ({ ids: task_ids }),
      toResult: ({ tasks }) => ({ tasks: tasks.map(toTaskModel) }),
    }),
  ]
}

function define<
  Input extends z.ZodObject,
  Output extends z.ZodType,
  EngineInput extends z.ZodObject,
  EngineOutput extends z.ZodType,
>(mapping: ToolMapping<Input, Output, EngineInput, EngineOutput>): DialectTool {
  const { operation, input } = mapping
  return defineTool({
    listed: toTool({ ...mapping, error: failure }, operation),
    parse: (args) => parseExact(input, args),
    routes: [route(mapping)],
  })
}

/** Several engine statuses are pending here; a task that has one of them keeps it. */
function toEngineStatus(status: Status | undefined): { status?: TaskStatus; reopen?: true } {
  if (status === undefined) return {}
  return status === 'pending' ? { reopen: true } : { status: ENGINE_STATUSES[status][0] }
}

function countOf(tasks: Readonly<Record<string, number>>, statuses: readonly string[]): number {
  return statuses.reduce((sum, status) => sum + (tasks[status] ?? 0), 0)
}
