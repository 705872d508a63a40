import { SIGNS_OF_LIFE } from '../../brief/changes.ts'
import type { Context } from '../../core/context.ts'
import { execute } from '../../core/execute.ts'
import { due, joined, type Line, line, type Value } from '../../core/show.ts'
import { showPriority } from '../../entity/status-color.ts'
import { listEvents } from '../../event/operations.ts'
import { showSubject } from '../../event/show.ts'
import type { EventView } from '../../event/view.ts'
import { showCounts, showHolder, titleWithCount } from '../../project/show.ts'
import { type Overview, showStatus } from '../../project/status.ts'
import { toAge } from '../../support/text/age.ts'
import { toClock } from '../../support/text/time-words.ts'
import { toCell } from './print.ts'
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
    heading: toCell(showCounts(overview), terminal).text,
    sections: [...toSections(overview), toNews(news)].map(({ rows, ...section }) => ({
      ...section,
      rows: rows.map((row) => row.map((value) => toCell(line`${value}`, terminal))),
    })),
    hint: HINT,
  }
  return await drawScreen(screen, terminal)
}

type Part = Omit<Section, 'rows'> & { readonly rows: readonly (readonly Value[])[] }

function toSections(overview: Overview): readonly Part[] {
  const { questions, to_verify, overdue, held, ready, blocked } = overview
  return [
    {
      title: (shown) => titleWithCount('Questions to you', shown, questions.length),
      main: 1,
      rows: questions.map(({ id, number, text, from }) => [
        id === undefined ? `#${number}` : `m${id}`,
        text,
        from,
      ]),
    },
    section('To verify', overview.to_verify_total, to_verify, ({ by }) => [by]),
    section('Overdue', overview.overdue_total, overdue, ({ due_date }) => [due(due_date)]),
    section('In progress', overview.held_total, held, (work) => [
      showHolder(work),
      `${toAge(work.seconds)}${work.seconds_left === undefined ? '' : `, ${toAge(work.seconds_left)} left`}`,
    ]),
    section('Ready', overview.ready_total, ready, ({ priority }) => [showPriority(priority)]),
    section('Blocked', overview.blocked_total, blocked, ({ why }) => [why]),
  ]
}

function section<Row extends { readonly number: number; readonly title: string }>(
  title: string,
  total: number,
  rows: readonly Row[],
  more: (row: Row) => readonly Value[],
): Part {
  return {
    title: (shown) => titleWithCount(title, shown, total),
    main: 1,
    rows: rows.map((row) => [`#${row.number}`, row.title, ...more(row)]),
  }
}

/** The newest events at the bottom, as in a log. */
function toNews(events: readonly EventView[]): Part {
  return {
    title: () => 'Lately',
    showsLast: true,
    main: 2,
    // One cell, so that a narrow screen cuts the title and not what happened to it.
    rows: events.map((event) => [
      toClock(Date.parse(event.at)),
      event.agent,
      line`${toVerb(event.type)} ${showSubject(event)}`,
    ]),
  }
}

/** One event of those that are followed: `14:05  ada claimed: #12 Use SQLite` */
export function showNews(event: EventView): Line {
  const who = joined([event.agent, toVerb(event.type)], ' ')
  return line`${toClock(Date.parse(event.at))}  ${who}: ${showSubject(event)}`
}

/** `claimed` of `task.claimed`; of other nouns both words: `message sent`. */
function toVerb(type: string): string {
  const [noun = '', verb = ''] = type.split('.')
  return noun === 'task' || noun === 'entity' ? verb : `${noun} ${verb}`
}
