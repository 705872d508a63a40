import type { TaskLabel, TaskSummary, TaskView } from '../../../task/view.ts'
import type { Trust } from '../../../agent/trust.ts'
import { toTitle } from '../../../support/text/stored-text.ts'
import { describeReceived } from '../../../agent/trust-text.ts'
import { fieldLine, lines, pick, pickProvenance, plain, quotation, titled } from '../define-tool.ts'

/** A task in a list, without UUIDs: the number is enough to name it. */
export function toTaskRow(task: TaskSummary) {
  return {
    ...pick(task, ['number', 'key', 'title', 'status', 'priority', 'due_date', 'defer_until']),
    ...pick(task, ['assignee', 'labels', 'verified', 'parked']),
    ...pick({ depends_on: task.depends_on.map(({ number }) => number) }, ['depends_on']),
    ...toHolder(task),
    ...(task.received && { received: describeReceived(task.received).join(', ') }),
    ...pick(task, ['created_by']),
  }
}
export type TaskRow = ReturnType<typeof toTaskRow> & {
  readonly blockers?: readonly string[]
}

/** Other tasks that it has to do with. */
const NEIGHBOURS = [
  'blockers',
  'subtasks',
  'parents',
  'blocks',
  'discovered_from',
  'duplicates',
  'duplicated_by',
] as const

/** Lists whose items are already formatted and quoted. */
const FORMATTED_LISTS: ReadonlySet<string> = new Set([...NEIGHBOURS, 'overlaps'])

/** Everything about a task, and where it was looked up, how far it can be relied on. */
export function toWholeTask(task: TaskView & { readonly trust?: Trust }) {
  const named = NEIGHBOURS.map((name) => [name, task[name].map(toLabel)] as const)
  return {
    ...pickProvenance(task.trust),
    ...toTaskRow(task),
    ...pick(task, ['content', 'acceptance_criteria', 'locks', 'task_type', 'close_reason']),
    ...pick(task, ['completed_by', 'completed_at', 'verified_by', 'updated_at']),
    ...pick(Object.fromEntries(named), NEIGHBOURS),
    ...pick({ released: toRelease(task) }, ['released']),
  }
}
type WholeTask = ReturnType<typeof toWholeTask>

/** The last release of the task in one line: agent, time and reason, which is attributed to that agent. */
function toRelease({ last_release }: TaskView): string | undefined {
  if (last_release === undefined) return undefined
  const { agent_id, agent_name = agent_id, at, reason } = last_release
  return `by ${toTitle(agent_name)} at ${at}${reason === undefined ? '' : `: ${reason}`}`
}

export function toLabel({ number, title, status }: TaskLabel): string {
  return `#${number} ${toTitle(title)} (${status})`
}

interface Holder {
  readonly held_by?: string
  readonly holder?: string
  readonly fence?: number
  readonly lease_until?: string
}

function toHolder({ lease }: TaskSummary): Holder {
  if (lease === undefined) return {}
  return {
    held_by: lease.agent_id,
    ...(lease.agent_name !== undefined && { holder: lease.agent_name }),
    fence: lease.fence,
    lease_until: lease.expires_at,
  }
}

function toTaskLine(task: TaskRow): string {
  const { number, status, priority, title, depends_on = [], blockers = [] } = task
  const facts = [
    fact('due', named(task.due_date)),
    fact('not before', named(task.defer_until)),
    fact('for', named(task.assignee)),
    named(task.received),
    fact(task.received === undefined ? 'by' : 'says it is by', named(task.created_by)),
    fact('needs', depends_on.map((number) => `#${number}`).join(' ')),
    fact('held by', named(task.holder ?? task.held_by)),
    fact('blocked by', list(blockers)),
    task.parked === true ? 'set aside' : '',
  ]
  return [`#${plain(number)} ${plain(status)} p${plain(priority)} ${titled(title)}`, ...facts]
    .filter((part) => part !== '')
    .join(' · ')
}

/** A task with everything there is to know, one field on each line. */
export function toTaskText(task: WholeTask): string {
  const { content, ...fields } = task
  return [
    toTaskLine(pick(task, HEAD)),
    ...Object.entries(fields)
      .filter(([name]) => !HEAD.some((shown) => shown === name))
      .map(([name, value]) =>
        FORMATTED_LISTS.has(name) ? `${name}: ${list(value)}` : fieldLine([name, value]),
      ),
    ...quotation(content),
  ].join('\n')
}

const HEAD = ['number', 'title', 'status', 'priority'] as const

/** One line per task, then the notes. */
export function taskLines(tasks: readonly TaskRow[], ...more: readonly string[]): string {
  return lines(...tasks.map(toTaskLine), ...more)
}

/** A value behind its name, or nothing without one. */
export function labelled(name: string, value: unknown): string {
  if (value === undefined) return ''
  return `${name}: ${Array.isArray(value) ? value.map(plain).join(', ') : plain(value)}`
}

function fact(name: string, text: string): string {
  return text === '' ? '' : `${name} ${text}`
}

function named(value: string | undefined): string {
  return value === undefined ? '' : titled(value)
}

function list(value: unknown): string {
  return Array.isArray(value) ? value.map(plain).join('; ') : ''
}
