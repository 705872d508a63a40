import { groupBy } from '../../data/task/group-by.ts'
import type { Task } from '../../data/task/task.ts'
import { en } from '../../text/en.ts'

export const GROUPINGS = ['none', 'parent', 'label', 'assignee', 'priority'] as const
export type Grouping = (typeof GROUPINGS)[number]

/** A line of a column: the head of a group or a card. */
export type Line = { readonly head: string; readonly size: number } | { readonly number: number }

/** The group of a task, as its head says it. */
function groupOf(
  task: Task,
  grouping: Grouping,
  titleOf: (number: number) => string | undefined,
): string {
  switch (grouping) {
    case 'parent':
      return task.parent === undefined ? '–' : `#${task.parent} ${titleOf(task.parent) ?? ''}`
    case 'label':
      return task.labels[0] ?? '–'
    case 'assignee':
      return task.holder?.name ?? task.assignee ?? '–'
    case 'priority':
      return en.priorities[task.priority] ?? String(task.priority)
    case 'none':
      return ''
  }
}

/** Puts cards of one group together, in the order of their first cards. */
export function toLines(
  tasks: readonly Task[],
  grouping: Grouping,
  titleOf: (number: number) => string | undefined,
): readonly Line[] {
  if (grouping === 'none') return tasks.map(({ number }) => ({ number }))
  const groups = groupBy(tasks, (task) => groupOf(task, grouping, titleOf))
  return [...groups].flatMap(([head, members]): readonly Line[] => [
    { head, size: members.length },
    ...members.map(({ number }) => ({ number })),
  ])
}
