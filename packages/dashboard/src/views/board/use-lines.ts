import { useRef } from 'preact/hooks'
import { COLUMNS, type Column, type Task } from '../../data/task/task.ts'
import { listOf, taskAt, taskCell, tasksVersion } from '../../data/task/tasks.ts'
import { parseFilter } from './board-filter.ts'
import { type Grouping, type Line, toLines } from './groups.ts'

export type LinesByColumn = Readonly<Record<Column, readonly Line[]>>

interface Held {
  readonly key: string
  readonly lines: LinesByColumn
  readonly version: number
}

/**
 * The lines of all columns. While the pointer is on the board or a card is dragged, lists stay as they are and changes are
 * counted, so that nothing jumps away; cards still show their new facts.
 */
export function useLines(
  filter: string,
  grouping: Grouping,
  isHeld: boolean,
): readonly [LinesByColumn, number] {
  const held = useRef<Held | undefined>(undefined)
  const key = `${grouping} ${filter}`
  for (const column of COLUMNS) void listOf(column).value
  const version = listVersion()
  if (filter !== '' || grouping !== 'none') void tasksVersion.value
  if (isHeld && held.current?.key === key && held.current.version !== version)
    return [held.current.lines, countMoves(held.current.lines)]
  const lines = makeLines(filter, grouping)
  held.current = { key, lines, version }
  return [lines, 0]
}

let lastLists: readonly unknown[] = []
let lists = 0

/** Changes when any list does. */
function listVersion(): number {
  const now = COLUMNS.map((column) => listOf(column).peek())
  if (now.some((list, index) => list !== lastLists[index])) lists += 1
  lastLists = now
  return lists
}

function makeLines(filter: string, grouping: Grouping): LinesByColumn {
  const matches = parseFilter(filter)
  const titleOf = (number: number): string | undefined => taskCell(number)?.peek().title
  return Object.fromEntries(
    COLUMNS.map((column) => {
      const numbers = listOf(column).peek()
      if (filter === '' && grouping === 'none')
        return [column, numbers.map((number) => ({ number }))]
      const tasks = numbers.flatMap((number): readonly Task[] => {
        const task = taskCell(number)?.peek()
        return task === undefined || !matches(task) ? [] : [task]
      })
      return [column, toLines(tasks, grouping, titleOf)]
    }),
  ) as unknown as LinesByColumn
}

/** How many cards are shown in a column that they have left. */
function countMoves(shown: LinesByColumn): number {
  let moves = 0
  for (const column of COLUMNS)
    for (const line of shown[column])
      if ('number' in line && taskAt(line.number)?.column !== column) moves += 1
  return Math.max(1, moves)
}
