import {
  type Block,
  bold,
  type Column,
  counted,
  dim,
  joined,
  line,
  own,
  paragraphs,
  table,
} from '../core/show.ts'
import { showQuestions } from '../message/show.ts'
import type { ProjectStatus } from './operations.ts'
import type { Overview } from './status.ts'

export function showProjectStatus(status: ProjectStatus): readonly Block[] {
  const tasks = Object.entries(status.tasks)
    .filter(([, count]) => count !== 0)
    .map(([name, count]) => line`${count} ${name}`)
  return [
    line`${status.name}`,
    line`tasks: ${tasks.length === 0 ? own('none') : joined(tasks)}`,
    line`ready: ${status.ready} (${status.claimable} to be had), blocked: ${status.blocked}`,
    line`agents: ${status.agents_online}, holding ${counted(status.active_leases, 'task')}`,
    ...status.suggestions.map((text) => line`→ ${text}`),
  ]
}

interface Named {
  readonly number: number
  readonly title: string
}

const TASK: readonly Column<Named>[] = [
  { head: 'TASK', value: ({ number }) => number },
  { head: 'TITLE', value: ({ title }) => title },
]

const HELD: readonly Column<Overview['holding'][number]>[] = [
  ...TASK,
  { head: 'LEFT', value: ({ seconds_left }) => `${Math.floor(seconds_left / 60)} min` },
]

const READY: readonly Column<Overview['ready'][number]>[] = [
  ...TASK,
  { head: 'PRIORITY', value: ({ priority }) => priority },
]

const BLOCKED: readonly Column<Overview['blocked'][number]>[] = [
  ...TASK,
  { head: 'WAITS FOR', value: ({ waits_for }) => joined(waits_for) },
]

const RECENT: readonly Column<Overview['recent'][number]>[] = [
  { head: 'WHEN', value: ({ at }) => at.slice(0, 16).replace('T', ' ') },
  { head: 'WHAT', value: ({ number, what }) => line`${number} ${what}` },
  { head: 'TITLE', value: ({ title }) => title },
  { head: 'BY', value: ({ by }) => by },
]

/** The default view: the next step on the first line, then tables, then the commands that show more. */
export function showOverview(overview: Overview): readonly Block[] {
  const { holding, ready, blocked, recent } = overview
  return paragraphs([
    [line`${bold(overview.project)}: ${overview.next}`],
    showQuestions(overview.questions),
    titled('You hold', holding, HELD),
    titled(`Ready (${overview.ready_total})`, ready, READY),
    titled(`Blocked (${overview.blocked_total})`, blocked, BLOCKED),
    titled('Lately', recent, RECENT),
    [
      dim(
        line`${overview.unread} unread (waymark inbox) · ${overview.agents_online} agents online · ${overview.unsent} not synced (waymark sync)`,
      ),
    ],
  ])
}

function titled<Row>(
  title: string,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
): readonly Block[] {
  return rows.length === 0 ? [] : [bold(own(title)), table(rows, columns)]
}
