import * as z from 'zod'
import type { ReadContext } from '../core/context.ts'
import { defineOperation } from '../core/operation.ts'
import { counted, line } from '../core/show.ts'
import { label } from '../entity/view.ts'

const DAY = 24 * 60 * 60 * 1000
/** Rows behind a figure that are looked at, and that are sent. */
const MOST_ROWS = 2000
const SHOWN = 20

const duration = z.int().describe('Milliseconds')
const row = z.object({
  number: z.int().optional(),
  title: z.string(),
  value: z.int().describe('Milliseconds, or how many wait'),
})
const figure = z.object({
  count: z.int(),
  median: duration,
  total: duration,
  rows: z.array(row).describe('What it is made of, the largest first'),
})

export const showInsight = defineOperation({
  name: 'insight.show',
  summary: 'Show how work flows: throughput, lead time, time that waited for people, blockers',
  example: '--days 7',
  effect: 'read',
  input: z.object({
    days: z.int().min(1).max(365).default(7).describe('How many days back'),
  }),
  output: z.object({
    days: z.int(),
    done_by_day: z
      .array(z.tuple([z.int(), z.int()]))
      .describe('Begin of the day in milliseconds since 1970 (UTC), tasks finished'),
    lead_time: figure.describe('From the creation of a task to its completion'),
    verification: figure.describe('How long finished work waited to be verified'),
    questions: figure.describe('How long questions to the person waited for an answer'),
    waited_for_people: duration.describe('Verification and questions together'),
    waiting_longest: z.array(row).describe('Open tasks that wait for others, and since when'),
    unblocks_most: z.array(row).describe('Open tasks, and how many wait for them'),
  }),
  async run(context, { days }) {
    const { insights } = context.store
    const now = await context.store.now(context)
    const since = now - days * DAY
    const finished = (await insights.finished(since, MOST_ROWS)).filter(
      ({ completedAt }) => Date.parse(completedAt) >= since,
    )
    const checked = finished.filter(({ needsVerification }) => needsVerification === 1)
    const verification = toFigure(
      checked.map(({ number, title, completedAt, verifiedAt }) => ({
        number,
        title,
        value: (verifiedAt === null ? now : Date.parse(verifiedAt)) - Date.parse(completedAt),
      })),
    )
    const questions = await askedFigure(context, since, now)
    return {
      days,
      done_by_day: toDays(finished.map(({ completedAt }) => Date.parse(completedAt))),
      lead_time: toFigure(
        finished.map(({ number, title, createdAt, completedAt }) => ({
          number,
          title,
          value: Date.parse(completedAt) - createdAt,
        })),
      ),
      verification,
      questions,
      waited_for_people: verification.total + questions.total,
      waiting_longest: (await insights.waitingLongest(SHOWN)).map(
        ({ number, title, createdAt }) => ({ number, title, value: toLength(now - createdAt) }),
      ),
      unblocks_most: (await insights.unblocksMost(SHOWN)).map(({ number, title, waiting }) => ({
        number,
        title,
        value: waiting,
      })),
    }
  },
  show: ({ days, lead_time, waited_for_people, unblocks_most: [first] }) => [
    line`${counted(lead_time.count, 'task')} finished in ${counted(days, 'day')}`,
    line`half of them within ${toHours(lead_time.median)} of their creation`,
    line`agents and finished work waited ${toHours(waited_for_people)} for people`,
    ...(first === undefined
      ? []
      : [
          line`unblocks most: ${label({ number: first.number ?? 0, title: first.title })}, ${first.value} wait`,
        ]),
  ],
})

type FigureRow = z.output<typeof row>

/** Longer than any project; the sum of as many as are looked at is still a whole number. */
const LONGEST = 100 * 365 * DAY

/** A negative length comes from clocks that differ between clones, any other from a line of the log that was forged. */
function toLength(value: number): number {
  return Number.isFinite(value) ? Math.min(Math.max(0, Math.round(value)), LONGEST) : 0
}

function toFigure(rows: readonly FigureRow[]) {
  const sorted = rows
    .map((one) => ({ ...one, value: toLength(one.value) }))
    .toSorted((one, other) => other.value - one.value)
  return {
    count: sorted.length,
    median: sorted[Math.floor(sorted.length / 2)]?.value ?? 0,
    total: sorted.reduce((sum, { value }) => sum + value, 0),
    rows: sorted.slice(0, SHOWN),
  }
}

async function askedFigure({ store }: ReadContext, since: number, now: number) {
  const asked = await store.insights.questions(since, MOST_ROWS)
  return toFigure(
    asked.map(({ id, at, answeredAt, number, title }) => ({
      ...(number !== null && { number }),
      title: title ?? `message ${id}`,
      value: (answeredAt ?? now) - at,
    })),
  )
}

function toDays(times: readonly number[]): [number, number][] {
  const days = new Map<number, number>()
  for (const time of times) {
    const day = Math.floor(time / DAY) * DAY
    days.set(day, (days.get(day) ?? 0) + 1)
  }
  return [...days].toSorted(([one], [other]) => one - other)
}

function toHours(milliseconds: number): string {
  const minutes = Math.round(milliseconds / 60_000)
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`
}
