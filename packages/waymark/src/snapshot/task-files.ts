import { type PriorityName, toPriorityName } from '../task/task.ts'
import { type SnapshotEntity, textOf } from './entry.ts'
import { GENERATED, inline, paragraphs, toDate } from './markdown.ts'

const GROUPS: readonly (readonly [PriorityName, string])[] = [
  ['urgent', 'Urgent'],
  ['high', 'High Priority'],
  ['normal', 'Normal Priority'],
  ['low', 'Low Priority'],
]

const NO_DATE = '9999'

/** Open tasks by urgency, then by date, then by number. */
export function activeTasksFile(tasks: readonly SnapshotEntity[]): string {
  const open = tasks.filter((task) => !isOver(task))
  const groups = GROUPS.map(([priority, title]) => {
    const members = open
      .filter((task) => priorityOf(task) === priority)
      .toSorted((a, b) => compare(dueOf(a), dueOf(b)) || a.number - b.number)
    return members.length === 0 ? undefined : `## ${title}\n\n${members.map(toOpenItem).join('\n')}`
  })
  return paragraphs(
    GENERATED,
    '# Active Tasks',
    open.length === 0 ? 'No active tasks.' : undefined,
    ...groups,
    stamp(tasks),
  )
}

/** What is over, newest first. */
export function completedTasksFile(tasks: readonly SnapshotEntity[]): string {
  const over = tasks
    .filter(isOver)
    .toSorted((a, b) => b.updatedAt - a.updatedAt || b.number - a.number)
  return paragraphs(
    GENERATED,
    '# Completed Tasks',
    over.length === 0 ? 'No completed tasks.' : over.map(toClosedItem).join('\n'),
    stamp(tasks),
  )
}

function isOver({ status }: SnapshotEntity): boolean {
  return status === 'done' || status === 'cancelled'
}

function toOpenItem(task: SnapshotEntity): string {
  const mark = task.status === 'blocked' ? ' [blocked]' : ''
  const details = [
    ['Due', textOf(task, 'due_date')],
    ['Assignee', textOf(task, 'assignee')],
    ['Tags', task.tags.join(', ')],
  ]
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => `${name}: ${inline(value ?? '')}`)
  const second = details.length === 0 ? '' : `\n  ${details.join(' | ')}`
  return `- [ ] **${inline(task.title)}** ${nameOf(task)}${mark}${second}`
}

function toClosedItem(task: SnapshotEntity): string {
  const verb = task.status === 'cancelled' ? 'Cancelled' : 'Completed'
  return `- [x] **${inline(task.title)}** ${nameOf(task)} ${verb} ${toDate(task.updatedAt)}`
}

function nameOf({ number, id }: SnapshotEntity): string {
  return `#${number} (${id.slice(0, 7)})`
}

/** The newest change shown here, not the time of writing, so that the file is reproducible. */
function stamp(tasks: readonly SnapshotEntity[]): string | undefined {
  const newest = tasks.reduce((latest, { updatedAt }) => Math.max(latest, updatedAt), 0)
  return newest === 0 ? undefined : `_Last change: ${new Date(newest).toISOString()}_`
}

function priorityOf({ properties }: SnapshotEntity): PriorityName {
  const { priority } = properties
  return toPriorityName(typeof priority === 'number' ? priority : 500)
}

function dueOf(task: SnapshotEntity): string {
  return textOf(task, 'due_date') ?? NO_DATE
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
