import { ask } from '../../acts/ask.ts'
import { placeBeyond } from '../../acts/order-act.ts'
import { perform } from '../../acts/perform.ts'
import { actsOn } from '../../acts/task-acts.ts'
import { COLUMNS, type Column } from '../../data/task/task.ts'
import { taskAt } from '../../data/task/tasks.ts'
import type { KeyAction } from '../../shell/keys/keys.ts'
import { go, toAddress } from '../../shell/router.ts'
import { en } from '../../text/en.ts'
import { clearSelection, peeked, select, toggleSelected } from './board-state.ts'
import { dropOn } from './drop.ts'
import type { LinesByColumn } from './use-lines.ts'

interface BoardKeys {
  readonly lines: LinesByColumn
  readonly current: number | undefined
  /** The column that keys start in. */
  readonly column: Column
  readonly point: (number: number | undefined) => void
}

/** Walking, selecting and acting on cards without a mouse. */
export function boardKeys(board: BoardKeys): readonly KeyAction[] {
  const { current, point } = board
  const withCurrent = (run: (number: number) => void) => () => current !== undefined && run(current)
  const walk = (keys: string, label: string, across: number, down: number): KeyAction => ({
    keys,
    label,
    run: () => point(step(board, across, down)),
  })
  const extend = (keys: string, label: string, down: 1 | -1): KeyAction => ({
    keys,
    label,
    run: withCurrent((number) => {
      const next = step(board, 0, down)
      select([number, ...(next === undefined ? [] : [next])])
      point(next)
    }),
  })
  return [
    walk('j', en.board.keys.down, 0, 1),
    walk('k', en.board.keys.up, 0, -1),
    walk('l', en.board.keys.right, 1, 0),
    walk('h', en.board.keys.left, -1, 0),
    walk('ArrowDown', en.board.keys.down, 0, 1),
    walk('ArrowUp', en.board.keys.up, 0, -1),
    walk('ArrowRight', en.board.keys.right, 1, 0),
    walk('ArrowLeft', en.board.keys.left, -1, 0),
    {
      keys: 'Space',
      label: en.board.keys.peek,
      run: withCurrent((number) => (peeked.value = peeked.peek() === number ? undefined : number)),
    },
    {
      keys: 'Enter',
      label: en.board.keys.open,
      run: withCurrent((number) => go(toAddress('t', number))),
    },
    { keys: 'x', label: en.board.keys.select, run: withCurrent(toggleSelected) },
    extend('Shift+j', en.board.keys.extendDown, 1),
    extend('Shift+k', en.board.keys.extendUp, -1),
    {
      keys: 'Escape',
      label: en.board.clear,
      run: () => (clearSelection(), (peeked.value = undefined)),
    },
    {
      keys: 'Shift+ArrowDown',
      label: en.board.keys.moveDown,
      run: withCurrent((number) => order(number, 1)),
    },
    {
      keys: 'Shift+ArrowUp',
      label: en.board.keys.moveUp,
      run: withCurrent((number) => order(number, -1)),
    },
    { keys: 'm', label: en.board.moveTo, run: withCurrent((number) => void moveTo(number)) },
    ...actKeys(current),
  ]
}

/** One card further in its column. */
function order(number: number, step: 1 | -1): void {
  const task = taskAt(number)
  const place = task && placeBeyond(task, step)
  if (task === undefined || place === undefined || task.column === 'done') return
  const act = dropOn(task, task.column ?? 'ready', place)?.act
  if (act !== undefined) void perform(act, task)
}

function actKeys(number: number | undefined): readonly KeyAction[] {
  const task = number === undefined ? undefined : taskAt(number)
  if (task === undefined) return []
  return actsOn(task).map((act) => ({
    keys: act.key,
    label: act.label,
    run: () => void perform(act, task),
  }))
}

/** The card that lies in that direction. */
function step(
  { lines, current, column }: BoardKeys,
  across: number,
  down: number,
): number | undefined {
  const numbers = COLUMNS.map((name) =>
    lines[name].flatMap((line) => ('number' in line ? [line.number] : [])),
  )
  const at = numbers.findIndex((list) => current !== undefined && list.includes(current))
  if (at < 0) return numbers[COLUMNS.indexOf(column)]?.[0]
  const row = numbers[at]?.indexOf(current ?? 0) ?? 0
  if (down !== 0) return numbers[at]?.[row + down] ?? current
  for (let next = at + across; next >= 0 && next < numbers.length; next += across) {
    const list = numbers[next] ?? []
    if (list.length > 0) return list[Math.min(row, list.length - 1)]
  }
  return current
}

/** Dragging by keyboard: choose where to, and the same thing happens as with a drop. */
async function moveTo(number: number): Promise<void> {
  const task = taskAt(number)
  if (task === undefined) return
  const drops = COLUMNS.flatMap((column) => {
    const drop = dropOn(task, column)
    return drop?.act === undefined ? [] : [{ column, ...drop, act: drop.act }]
  })
  const [first] = drops
  if (first === undefined) return
  const options = drops.map(({ column, text }) => ({
    value: column,
    label: `${en.columns[column]}: ${text}`,
  }))
  const find = (column: string) => drops.find((drop) => drop.column === column)
  const answer = await ask({
    title: en.board.moveTo,
    question: {
      text: `#${number} ${task.title}`,
      label: en.board.moveTo,
      isRequired: true,
      options,
      initial: first.column,
    },
    command: (column) => find(column)?.act.command(task, '') ?? '',
    isDanger: false,
  })
  const chosen = answer === undefined ? undefined : find(answer)
  if (chosen !== undefined) await perform(chosen.act, task)
}
