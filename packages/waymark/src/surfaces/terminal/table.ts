import picocolors from 'picocolors'
import type { Emphasis } from '../../core/show.ts'

export interface TableStyle {
  readonly columns: number
  readonly colors: boolean
}

/** A printable text: escape stored text first. */
export interface ColoredCell {
  readonly text: string
  readonly emphasis: Emphasis | undefined
}
export type Cell = string | ColoredCell

type Row = readonly Cell[]
export type Measure = (text: string) => number

const GAP = '  '
/** Up to this width a column is shown whole or not at all: `nor…` helps little. */
const LEAST_CUT = 9
const ASCII = /^[\x20-\x7e]*$/

/** Columns side by side, cut to the width of the screen. The first row is the heading. */
export async function alignTable(
  rows: readonly Row[],
  style: TableStyle,
  main?: number,
): Promise<string> {
  const [head = '', ...lines] = await alignRows(rows, style, main)
  const { dim } = picocolors.createColors(style.colors)
  return `${[dim(head), ...lines].join('\n')}\n`
}

/**
 * One line for each row, its cells below those of the row before, never wider than the screen. The main column, or else
 * the widest, gets half of it at least; where there is no room for the others, the last are left out.
 */
export async function alignRows(
  rows: readonly Row[],
  { columns, colors }: TableStyle,
  main?: number,
): Promise<string[]> {
  const texts = rows.map((row) => row.map(textOf))
  const measure = await measureFor(texts.flat())
  const [first = []] = texts
  const natural = first.map((_, at) => Math.max(...texts.map((row) => measure(row[at] ?? ''))))
  const widths = fit(natural, main ?? natural.indexOf(Math.max(...natural)), columns)
  const palette = picocolors.createColors(colors)
  return rows.map((row) =>
    row
      .map((cell, at) => {
        const { text, rest } = cut(textOf(cell), widths[at] ?? 0, measure)
        const emphasis = typeof cell === 'string' ? undefined : cell.emphasis
        return `${emphasis === undefined || text === '' ? text : palette[emphasis](text)}${rest}`
      })
      .filter((_, at) => widths[at] !== 0)
      .join(GAP)
      .trimEnd(),
  )
}

function textOf(cell: Cell): string {
  return typeof cell === 'string' ? cell : cell.text
}

/** Measuring text beyond ASCII needs Unicode tables that take longer to load than most commands take to run. */
export async function measureFor(texts: readonly string[]): Promise<Measure> {
  if (texts.every((text) => ASCII.test(text))) return (text) => text.length
  const { default: stringWidth } = await import('string-width')
  return stringWidth
}

/** The width of each column; 0 leaves it out. The first column always stays, since it names the row. */
function fit(natural: readonly number[], main: number, available: number): number[] {
  const gap = GAP.length
  if (natural.reduce((sum, width) => sum + width + gap, -gap) <= available) return [...natural]
  const half = Math.ceil(available / 2)
  const kept = new Set([0, main])
  const widths = natural.map((width, at) => {
    if (at === main) return Math.min(width, half)
    return at === 0 ? Math.max(0, Math.min(width, available - half - gap)) : 0
  })
  let left = available - widths.reduce((sum, width) => sum + (width > 0 ? width + gap : 0), -gap)
  const others = [...natural.keys()].filter((at) => !kept.has(at))
  for (const at of others) {
    const wanted = Math.min(natural[at] ?? 0, Math.max(LEAST_CUT, Math.floor(available / 4)))
    const width = Math.min(wanted, left - gap)
    if (width < Math.min(wanted, LEAST_CUT)) break
    widths[at] = width
    left -= width + gap
  }
  for (const at of [main, 0, ...others]) {
    const width = widths[at] ?? 0
    if (width === 0) continue
    const more = Math.min((natural[at] ?? 0) - width, left)
    widths[at] = width + more
    left -= more
  }
  return widths
}

/** The text with an ellipsis where it is too wide, and the blanks behind it. */
function cut(
  text: string,
  width: number,
  measure: Measure,
): { readonly text: string; readonly rest: string } {
  const actual = measure(text)
  if (actual <= width) return { text, rest: ' '.repeat(width - actual) }
  let start = ''
  for (const character of text) {
    if (measure(start + character) > width - 1) break
    start += character
  }
  return { text: `${start}…`, rest: ' '.repeat(Math.max(0, width - 1 - measure(start))) }
}
