import type { TaskLabel, TaskSummary, TaskView } from '../../task/view.ts'
import type { Trust } from '../../agent/trust.ts'
import { toTitle } from '../../support/text/stored-text.ts'
import { describeReceived } from '../../agent/trust-text.ts'
import { fieldLine, type Fields, pick, pickTrust, plain, quotation, titled } from './define-tool.ts'

/** A task in a list, without ids that nobody can remember. */
export function toTaskRow(task: TaskSummary): Fields {
  return {
    ...pick(task, ['number', 'key', 'title', 'status', 'priority', 'due_date', 'defer_until']),
    ...pick(task, ['assignee', 'labels', 'verified', 'parked']),
    ...pick({ depends_on: task.depends_on.map(({ number }) => number) }, ['depends_on']),
    ...toHolder(task),
    ...(task.received && { received: describeReceived(task.received).join(', ') }),
    ...pick(task, ['created_by']),
  }
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

/** Lists whose items we have spelt ourselves, with quotes where they must be. */
const SPELT: ReadonlySet<string> = new Set([...NEIGHBOURS, 'overlaps'])

/** Everything about a task, and where it was looked up, how far it can be relied on. */
export function toWholeTask(task: TaskView & { readonly trust?: Trust }): Fields {
  const named = NEIGHBOURS.map((name) => [name, task[name].map(toLabel)] as const)
  return {
    ...pickTrust(task.trust),
    ...toTaskRow(task),
    ...pick(task, ['content', 'acceptance_criteria', 'locks', 'task_type', 'close_reason']),
    ...pick(task, ['completed_by', 'completed_at', 'verified_by', 'updated_at']),
    ...pick(Object.fromEntries(named), NEIGHBOURS),
    ...pick({ released: toRelease(task) }, ['released']),
  }
}

/** Who gave the task up, when and why, in one line of text: the words of another agent say whose they are. */
function toRelease({ last_release }: TaskView): string | undefined {
  if (last_release === undefined) return undefined
  const { agent_id, agent_name = agent_id, at, reason } = last_release
  return `by ${toTitle(agent_name)} at ${at}${reason === undefined ? '' : `: ${reason}`}`
}

export function toLabel({ number, title, status }: TaskLabel): string {
  return `#${number} ${toTitle(title)} (${status})`
}

function toHolder({ lease }: TaskSummary): Fields {
  if (lease === undefined) return {}
  return {
    held_by: lease.agent_id,
    ...(lease.agent_name !== undefined && { holder: lease.agent_name }),
    fence: lease.fence,
    lease_until: lease.expires_at,
  }
}

export function toTaskLine(task: Fields): string {
  const { number, status, priority, title } = task
  const facts = [
    fact('due', named(task['due_date'])),
    fact('not before', named(task['defer_until'])),
    fact('for', named(task['assignee'])),
    named(task['received']),
    fact(task['received'] === undefined ? 'by' : 'says it is by', named(task['created_by'])),
    fact('needs', numbers(task['depends_on'])),
    fact('held by', named(task['holder'] ?? task['held_by'])),
    fact('blocked by', list(task['blockers'])),
    task['parked'] === true ? 'set aside' : '',
  ]
  return [`#${plain(number)} ${plain(status)} p${plain(priority)} ${titled(title)}`, ...facts]
    .filter((part) => part !== '')
    .join(' · ')
}

/** A task with everything there is to know, one field on each line. */
export function toTaskText(task: Fields): string {
  const { number: _number, title: _title, status: _status, priority: _priority, ...rest } = task
  const { content, ...fields } = rest
  const lines = Object.entries(fields).map(([name, value]) =>
    SPELT.has(name) ? `${name}: ${list(value)}` : fieldLine([name, value]),
  )
  const { number, title, status, priority } = task
  const head = toTaskLine({ number, title, status, priority })
  return [head, ...lines, ...quotation(content)].join('\n')
}

function fact(name: string, text: string): string {
  return text === '' ? '' : `${name} ${text}`
}

function named(value: unknown): string {
  return value === undefined ? '' : titled(value)
}

function numbers(value: unknown): string {
  return Array.isArray(value) ? value.map((number) => `#${plain(number)}`).join(' ') : ''
}

function list(value: unknown): string {
  return Array.isArray(value) ? value.map(plain).join('; ') : ''
}
