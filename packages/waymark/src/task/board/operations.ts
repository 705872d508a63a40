import * as z from 'zod'
import type { ReadContext } from '../../core/context.ts'
import { defineOperation } from '../../core/operation.ts'
import { documentedAs } from '../../core/input/schema.ts'
import { counted, line, table } from '../../core/show.ts'
import { yieldToEventLoop } from '../../support/yield-to-event-loop.ts'
import { queueFilter, toTaskFilter } from '../queue/filter.ts'
import { allOf, type Condition } from '../queue/selection-store.ts'
import { settleExpiredLeases } from '../lease/expire-leases.ts'
import { BOARD_COLUMNS, type Card, CARD_COLUMNS, type CardRow, toCardRow } from './card.ts'
import { withQuestions } from './questions.ts'

const DAY = 24 * 60 * 60 * 1000

/** Read in one go, before other requests get their turn. */
const ROWS_AT_ONCE = 1000

/** Not checked value by value, which would hold the event loop for as long as reading them. */
const rows = documentedAs(z.unknown() as z.ZodType<CardRow[]>, () => ({
  type: 'array',
  items: { type: 'array', items: { type: ['string', 'number', 'array', 'null'] } },
  description: 'The values of each task, in the order of the columns',
}))

const countByColumn = z.record(z.enum(BOARD_COLUMNS), z.int())

const boardView = z.object({
  cursor: z.int().describe('The newest event that the rows contain; follow event.stream from it'),
  now: z.int().describe('The time of the store, in milliseconds since 1970'),
  columns: z.array(z.enum(CARD_COLUMNS)).describe('Names of the values in a row'),
  rows,
  counts: countByColumn.describe('How many of the rows stand in each column'),
  totals: countByColumn.describe('How many tasks of the project do'),
})

export const showBoard = defineOperation({
  name: 'board.show',
  summary: 'All tasks of the board in compact rows, for programs that draw it',
  example: '--label parser',
  effect: 'read',
  input: queueFilter.extend({
    done_days: z.int().min(0).max(365).default(7).describe('Tasks closed in so many days'),
    columns: z
      .array(z.enum(CARD_COLUMNS))
      .max(CARD_COLUMNS.length)
      .default([])
      .describe('Only these values of a task; all when empty'),
  }),
  output: boardView,
  async run(context, { done_days, columns: wanted, ...filter }) {
    await settleExpiredLeases(context)
    const { store } = context
    // Before the rows are read: what changes meanwhile comes once more with the stream.
    const cursor = await store.events.latest()
    const now = await store.now(context)
    const columns = wanted.length === 0 ? [...CARD_COLUMNS] : wanted
    const selection = { ...(await toTaskFilter(store, filter)), state: 'any' as const, now }
    const counts = { ready: 0, in_progress: 0, waiting: 0, to_verify: 0, done: 0 }
    const rows: CardRow[] = []
    const open = await store.tasks.conditionOf({ ...selection, resolved: false })
    const done = allOf([
      await store.tasks.conditionOf({ ...selection, resolved: true }),
      changedSince(now - done_days * DAY),
    ])
    for (const condition of [open, done]) {
      for await (const cards of inPieces(context, condition, now)) {
        for (const card of cards) {
          counts[card.column] += 1
          rows.push(toCardRow(card, columns))
        }
      }
    }
    return { cursor, now, columns, rows, counts, totals: await store.tasks.countColumns(now) }
  },
  show: ({ totals, rows }) => [
    table(Object.entries(totals), [
      { head: 'COLUMN', value: ([column]) => column.replace('_', ' ') },
      { head: 'TASKS', value: ([, count]) => count },
    ]),
    line`${counted(rows.length, 'row')}; --json prints them`,
  ],
})

function changedSince(time: number): Condition {
  return {
    where: `t.id IN (SELECT id FROM entity WHERE updated_at >= ? AND type = 'task')`,
    values: [time],
  }
}

async function* inPieces(
  context: ReadContext,
  condition: Condition,
  now: number,
): AsyncGenerator<readonly Card[]> {
  let after = 0
  for (;;) {
    const piece = allOf([condition, { where: 't.number > ?', values: [after] }])
    const cards = await context.store.tasks.cards({ condition: piece, now, limit: ROWS_AT_ONCE })
    yield await withQuestions(context, cards)
    const last = cards.at(-1)
    if (last === undefined || cards.length < ROWS_AT_ONCE) return
    after = last.number
    await yieldToEventLoop(context.signal)
  }
}
