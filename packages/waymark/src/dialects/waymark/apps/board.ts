import type * as z from 'zod'
import {
  type Block,
  counted,
  dim,
  joined,
  type Line,
  line,
  own,
  titled,
} from '../../../core/show.ts'
import { BOARD_COLUMNS, type CardRow } from '../../../task/board/card.ts'
import type { showBoard } from '../../../task/board/operations.ts'
import { toPriorityName } from '../../../task/task.ts'
import { type AppBoard, type AppCard, SHOWN_COLUMNS } from './views.ts'

/** Of each column; more than a person looks at inside a conversation. */
const MOST_CARDS = 50
/** Of each column, in the text for the model. */
const MOST_TOLD = 8

export function toColumns({ now, rows, counts }: z.output<typeof showBoard.output>): AppBoard {
  const cards = rows.map(toCard).toSorted(byUrgency)
  const columns = BOARD_COLUMNS.map((name) => ({
    name,
    total: counts[name] ?? 0,
    cards: cards.filter(({ column }) => column === name).slice(0, MOST_CARDS),
  }))
  return { now, columns }
}

function toCard(row: CardRow): AppCard {
  return Object.fromEntries(SHOWN_COLUMNS.map((name, at) => [name, row[at]])) as unknown as AppCard
}

function byUrgency(one: AppCard, other: AppCard): number {
  return one.priority - other.priority || one.number - other.number
}

export function showColumns({ columns }: AppBoard): readonly Block[] {
  return columns
    .filter(({ total }) => total > 0)
    .flatMap(({ name, total, cards }) => {
      const told = cards.slice(0, MOST_TOLD)
      const rest = total - told.length
      return [
        line`${own(name.replace('_', ' '))}: ${counted(total, 'task')}`,
        ...told.map(showCard),
        ...(rest > 0 ? [dim(line`  and ${rest} more`)] : []),
      ]
    })
}

function showCard({ number, title, priority, holder, waits_for, questions }: AppCard): Line {
  const facts = joined([
    priority < 2 ? own(toPriorityName(priority)) : undefined,
    holder === null ? undefined : line`held by ${titled(holder)}`,
    waits_for.length === 0
      ? undefined
      : line`waits for ${waits_for.map((one) => `#${one}`).join(' ')}`,
    questions === 0 ? undefined : line`${counted(questions, 'open question')}`,
  ])
  return facts.length === 0
    ? line`  #${number} ${titled(title)}`
    : line`  #${number} ${titled(title)} (${facts})`
}
