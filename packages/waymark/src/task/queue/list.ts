import * as z from 'zod'
import { parseMoment } from '../../support/text/moment.ts'
import { moment, taskStatus } from '../fields.ts'
import { defineOperation } from '../../core/operation.ts'
import { violation } from '../../core/input/parse.ts'
import { calendarDate, oneLine } from '../../core/input/schema.ts'
import { type QueuePosition, toPosition } from './store.ts'
import { queueFilter, toTaskFilter } from './filter.ts'
import { taskSummary, toTaskSummaries } from '../view.ts'
import { showTasks } from '../show.ts'
import { showTasksToAgent } from '../show-agent.ts'

export const listTasks = defineOperation({
  name: 'task.list',
  summary: 'List open tasks, most urgent first; others by status, or all',
  example: '--status in_progress --label parser',
  off: { resolved: 'Only tasks that still block others' },
  effect: 'read',
  input: queueFilter.extend({
    statuses: z.array(taskStatus()).max(10).default([]).describe('Only with one of these'),
    all: z
      .boolean()
      .default(false)
      .describe('Also what is done or cancelled; at the command line without a limit'),
    resolved: z
      .boolean()
      .optional()
      .describe('Only tasks that no longer block others; false: only those that still do'),
    text: oneLine({ max: 200 }).optional().describe('Words that title or text must contain'),
    created_after: moment().optional().describe('Only tasks made at or after this time'),
    due_before: calendarDate().optional().describe('Only tasks due before this date'),
    limit: z.int().min(1).max(200).default(50).describe('How many at most'),
    offset: z.int().min(0).default(0).describe('How many to skip'),
    cursor: z.string().max(200).optional().describe('next_cursor of the page before'),
  }),
  output: z.object({
    tasks: z.array(taskSummary),
    total: z.int(),
    next_cursor: z.string().optional(),
  }),
  async run(context, input) {
    const {
      statuses,
      all,
      resolved,
      text,
      created_after,
      due_before,
      limit,
      offset,
      cursor,
      ...filter
    } = input
    const { store } = context
    const now = await store.now(context)
    const isBroad = all || statuses.length > 0 || resolved !== undefined
    const wanted = {
      ...(await toTaskFilter(store, filter)),
      state: isBroad ? ('any' as const) : ('open' as const),
      now,
      statuses: statuses.length === 0 ? undefined : statuses,
      resolved,
      words: text?.split(/\s+/),
      createdSince: created_after === undefined ? undefined : parseMoment(created_after),
      dueBefore: due_before,
    }
    const after = cursor === undefined ? undefined : parseCursor(cursor)
    const { tasks, total } = await store.tasks.page({ ...wanted, after, limit, offset })
    const last = tasks.at(-1)
    return {
      tasks: await toTaskSummaries(store, tasks, now),
      total,
      ...(tasks.length === limit &&
        last !== undefined && { next_cursor: toCursor(toPosition(last)) }),
    }
  },
  pages: {
    next: ({ next_cursor: cursor }) => (cursor === undefined ? undefined : { cursor, offset: 0 }),
    join: ({ tasks, total }, page) => ({ ...page, tasks: [...tasks, ...page.tasks], total }),
  },
  show: showTasks,
  showToAgent: showTasksToAgent,
})

/** Keyset cursor: the queue position where a page ended, so that concurrent changes do not cause skipped tasks. */
function toCursor({ priority, rank, due, number }: QueuePosition): string {
  return Buffer.from(JSON.stringify([priority, rank, due, number])).toString('base64url')
}

const position = z.tuple([z.int(), z.int(), z.string(), z.int()])

function parseCursor(cursor: string): QueuePosition {
  try {
    const text = Buffer.from(cursor, 'base64url').toString()
    const [priority, rank, due, number] = position.parse(JSON.parse(text))
    return { priority, rank, due, number }
  } catch {
    throw violation('cursor', 'bad_format', 'must be the next_cursor of an earlier page', {
      value: cursor,
    })
  }
}
