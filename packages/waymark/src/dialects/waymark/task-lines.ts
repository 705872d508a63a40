import type { TaskLabel, TaskSummary, TaskView } from '../../operations/task-view.ts'
import type { Trust } from '../../operations/trust.ts'
import { type Fields, pick, pickTrust } from './define-tool.ts'

/** A task in a list, without ids that nobody can remember. */
export function toTaskRow(task: TaskSummary): Fields {
  return {
    ...pick(task, ['number', 'key', 'title', 'status', 'priority', 'due_date', 'defer_until']),
    ...pick(task, ['assignee', 'labels', 'verified', 'parked']),
    ...pick({ depends_on: task.depends_on.map(({ number }) => number) }, ['depends_on']),
    ...toHolder(task),
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

/** Everything about a task, and where it was looked up, how far it can be relied on. */
export function toWholeTask(task: TaskView & { readonly trust?: Trust }): Fields {
  const named = NEIGHBOURS.map((name) => [name, task[name].map(toLabel)] as const)
  return {
    ...toTaskRow(task),
    ...pick(task, ['content', 'acceptance_criteria', 'locks', 'task_type', 'close_reason']),
    ...pick(task, ['completed_by', 'completed_at', 'verified_by', 'created_by', 'updated_at']),
    ...pickTrust(task.trust),
    ...pick(Object.fromEntries(named), NEIGHBOURS),
    ...pick({ released: toRelease(task) }, ['released']),
  }
}

/** Who gave the task up, when and why, in one line of text: the words of another agent say whose they are. */
function toRelease({ last_release }: TaskView): string | undefined {
  if (last_release === undefined) return undefined
  const { agent_id, agent_name = agent_id, at, reason } = last_release
  return `by ${agent_name} at ${at}${reason === undefined ? '' : `: ${reason}`}`
}

export function toLabel({ number, title, status }: TaskLabel): string {
  return `#${number} ${title} (${status})`
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
    fact('due', task['due_date']),
    fact('not before', task['defer_until']),
    fact('for', task['assignee']),
    fact('needs', numbers(task['depends_on'])),
    fact('held by', task['holder'] ?? task['held_by']),
    fact('blocked by', list(task['blockers'])),
    task['parked'] === true ? 'set aside' : '',
  ]
  return [`#${String(number)} ${String(status)} p${String(priority)} ${String(title)}`, ...facts]
    .filter((part) => part !== '')
    .join(' · ')
}

/** A task with everything there is to know, one field on each line. */
export function toTaskText(task: Fields): string {
  const { number: _number, title: _title, status: _status, priority: _priority, ...rest } = task
  const { content, ...fields } = rest
  const lines = Object.entries(fields).map(([name, value]) =>
    Array.isArray(value)
      ? `${name}: ${value.map(String).join('; ')}`
      : `${name}: ${String(value as string | number | boolean)}`,
  )
  const { number, title, status, priority } = task
  const head = toTaskLine({ number, title, status, priority })
  return [head, ...lines, ...(typeof content === 'string' ? [content] : [])].join('\n')
}

function fact(name: string, value: unknown): string {
  return value === undefined || value === '' ? '' : `${name} ${String(value as string | number)}`
}

function numbers(value: unknown): string {
  return Array.isArray(value) ? value.map((number) => `#${String(number)}`).join(' ') : ''
}

function list(value: unknown): string {
  return Array.isArray(value) ? value.map(String).join(', ') : ''
}
