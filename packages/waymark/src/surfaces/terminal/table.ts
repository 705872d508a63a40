import picocolors from 'picocolors'

export interface TableStyle {
  readonly columns: number
  readonly colors: boolean
}

type Measure = (text: string) => number

const GAP = '  '
const NARROWEST = 8
const ASCII = /^[\x20-\x7e]*$/

/** Columns side by side, cut to the width of the screen. The first row is the heading. */
export async function alignTable(
  rows: readonly (readonly string[])[],
  style: TableStyle,
): Promise<string> {
  const [head = '', ...lines] = await alignRows(rows, style.columns)
  const { dim } = picocolors.createColors(style.colors)
  return `${[dim(head), ...lines].join('\n')}\n`
}

/** One line for each row, its cells below those of the row before, cut to so many columns. */
export async function alignRows(
  rows: readonly (readonly string[])[],
  columns: number,
): Promise<string[]> {
  const measure = await measureFor(rows)
  const [first = []] = rows
  const natural = first.map((_, at) => Math.max(...rows.map((row) => measure(row[at] ?? ''))))
  const widths = fit(natural, columns)
  return rows.map((row) =>
    row
      .map((cell, at) => pad(cell, widths[at] ?? 0, measure))
      .join(GAP)
      .trimEnd(),
  )
}

/** Measuring text beyond ASCII needs Unicode tables that take longer to load than most commands take to run. */
async function measureFor(rows: readonly (readonly string[])[]): Promise<Measure> {
  if (rows.every((row) => row.every((cell) => ASCII.test(cell)))) return (text) => text.length
  const { default: stringWidth } = await import('string-width')
  return stringWidth
}

/** Shrinks the widest column until the table fits. */
function fit(widths: readonly number[], available: number): number[] {
  const fitted = [...widths]
  const gaps = GAP.length * (widths.length - 1)
  while (fitted.reduce((sum, width) => sum + width, gaps) > available) {
    const widest = Math.max(...fitted)
    if (widest <= NARROWEST) break
    fitted[fitted.indexOf(widest)] = widest - 1
  }
  return fitted
}

function pad(cell: string, width: number, measure: Measure): string {
  const actual = measure(cell)
  if (actual <= width) return cell + ' '.repeat(width - actual)
  let cut = ''
  for (const character of cell) {
    if (measure(cut + character) > width - 1) break
    cut += character
  }
  return `${cut}…${' '.repeat(Math.max(0, width - 1 - measure(cut)))}`
}
