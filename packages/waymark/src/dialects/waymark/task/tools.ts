import * as z from 'zod'
import { claimTask, takeTask } from '../../../task/lease/operations.ts'
import { listTasks } from '../../../task/queue/list.ts'
import { blockedTasks, readyTasks } from '../../../task/queue/operations.ts'
import { createTasks, getTasks } from '../../../task/operations.ts'
import type { DialectTool, Fields } from '../../dialect.ts'
import { route, when } from '../../tool.ts'
import { limitOf, shorten, takeFitting } from '../budget.ts'
import {
  count,
  define,
  defineCore,
  lines,
  maxTokens,
  pick,
  toTextIds,
  words,
} from '../define-tool.ts'
import {
  labelled,
  taskLines,
  type TaskRow,
  toLabel,
  toTaskRow,
  toTaskText,
  toWholeTask,
} from './lines.ts'
import { idsOf, updateTool } from './update-tool.ts'

const text = z.string().optional()
const priority = z.string().optional().describe('urgent, high, normal, low')

export function taskTools(): readonly DialectTool[] {
  return [createTool(), updateTool(), getTool(), nextTool()]
}

function createTool(): DialectTool {
  // Loose because the operation knows more fields than are worth listing, and refuses all others.
  const task = z.looseObject({
    title: z.string(),
    content: text,
    key: text.describe('name for depends_on'),
    priority,
    depends_on: words.optional(),
    parent: text,
    labels: words.optional(),
    assignee: text,
    due_date: text,
    acceptance_criteria: words.optional(),
    locks: words.optional().describe('paths or globs it will change'),
    discovered_from: text,
    duplicates: text,
  })
  return define({
    name: 'task_create',
    description:
      'Plan work or note work you found: create tasks, all or none. depends_on and parent take numbers or keys of the same call.',
    input: z.object({ tasks: z.array(task) }),
    operation: createTasks,
    toInput: ({ tasks }) => ({
      tasks: Array.isArray(tasks) ? tasks.map(withTextReferences) : tasks,
    }),
    toResult: ({ tasks, warnings }, args) => ({
      tasks: shorten(tasks.map(toTaskRow), args),
      ...pick({ warnings }, ['warnings']),
    }),
    toText: ({ tasks }) => taskLines(tasks),
  })
}

function withTextReferences(task: unknown): unknown {
  if (typeof task !== 'object' || task === null) return task
  return Object.fromEntries(
    Object.entries(task).map(([name, value]) => [
      name,
      REFERENCES.has(name) ? toTextIds(value) : value,
    ]),
  )
}

const REFERENCES: ReadonlySet<string> = new Set([
  'depends_on',
  'parent',
  'discovered_from',
  'duplicates',
])

