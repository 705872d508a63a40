import { perform } from '../../acts/perform.ts'
import { actsOn } from '../../acts/task-acts.ts'
import { taskAt } from '../../data/task/tasks.ts'
import { en } from '../../text/en.ts'
import { actedOn } from '../palette/palette-state.ts'
import type { KeyAction } from './keys.ts'

/** What keys walk through in a view, where the view has no keys of its own for that. */
const ROWS = [
  '.rows > li',
  '.thread-list > li',
  '.entity-list li',
  '.story > li',
  '.agent-cards > li',
  '.reasons > li',
]
  .map((row) => `#view ${row}`)
  .join(', ')

/** The row that has the focus, itself or through something in it. */
function currentRow(): HTMLElement | undefined {
  return document.activeElement?.closest<HTMLElement>(ROWS) ?? undefined
}

/** Walking through rows, and opening one. */
export const WALK_KEYS: readonly KeyAction[] = [
  { keys: 'j', label: en.keys.nextRow, run: () => walk(1) },
  { keys: 'k', label: en.keys.previousRow, run: () => walk(-1) },
]

function walk(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>(ROWS)].filter(
    (row) => row.offsetParent !== null,
  )
  const at = rows.findIndex((row) => row === currentRow())
  const next = rows[at < 0 ? (step > 0 ? 0 : rows.length - 1) : at + step]
  if (next === undefined) return
  next.tabIndex = -1
  next.focus()
  next.scrollIntoView({ block: 'nearest' })
  actedOn.value = taskOf(next)
}

function taskOf(row: HTMLElement): number | undefined {
  const number = Number(row.querySelector<HTMLElement>('[data-task]')?.dataset['task'])
  return Number.isNaN(number) ? undefined : number
}

/** What keys do in the row that has the focus: its buttons, and the acts on the task that it is about. */
export function rowKeys(): readonly KeyAction[] {
  const row = currentRow()
  if (row === undefined) return []
  const shown = [...row.querySelectorAll<HTMLElement>('[aria-keyshortcuts]')].map(toAction)
  const number = taskOf(row)
  const task = number === undefined ? undefined : taskAt(number)
  const acts = task === undefined ? [] : actsOn(task)
  const ofTask = acts.flatMap((act): readonly KeyAction[] =>
    task === undefined || shown.some(({ keys }) => keys === act.key)
      ? []
      : [{ keys: act.key, label: act.label, run: () => void perform(act, task) }],
  )
  return [...shown, ...ofTask, ...(row === document.activeElement ? [OPEN] : [])]
}

function toAction(element: HTMLElement): KeyAction {
  return {
    keys: element.getAttribute('aria-keyshortcuts') ?? '',
    label: element.getAttribute('aria-label') ?? element.innerText,
    run: () => (element.matches('input, textarea') ? element.focus() : element.click()),
  }
}

const OPEN: KeyAction = {
  keys: 'Enter',
  label: en.acts.open,
  run: () => currentRow()?.querySelector<HTMLElement>('a[href], button')?.click(),
}
