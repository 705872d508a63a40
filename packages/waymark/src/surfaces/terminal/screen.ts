import picocolors from 'picocolors'
import { alignRows, type Cell, type TableStyle } from './table.ts'

/** A part of a full screen. */
export interface Section {
  /** The heading, for so many shown rows. */
  readonly title: (shown: number) => string
  /** All rows have the same number of cells. */
  readonly rows: readonly (readonly Cell[])[]
  /** The column that is cut last. */
  readonly main: number
  /** Where not all rows fit, show the last and not the first. */
  readonly showsLast?: boolean
  /** Whether the row is the selected one; asked for each row that is shown, from top to bottom. */
  readonly isSelected?: (at: number) => boolean
}

interface Screen {
  readonly heading: string
  readonly sections: readonly Section[]
  /** The last line. */
  readonly hint: string
}

interface Size extends TableStyle {
  readonly rows: number
}

/** Back to the upper left corner, and nothing below it. */
const CLEAR = '\u001b[H\u001b[2J'
/** Full-screen programs draw on a screen of their own, so that the terminal is as before when they end. */
export const ENTER = '\u001b[?1049h\u001b[?25l'
/** Of the selected row; shown without colours as well. */
const INVERT = '\u001b[7m'
const REVERT = '\u001b[27m'
export const LEAVE = '\u001b[?25h\u001b[?1049l'

/** A full screen: never more lines than the terminal has, and none that is wider. */
export async function drawScreen({ heading, sections, hint }: Screen, size: Size): Promise<string> {
  const { rows, columns, colors } = size
  const { bold, dim } = picocolors.createColors(colors)
  const shown = sections.filter((section) => section.rows.length > 0)
  // The heading, an empty line below it, and the hint.
  const counts = share(shown, rows - 3)
  const lines = [bold(await cut(heading, columns)), '']
  for (const [at, { title, rows: all, main, showsLast = false, isSelected }] of shown.entries()) {
    const count = counts[at] ?? 0
    if (count === 0) continue
    const first = showsLast ? all.length - count : 0
    const drawn = await alignRows(all.slice(first, first + count), size, main)
    const marked = drawn.map((row, place) =>
      isSelected?.(first + place) === true ? `${INVERT}${row}${REVERT}` : row,
    )
    lines.push(bold(await cut(title(count), columns)), ...marked)
  }
  return fill(lines, rows, dim(await cut(hint, columns)))
}

/** A text that fills the screen; what does not fit is left out. */
export async function drawText(text: string, hint: string, size: Size): Promise<string> {
  const { rows, columns, colors } = size
  const { dim } = picocolors.createColors(colors)
  return fill(text.split('\n').slice(0, rows - 1), rows, dim(await cut(hint, columns)))
}

function fill(lines: readonly string[], rows: number, last: string): string {
  const filled = [...lines, ...Array<string>(Math.max(0, rows - 1 - lines.length)).fill('')]
  return `${CLEAR}${filled.join('\n')}\n${last}`
}

/** How many rows of each section fit: a title costs a line, then each section gets a row in turn. */
function share(sections: readonly Section[], available: number): number[] {
  const counts = sections.map(() => 0)
  let left = available
  for (let isFull = false; !isFull;) {
    isFull = true
    for (const [at, { rows }] of sections.entries()) {
      const count = counts[at] ?? 0
      const cost = count === 0 ? 2 : 1
      if (count >= rows.length || cost > left) continue
      counts[at] = count + 1
      left -= cost
      isFull = false
    }
  }
  return counts
}

async function cut(text: string, columns: number): Promise<string> {
  return (await alignRows([[text]], { columns, colors: false }))[0] ?? ''
}
