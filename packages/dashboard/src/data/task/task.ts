/** Where a task stands on the board. Computed from facts, never set by hand. */
export const COLUMNS = ['ready', 'in_progress', 'waiting', 'to_verify', 'done'] as const
export type Column = (typeof COLUMNS)[number]

/** A task as lists and boards show it. Times are milliseconds since 1970. */
export interface Task {
  readonly number: number
  readonly id: string
  readonly title: string
  readonly status: string
  readonly column: Column | undefined
  readonly priority: number
  /** Its place by hand within its priority; 0 for most. */
  readonly rank: number
  readonly updatedAt: number
  readonly labels: readonly string[]
  readonly assignee: string | undefined
  readonly due: string | undefined
  readonly deferUntil: number | undefined
  readonly parent: number | undefined
  readonly holder: Holder | undefined
  /** Open tasks that it waits for. */
  readonly waitsFor: readonly number[]
  /** Its parts: how many are closed, and of how many. */
  readonly parts: readonly [closed: number, all: number] | undefined
  readonly questions: number
  readonly isParked: boolean
  readonly revision: number | undefined
  /** Shown before the server has confirmed it. */
  readonly isGuess?: boolean
}

export interface Holder {
  readonly id: string
  readonly name: string
  readonly from: number
  readonly until: number
}

/** The order of cards is that of the queue: most urgent first, then by hand, by date, by number. */
export function compareTasks(one: Task, other: Task): number {
  if (one.column === 'done' && other.column === 'done')
    return other.updatedAt - one.updatedAt || other.number - one.number
  return (
    one.priority - other.priority ||
    one.rank - other.rank ||
    compareDates(one.due, other.due) ||
    one.number - other.number
  )
}

/** Tasks with a date come before those without. */
function compareDates(one: string | undefined, other: string | undefined): number {
  if (one === other) return 0
  if (one === undefined || other === undefined) return one === undefined ? 1 : -1
  return one < other ? -1 : 1
}
