import { SIGNS_OF_LIFE } from '../../brief/changes.ts'
import { listAgents } from '../../agent/operations.ts'
import type { Context } from '../../core/context.ts'
import { execute } from '../../core/execute.ts'
import { due, joined, type Line, line, type Value } from '../../core/show.ts'
import { showPriority } from '../../entity/status-color.ts'
import { listEvents } from '../../event/operations.ts'
import { showSubject } from '../../event/show.ts'
import type { EventView } from '../../event/view.ts'
import { showHolder, titleWithCount } from '../../project/show.ts'
import type { Overview } from '../../project/status.ts'
import { toAge } from '../../support/text/age.ts'
import { toClock } from '../../support/text/time-words.ts'
import { readyTasks } from '../../task/queue/operations.ts'
import type { Section } from '../terminal/screen.ts'
import type { Choice, Kind } from './choice.ts'
import type { View } from './state.ts'

/** A part of the screen before it is fitted to the terminal. */
export type Part = Omit<Section, 'rows'> & { readonly rows: readonly PartRow[] }

interface PartRow {
  readonly cells: readonly Value[]
  readonly choice?: Choice
}

interface Shown {
  readonly view: View
  readonly overview: Overview
  /** How many lines the terminal has. */
  readonly rows: number
}

const EVENTS_READ = 50

/** The parts of a view, from top to bottom. */
export async function loadParts(context: Context, shown: Shown): Promise<readonly Part[]> {
  const { view, overview, rows } = shown
  switch (view) {
    case 'overview':
      return [...toSections(overview), toNews(await recentEvents(context, EVENTS_READ))]
    case 'agents':
      return [await agentsPart(context, rows)]
    case 'ready':
      return [await readyPart(context, rows)]
    case 'events':
      return [toNews(await recentEvents(context, EVENTS_READ + rows * 2))]
  }
}

async function recentEvents(context: Context, count: number): Promise<readonly EventView[]> {
  const { events } = await execute(context, listEvents, { newest: true, limit: count })
  return events.toReversed().filter(({ type }) => !SIGNS_OF_LIFE.includes(type))
}

async function agentsPart(context: Context, rows: number): Promise<Part> {
  const { agents } = await execute(context, listAgents, { limit: Math.max(1, rows) })
  return {
    title: (count) => titleWithCount('Agents', count, agents.length),
    main: 2,
    rows: agents.map(({ name, presence, held, branch }) => {
      const task = held[0]?.task
      const more = held.length > 1 ? ` and ${held.length - 1} more` : ''
      const does = task === undefined ? 'idle' : `#${task.number} ${task.title}${more}`
      return {
        cells: [name, presence, does, branch],
        ...(task !== undefined && { choice: { kind: 'held' as const, id: String(task.number) } }),
      }
    }),
  }
}

async function readyPart(context: Context, rows: number): Promise<Part> {
  const { tasks, total } = await execute(context, readyTasks, { limit: Math.max(1, rows) })
  return {
    title: (count) => titleWithCount('Ready', count, total),
    main: 1,
    rows: tasks.map(({ number, title, priority, due_date }) => ({
      cells: [`#${number}`, title, showPriority(priority), due(due_date ?? undefined)],
      choice: { kind: 'task', id: String(number) },
    })),
  }
}

function toSections(overview: Overview): readonly Part[] {
  const { questions, to_verify, overdue, held, ready, blocked } = overview
  return [
    {
      title: (shown) => titleWithCount('Questions to you', shown, questions.length),
      main: 1,
      rows: questions.map(({ id, number, text, from }) => {
        const name = id === undefined ? `#${number}` : `m${id}`
        return { cells: [name, text, from], choice: { kind: 'question', id: name } }
      }),
    },
    section('To verify', 'to_verify', overview.to_verify_total, to_verify, ({ by }) => [by]),
    section('Overdue', 'task', overview.overdue_total, overdue, ({ due_date }) => [due(due_date)]),
    section('In progress', 'held', overview.held_total, held, (work) => [
      showHolder(work),
      `${toAge(work.seconds)}${work.seconds_left === undefined ? '' : `, ${toAge(work.seconds_left)} left`}`,
    ]),
    section('Ready', 'task', overview.ready_total, ready, ({ priority }) => [
      showPriority(priority),
    ]),
    section('Blocked', 'task', overview.blocked_total, blocked, ({ why }) => [why]),
  ]
}

function section<Row extends { readonly number: number; readonly title: string }>(
  title: string,
  kind: Kind,
  total: number,
  rows: readonly Row[],
  more: (row: Row) => readonly Value[],
): Part {
  return {
    title: (shown) => titleWithCount(title, shown, total),
    main: 1,
    rows: rows.map((row) => ({
      cells: [`#${row.number}`, row.title, ...more(row)],
      choice: { kind, id: String(row.number) },
    })),
  }
}

/** The newest events at the bottom, as in a log. */
function toNews(events: readonly EventView[]): Part {
  return {
    title: () => 'Lately',
    showsLast: true,
    main: 2,
    // One cell, so that a narrow screen cuts the title and not what happened to it.
    rows: events.map((event) => ({
      cells: [
        toClock(Date.parse(event.at)),
        event.agent,
        line`${toVerb(event.type)} ${showSubject(event)}`,
      ],
    })),
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
