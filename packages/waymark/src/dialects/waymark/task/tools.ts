import * as z from 'zod'
import { claimTask, takeTask } from '../../../task/lease/operations.ts'
import { listTasks } from '../../../task/queue/list.ts'
import { blockedTasks, readyTasks } from '../../../task/queue/operations.ts'
import { createTasks, getTasks } from '../../../task/operations.ts'
import { field, joined } from '../../../core/show.ts'
import { describeReservation } from '../../../task/show-agent.ts'
import type { TaskSummary } from '../../../task/view.ts'
import type { DialectTool, Fields } from '../../dialect.ts'
import { when } from '../../tool.ts'
import { limitOf, shorten, shortenRows, takeFitting } from '../budget.ts'
import {
  calling,
  count,
  define,
  defineCore,
  maxTokens,
  pick,
  toTextIds,
  words,
} from '../define-tool.ts'
import { toBlockedRow, toTaskRow, toWholeTask } from './rows.ts'
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
      'Plan work, or note work you found; all or none. depends_on and parent take numbers or keys of the same call.',
    input: z.object({ tasks: z.array(task) }),
    operation: createTasks,
    toInput: ({ tasks }) => ({
      tasks: Array.isArray(tasks) ? tasks.map(withTextReferences) : tasks,
    }),
    toFitting: withFittingRows,
    toResult: ({ tasks, warnings }) => ({
      tasks: tasks.map(toTaskRow),
      ...pick({ warnings }, ['warnings']),
    }),
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
    calling({
      operation: listTasks,
      toInput: (args) => {
        const { blocked: _blocked, cursor, statuses, max_tokens: _max, ...filter } = args
        const wanted = statuses === undefined ? { resolved: false } : { statuses }
        const limit = limitOf(args, { perRow: 60, most: 50 })
        return { ...filter, ...wanted, limit, ...(cursor !== undefined && { cursor }) }
      },
      toFitting: withFittingRows,
      toResult: ({ tasks, total, next_cursor }) => ({
        tasks: tasks.map(toTaskRow),
        total,
        ...pick({ next_cursor }, ['next_cursor']),
      }),
    }),
    when(
      ({ ids }) => ids !== undefined,
      calling({
        operation: getTasks,
        toInput: (args) => ({ ids: idsOf(args) }),
        toFitting: ({ tasks }, args) => {
          const all = tasks.length > 1 ? shortenRows(tasks, args, toWholeTask) : tasks
          return { tasks: shortenRows(takeFitting(all, args, toWholeTask), args, toWholeTask) }
        },
        toResult: ({ tasks }, _args, whole) => {
          const left_out = whole.tasks.slice(tasks.length).map(({ number }) => number)
          return { tasks: tasks.map(toWholeTask), ...pick({ left_out }, ['left_out']) }
        },
        toNotes: ({ left_out = [] }) => field('not shown, ask again for', joined(left_out)),
      }),
    ),
    when(
      ({ blocked }) => blocked === true,
      calling({
        operation: blockedTasks,
        toInput: (args) => {
          const { blocked: _blocked, cursor, statuses: _statuses, max_tokens: _max, ...rest } = args
          const limit = limitOf(args, { perRow: 60, most: 50 })
          return { ...rest, limit, offset: Number(cursor ?? 0) }
        },
        toFitting: ({ tasks, total }, args) => ({
          tasks: shortenRows(tasks, args, toBlockedRow),
          total,
        }),
        toResult: ({ tasks, total }, args) => {
          const next = Number(args['cursor'] ?? 0) + tasks.length
          return {
            tasks: tasks.map(toBlockedRow),
            total,
            ...(next < total && { next_cursor: String(next) }),
          }
        },
        toNotes: ({ next_cursor }) => field('next cursor', next_cursor),
      }),
    ),
  ])
}

function withFittingRows<T extends TaskSummary, Page extends { readonly tasks: readonly T[] }>(
  page: Page,
  args: Fields,
): Page & { readonly tasks: T[] } {
  return { ...page, tasks: shortenRows(page.tasks, args, toTaskRow) }
}

function nextTool(): DialectTool {
  const listing = {
    name: 'task_next',
    description:
      'Find work: free ready tasks, most urgent first, none with open parts. claim: true takes the first, or that of id; keep its fence.',
    input: z.object({
      claim: z.boolean().optional(),
      id: text,
      force: z.boolean().optional().describe('take id from a holder in another clone'),
      labels: words.optional(),
      parent: text,
      seconds: count.optional().describe('length of the lease'),
      limit: count.optional(),
      max_tokens: maxTokens,
    }),
  }
  return defineCore(listing, [
    calling({
      operation: readyTasks,
      toInput: (args) => ({
        ...filterOf(args),
        mine: true,
        limit: limitOf(args, { perRow: 60, most: 5 }),
      }),
      toFitting: withFittingRows,
      toResult: ({ tasks, total }) => ({ tasks: tasks.map(toTaskRow), total }),
    }),
    when(
      ({ id }) => id !== undefined,
      calling({
        operation: claimTask,
        toInput: ({ id, seconds, force }) => ({ id, seconds, force }),
        toFitting: (claimed, args) => shorten(claimed, args, toClaimed),
        toResult: (claimed) => ({ claimed: toClaimed(claimed) }),
      }),
    ),
    when(
      ({ claim }) => claim === true,
      calling({
        operation: takeTask,
        toInput: (args) => ({ ...filterOf(args), seconds: args['seconds'] }),
        toFitting: ({ claimed }, args) => ({
          claimed: claimed && shorten(claimed, args, toClaimed),
        }),
        toResult: ({ claimed }) =>
          claimed === null ? { tasks: [], total: 0 } : { claimed: toClaimed(claimed) },
      }),
    ),
  ])
}

function filterOf(args: Fields): Fields {
  const {
    id: _id,
    force: _force,
    claim: _claim,
    seconds: _seconds,
    limit: _limit,
    max_tokens: _max,
    ...filter
  } = args
  return filter
}

function toClaimed(claimed: z.output<typeof claimTask.output>) {
  const { task, overlaps, handoff, unread_messages, warnings } = claimed
  const others = overlaps.map(describeReservation)
  return {
    ...toWholeTask(task),
    ...pick({ handoff: handoff?.body, overlaps: others }, ['handoff', 'overlaps']),
    ...(unread_messages > 0 && { unread_messages }),
    ...(warnings !== undefined && { warnings }),
  }
}
