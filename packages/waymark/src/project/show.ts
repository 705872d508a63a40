import {
  type Block,
  bold,
  type Column,
  counted,
  dim,
  due,
  joined,
  type Line,
  line,
  own,
  paragraphs,
  table,
} from '../core/show.ts'
import { showPlace } from '../agent/show.ts'
import { showQuestions } from '../message/show.ts'
import { showPriority } from '../entity/status-color.ts'
import { toAge } from '../support/text/age.ts'
import type { ProjectStatus } from './operations.ts'
import type { Overview } from './status.ts'

export function showProjectStatus(status: ProjectStatus): readonly Block[] {
  const tasks = Object.entries(status.tasks)
    .filter(([, count]) => count !== 0)
    .map(([name, count]) => line`${count} ${name}`)
  return [
    line`${status.name}`,
    line`tasks: ${tasks.length === 0 ? own('none') : joined(tasks)}`,
    line`ready: ${status.ready}, ${status.claimable} unclaimed; blocked: ${status.blocked}`,
    line`agents: ${status.agents_online}, holding ${counted(status.active_leases, 'task')}`,
    ...status.suggestions.map((text) => line`→ ${text}`),
  ]
}

interface Named {
  readonly number: number
  readonly title: string
}

const TASK: readonly Column<Named>[] = [
  { head: 'TASK', value: ({ number }) => line`#${number}` },
  { head: 'TITLE', value: ({ title }) => title, isMain: true },
]

const HELD: readonly Column<Overview['held'][number]>[] = [
  ...TASK,
  { head: 'WHO', value: showHolder },
  { head: 'SINCE', value: ({ seconds }) => toAge(seconds) },
  { head: 'LEFT', value: ({ seconds_left: left }) => (left === undefined ? '' : toAge(left)) },
]

const CHANGED_TWICE: readonly Column<Overview['changed_twice'][number]>[] = [
  { head: 'ID', value: ({ number }) => line`#${number}` },
  { head: 'TITLE', value: ({ title }) => title, isMain: true },
  { head: 'WHAT', value: ({ fields }) => joined(fields) },
  { head: 'CHOOSE', value: ({ number }) => line`waymark resolve ${number} keep|other|both` },
]

const DONE: readonly Column<Overview['to_verify'][number]>[] = [
  ...TASK,
  { head: 'BY', value: ({ by }) => by },
]

const OVERDUE: readonly Column<Overview['overdue'][number]>[] = [
  ...TASK,
  { head: 'DUE', value: ({ due_date }) => due(due_date) },
]

const READY: readonly Column<Overview['ready'][number]>[] = [
  ...TASK,
  { head: 'PRIORITY', value: ({ priority }) => showPriority(priority) },
]

const BLOCKED: readonly Column<Overview['blocked'][number]>[] = [
  ...TASK,
  { head: 'WAITS FOR', value: ({ why }) => why },
]

const AGENTS: readonly Column<Overview['agents'][number]>[] = [
  { head: 'NAME', value: ({ name }) => name },
  { head: 'PRESENCE', value: ({ presence }) => presence },
  { head: 'WORKTREE', value: showPlace },
  { head: 'HOLDS', value: ({ holds }) => joined(holds.map((number) => line`#${number}`)) },
]

const RECENT: readonly Column<Overview['recent'][number]>[] = [
  { head: 'AGO', value: ({ seconds }) => toAge(seconds) },
  { head: 'WHAT', value: ({ number, what }) => line`#${number} ${what}` },
  { head: 'TITLE', value: ({ title }) => title, isMain: true },
  { head: 'BY', value: ({ by }) => by },
]

/** The agent, the program that it runs in unless its name says so already, and holders in other clones. */
export function showHolder(work: Overview['held'][number]): Line {
  const { agent, client, other_clones: others = [] } = work
  const isNamed = client === undefined || client.startsWith(agent)
  const here = isNamed ? line`${agent}` : line`${agent} (${client})`
  const isElsewhere = work.seconds_left === undefined && others.length > 0
  return joined([
    isElsewhere ? undefined : here,
    ...others.map((name) => line`${name}, other clone`),
  ])
}

/** The project at a glance, for a person: what needs one first, then what runs by itself. */
export function showOverview(overview: Overview): readonly Block[] {
  const { unpushed, push_refusal: refusal } = overview
  const { held, questions, changed_twice, to_verify, overdue, ready, blocked, agents, recent } =
    overview
  return paragraphs([
    [showCounts(overview)],
    showQuestions(questions),
    titled('Changed on both sides', changed_twice, { columns: CHANGED_TWICE }),
    titled('To verify', to_verify, { total: overview.to_verify_total, columns: DONE }),
    titled('Overdue', overdue, { total: overview.overdue_total, columns: OVERDUE }),
    titled('In progress', held, { total: overview.held_total, columns: HELD }),
    titled('Agents', agents, { columns: AGENTS }),
    titled('Ready', ready, { total: overview.ready_total, columns: READY }),
    titled('Blocked', blocked, { total: overview.blocked_total, columns: BLOCKED }),
    titled('Lately', recent, { columns: RECENT }),
    [
      dim(
        line`${overview.unread} unread · ${counted(overview.agents_online, 'agent')} online · ${overview.unsent} not synced${unpushed > 0 ? line` · ${unpushed} not pushed` : undefined}`,
      ),
      ...(refusal === undefined ? [] : [line`warning: not pushed: ${refusal}`]),
      ...showModel(overview),
      dim(own('more: waymark tasks · inbox · watch · sync')),
    ],
  ])
}

function showModel({ search }: Overview): readonly Line[] {
  if (search === undefined) return []
  const { model, vectors, pending } = search
  return [dim(line`search: ${model} has seen ${vectors} of ${vectors + pending} texts`)]
}

/** `shop: 2 in progress, 3 ready, 1 blocked` */
export function showCounts(overview: Overview): Line {
  const counts: readonly (readonly [number, string])[] = [
    [overview.questions.length, overview.questions.length === 1 ? 'question' : 'questions'],
    [overview.changed_twice.length, 'changed on both sides'],
    [overview.to_verify_total, 'to verify'],
    [overview.overdue_total, 'overdue'],
    [overview.held_total, 'in progress'],
    [overview.ready_total, 'ready'],
    [overview.blocked_total, 'blocked'],
  ]
  const shown = counts.filter(([count]) => count > 0).map(([count, name]) => `${count} ${name}`)
  return line`${bold(overview.project)}: ${own(shown.length === 0 ? 'no open tasks' : shown.join(', '))}`
}

/** `Blocked (8)`, or `Blocked (5 of 8)` where not all are shown. */
export function titleWithCount(title: string, shown: number, total: number | undefined): string {
  if (total === undefined) return title
  return shown < total ? `${title} (${shown} of ${total})` : `${title} (${total})`
}

function titled<Row>(
  title: string,
  rows: readonly Row[],
  { total, columns }: { readonly total?: number; readonly columns: readonly Column<Row>[] },
): readonly Block[] {
  if (rows.length === 0) return []
  const heading = bold(own(titleWithCount(title, rows.length, total)))
  return [heading, table(rows, columns, { isSparse: true })]
}
