import type { BoardColumn, Card } from '../../../task/board/card.ts'

/** What a card of the board needs. */
export const SHOWN_COLUMNS = [
  'number',
  'title',
  'column',
  'priority',
  'labels',
  'due_date',
  'holder',
  'lease_until',
  'waits_for',
  'questions',
] as const satisfies readonly (keyof Card)[]

export type AppCard = Pick<Card, (typeof SHOWN_COLUMNS)[number]>

export interface AppColumn {
  readonly name: BoardColumn
  /** How many tasks stand in it, also those that are not among the cards. */
  readonly total: number
  readonly cards: readonly AppCard[]
}

/** The board, as `ui://waymark/board` draws it. */
export interface AppBoard {
  readonly now: number
  readonly columns: readonly AppColumn[]
}

/** A file with the reasons for its code, as `ui://waymark/why` draws it. */
export interface AppSource {
  readonly file: string
  readonly first_line: number
  readonly lines: readonly string[]
  /** The last lines are left out. */
  readonly is_cut: boolean
  readonly reasons: readonly AppReason[]
}

export interface AppReason {
  readonly text: string
  /** Absent for one about the whole file. */
  readonly lines?: { readonly start: number; readonly end: number }
  readonly state: string
  readonly commit: string
  readonly by?: string
}