function getTool(): DialectTool {
  const listing = {
    name: 'task_get',
    description:
      'Read tasks: whole ones by ids, or a list by filter (default: all that is open). blocked lists what waits and why.',
    input: z.object({
      ids: words.optional(),
      statuses: words.optional(),
      text,
      labels: words.optional(),
      assignee: text,
      parent: text,
      blocked: z.boolean().optional(),
      limit: count.optional(),
      cursor: text,
      max_tokens: maxTokens,
    }),
  }
  return defineCore(listing, [
    route({
      operation: listTasks,
      toInput: (args) => {
        const { blocked: _blocked, cursor, statuses, max_tokens: _max, ...filter } = args
        const wanted = statuses === undefined ? { resolved: false } : { statuses }
        const limit = limitOf(args, { perRow: 60, most: 50 })
        return { ...filter, ...wanted, limit, ...(cursor !== undefined && { cursor }) }
      },
      toResult: ({ tasks, total, next_cursor }, args) => ({
        tasks: shorten(tasks.map(toTaskRow), args),
        total,
        ...pick({ next_cursor }, ['next_cursor']),
      }),
      toText: pageLines,
    }),
    when(
      ({ ids }) => ids !== undefined,
      route({
        operation: getTasks,
        toInput: (args) => ({ ids: idsOf(args) }),
        toResult: ({ tasks }, args) => {
          const all = tasks.map(toWholeTask)
          const kept = takeFitting(all.length > 1 ? shorten(all, args) : all, args)
          const left_out = all.slice(kept.length).map(({ number }) => number)
          return { tasks: shorten(kept, args), ...pick({ left_out }, ['left_out']) }
        },
        toText: ({ tasks, left_out }) =>
          lines(...tasks.map(toTaskText), labelled('not shown, ask again for', left_out)),
      }),
    ),
    when(
      ({ blocked }) => blocked === true,
      route({
        operation: blockedTasks,
        toInput: (args) => {
          const { blocked: _blocked, cursor, statuses: _statuses, max_tokens: _max, ...rest } = args
          const limit = limitOf(args, { perRow: 60, most: 50 })
          return { ...rest, limit, offset: Number(cursor ?? 0) }
        },
        toResult: ({ tasks, total }, args) => {
          const rows = tasks.map((task) => ({
            ...toTaskRow(task),
            ...pick({ blockers: task.blockers.map(toLabel) }, ['blockers']),
          }))
          const next = Number(args['cursor'] ?? 0) + rows.length
          return {
            tasks: shorten(rows, args),
            total,
            ...(next < total && { next_cursor: String(next) }),
          }
        },
        toText: pageLines,
      }),
    ),
  ])
}

interface Page {
  readonly tasks: readonly TaskRow[]
  readonly next_cursor?: string
}

function pageLines({ tasks, next_cursor }: Page): string {
  return taskLines(tasks, labelled('next cursor', next_cursor))
}

function nextTool(): DialectTool {
  const listing = {
    name: 'task_next',
    description:
      'Find work: the most urgent ready tasks without a lease. claim: true takes the first at once, or the one named by id; keep its fence.',
    input: z.object({
      claim: z.boolean().optional(),
      id: text,
      labels: words.optional(),
      parent: text,
      seconds: count.optional().describe('length of the lease'),
      limit: count.optional(),
      max_tokens: maxTokens,
    }),
  }
  return defineCore(listing, [
    route({
      operation: readyTasks,
      toInput: (args) => ({
        ...filterOf(args),
        unclaimed: true,
        limit: limitOf(args, { perRow: 60, most: 5 }),
      }),
      toResult: ({ tasks, total }, args) => ({ tasks: shorten(tasks.map(toTaskRow), args), total }),
      toText: ({ tasks }) => taskLines(tasks) || 'nothing is ready',
    }),
    when(
      ({ id }) => id !== undefined,
      route({
        operation: claimTask,
        toInput: ({ id, seconds }) => ({ id, seconds }),
        toResult: (claimed, args) => toClaimed(claimed, args),
        toText: claimedText,
      }),
    ),
    when(
      ({ claim }) => claim === true,
      route({
        operation: takeTask,
        toInput: (args) => ({ ...filterOf(args), seconds: args['seconds'] }),
        toResult: ({ claimed }, args) =>
          claimed === null ? { tasks: [], total: 0 } : toClaimed(claimed, args),
        toText: (result) => ('claimed' in result ? claimedText(result) : 'nothing is ready'),
      }),
    ),
  ])
}

function filterOf(args: Fields): Fields {
  const {
    id: _id,
    claim: _claim,
    seconds: _seconds,
    limit: _limit,
    max_tokens: _max,
    ...filter
  } = args
  return filter
}

function toClaimed(claimed: z.output<typeof claimTask.output>, args: Fields) {
  const { task, overlaps, handoff, unread_messages } = claimed
  const others = overlaps.map((overlap) => JSON.stringify(overlap))
  return {
    claimed: shorten(
      {
        ...toWholeTask(task),
        ...pick({ handoff: handoff?.body, overlaps: others }, ['handoff', 'overlaps']),
        ...(unread_messages > 0 && { unread_messages }),
      },
      args,
    ),
  }
}

function claimedText({ claimed }: ReturnType<typeof toClaimed>): string {
  return `claimed: ${toTaskText(claimed)}`
}
