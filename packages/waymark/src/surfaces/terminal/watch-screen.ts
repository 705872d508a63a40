import { SIGNS_OF_LIFE } from '../../brief/changes.ts'
import type { Context } from '../../core/context.ts'
import { execute } from '../../core/execute.ts'
import type { Line } from '../../core/show.ts'
import { listEvents } from '../../event/operations.ts'
import { showSubject } from '../../event/show.ts'
import type { EventView } from '../../event/view.ts'
import { showCounts, showHolder, titleWithCount } from '../../project/show.ts'
import { type Overview, showStatus } from '../../project/status.ts'
import { toAge } from '../../support/text/age.ts'
import { toPriorityName } from '../../task/task.ts'
import { plain } from './escape.ts'
import { drawScreen, type Section } from './screen.ts'
import type { Terminal } from './terminal.ts'

const EVENTS_READ = 50
const HINT = 'q quit · waymark status, tasks and events show more'

/** The project at a glance, fitted to the terminal. */
export async function drawWatch(context: Context, terminal: Terminal): Promise<string> {
  const overview = await execute(context, showStatus, {})
  const since = Math.max(0, (await context.store.events.latest()) - EVENTS_READ)
  const { events } = await execute(context, listEvents, { since })
  const news = events.filter(({ type }) => !SIGNS_OF_LIFE.includes(type))
  const screen = {
    heading: toText(showCounts(overview)),
    sections: [...toSections(overview), toNews(news)],
    hint: HINT,
  }
  return await drawScreen(screen, terminal)
}

function toSections(overview: Overview): readonly Section[] {
  const { questions, to_verify, overdue, held, ready, blocked } = overview
  return [
    {
      title: (shown) => titleWithCount('Questions to you', shown, questions.length),
      rows: questions.map(({ id, number, text, from }) =>
        [id === undefined ? `#${number}` : `m${id}`, text, from].map(plain),
      ),
    },
    section('To verify', overview.to_verify_total, to_verify, ({ by }) => [by]),
    section('Overdue', overview.overdue_total, overdue, ({ due_date }) => [due_date]),
    section('In progress', overview.held_total, held, (work) => [
      toText(showHolder(work.agent, work.client)),
      `${toAge(work.seconds)}${work.seconds_left === undefined ? '' : `, ${toAge(work.seconds_left)} left`}`,
    ]),
    section('Ready', overview.ready_total, ready, ({ priority }) => [toPriorityName(priority)]),
    section('Blocked', overview.blocked_total, blocked, ({ why }) => [why]),
  ]
}

function section<Row extends { readonly number: number; readonly title: string }>(
  title: string,
  total: number,
  rows: readonly Row[],
  more: (row: Row) => readonly (string | undefined)[],
): Section {
  return {
    title: (shown) => titleWithCount(title, shown, total),
    rows: rows.map((row) => [`#${row.number}`, row.title, ...more(row)].map(plain)),
  }
}

/** The newest events at the bottom, as in a log. */
function toNews(events: readonly EventView[]): Section {
  return {
    title: () => 'Lately',
    showsLast: true,
    rows: events.map((event) =>
      [toClock(event.at), event.agent, toVerb(event.type), toText(showSubject(event))].map(plain),
    ),
  }
}

/** `claimed` of `task.claimed`; of other nouns both words: `message sent`. */
function toVerb(type: string): string {
  const [noun = '', verb = ''] = type.split('.')
  return noun === 'task' || noun === 'entity' ? verb : `${noun} ${verb}`
}

/** The time of day, here. */
function toClock(at: string): string {
  const time = new Date(at)
  return [time.getHours(), time.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':')
}

function toText(line: Line): string {
  return line.map(({ text }) => text).join('')
}
