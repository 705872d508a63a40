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
  /** Order by hand within a priority, if there is one. */
  readonly rank: string
  readonly createdAt: number
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

/** The order of cards: most urgent first, then by hand, then oldest. */
export function compareTasks(one: Task, other: Task): number {
  if (one.column === 'done' && other.column === 'done')
    return other.updatedAt - one.updatedAt || other.number - one.number
  return (
    one.priority - other.priority ||
    compareText(one.rank, other.rank) ||
    one.createdAt - other.createdAt ||
    one.number - other.number
  )
}

function compareText(one: string, other: string): number {
  if (one === other) return 0
  // Without a rank a task follows those that were placed.
  if (one === '' || other === '') return one === '' ? 1 : -1
  return one < other ? -1 : 1
}
