import * as z from 'zod'
import { taskContext } from '../../task/queue/context.ts'
import { listTasks } from '../../task/queue/list.ts'
import { readyTasks } from '../../task/queue/operations.ts'
import { getTask } from '../../task/operations.ts'
import { oneOf } from '../../core/input/schema.ts'
import type { DialectTool } from '../dialect.ts'
import { agentId } from './agent-tools.ts'
import { define } from './define-tool.ts'
import {
  runtime,
  taskDetail,
  taskSummary,
  toRuntime,
  toTaskDetail,
  toTaskId,
  toTaskSummary,
  warning,
} from './shapes.ts'
import { STATUSES } from './status.ts'

export const taskId = z.string().trim().min(1).max(100).describe('Key or id of a task')

/** Engine filter for a status of the spec. */
const FILTERS = {
  ready: { statuses: ['todo', 'in_progress', 'blocked'] },
  done: { statuses: ['done'], resolved: false },
  verified: { statuses: ['done'], resolved: true },
  deleted: { statuses: ['cancelled'] },
  all: { all: true },
} as const

const VISIBLE = { statuses: ['todo', 'in_progress', 'blocked', 'done'] } as const

const WARNINGS: Readonly<Record<string, string>> = {
  prd_drift: 'PRD_DRIFT_DETECTED',
  missing_prd_source: 'MISSING_PRD_SOURCE',
  missing_section: 'MISSING_PRD_SECTION',
}

export function toTask(task: z.output<typeof getTask.output>) {
  return {
    task: toTaskDetail(task),
    runtime: toRuntime(task),
    warnings: toWarnings(task.warnings),
  }
}

function toWarnings(warnings: readonly { code: string; message: string }[]) {
  return warnings.map(({ code, message }) => ({
    type: WARNINGS[code] ?? code.toUpperCase(),
    message,
  }))
}

/** The tools that look at tasks. */
export function taskTools(): readonly DialectTool[] {
  return [
    define({
      name: 'lodestar.task.list',
      description: 'List tasks, most urgent first; deleted ones only when asked for',
      operation: listTasks,
      input: z.object({
        status: oneOf([...STATUSES, 'all']).optional(),
        label: z.string().trim().optional(),
        limit: z.int().min(1).max(200).optional().describe('Default 50, at most 200'),
        cursor: z.string().optional().describe('nextCursor of the page before'),
      }),
      output: z.object({
        tasks: z.array(taskSummary),
        count: z.int(),
        total: z.int(),
        nextCursor: z.string().optional(),
      }),
      toInput: ({ status, label, limit, cursor }) => ({
        ...(status === undefined ? VISIBLE : FILTERS[status]),
        ...(label !== undefined && { labels: [label] }),
        limit,
        cursor,
      }),
      toResult: ({ tasks, total, next_cursor }) => ({
        tasks: tasks.map(toTaskSummary),
        count: tasks.length,
        total,
        ...(next_cursor !== undefined && { nextCursor: next_cursor }),
      }),
    }),
    define({
      name: 'lodestar.task.get',
      description: 'Show one task: description, criteria, dependencies, who holds it',
      operation: getTask,
      input: z.object({ taskId }),
      output: z.object({ task: taskDetail, runtime, warnings: z.array(warning) }),
      toInput: ({ taskId }) => ({ id: taskId }),
      toResult: toTask,
    }),
    define({
      name: 'lodestar.task.next',
      description: 'What should I do next? Tasks that can be claimed now, most urgent first',
      operation: readyTasks,
      input: z.object({
        agentId: agentId.optional(),
        limit: z.int().min(1).max(20).optional().describe('Default 5, at most 20'),
        labels: z.array(z.string().trim()).optional().describe('Only with all these labels'),
        maxPriority: z.int().min(0).max(1000).optional().describe('Only at least this urgent'),
      }),
      output: z.object({ candidates: z.array(taskSummary), rationale: z.string() }),
      toInput: ({ agentId, limit = 5, labels, maxPriority }) => ({
        agent_id: agentId,
        limit,
        labels,
        max_priority: maxPriority,
      }),
      toResult: ({ tasks, total }) => ({
        candidates: tasks.map(toTaskSummary),
        rationale:
          total === 0
            ? 'nothing can be claimed: every open task is claimed, blocked or put off'
            : `${total} tasks have all their dependencies verified and are unclaimed; most urgent first`,
      }),
    }),
    define({
      name: 'lodestar.task.context',
      description: 'Just enough of the PRD to do a task, and whether it has changed since',
      operation: taskContext,
      input: z.object({
        taskId,
        maxChars: z.int().min(100).max(50_000).optional().describe('Default 1000'),
      }),
      output: z.object({
        context: z.object({
          taskId: z.string(),
          title: z.string(),
          description: z.string().optional(),
          prdSource: z.string().optional(),
          prdRef: z.string().optional(),
          prdRefs: z.array(z.string()),
          prdExcerpt: z.string().optional(),
          prdSections: z.array(z.object({ anchor: z.string(), content: z.string() })),
          content: z.string(),
          truncated: z.boolean(),
          drift: z.object({ changed: z.boolean(), details: z.array(z.string()) }).optional(),
        }),
        warnings: z.array(warning),
      }),
      toInput: ({ taskId, maxChars }) => ({ id: taskId, max_chars: maxChars }),
      toResult: ({ task, description, prd_source, prd_refs, prd_excerpt, drift, ...rest }) => ({
        context: {
          taskId: toTaskId(task),
          title: task.title,
          ...(description !== undefined && { description }),
          ...(prd_source !== undefined && { prdSource: prd_source }),
          ...(prd_refs[0] !== undefined && { prdRef: prd_refs[0] }),
          prdRefs: prd_refs,
          ...(prd_excerpt !== undefined && { prdExcerpt: prd_excerpt }),
          prdSections: rest.sections,
          content: rest.content,
          truncated: rest.truncated,
          ...(drift !== undefined && { drift }),
        },
        warnings: toWarnings(rest.warnings),
      }),
    }),
  ]
}
