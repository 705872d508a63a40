import picocolors from 'picocolors'
import { type Fields, isFields, multiline, plain, type Style } from './cells.ts'

interface Margin {
  readonly mark: string
  readonly start: number
  readonly end: number
}

const MARKS = 'abcdefghijklmnopqrstuvwxyz'

/** A file with a letter in the margin of each annotated line, and what the letters stand for below. */
export function renderView(output: Fields, style: Style): string {
  const { bold, dim, yellow } = picocolors.createColors(style.colors)
  const regions = Array.isArray(output['regions']) ? output['regions'].filter(isFields) : []
  const margins = regions.map((region, at) => toMargin(region, at))
  const first = Number(output['first_line'])
  const lines = (output['lines'] as readonly string[]).map((line, at) => {
    const number = first + at
    const marks = margins
      .filter(({ start, end }) => start <= number && number <= end)
      .map(({ mark }) => mark)
    const margin = marks.join('').slice(0, 3).padEnd(3)
    return `${dim(String(number).padStart(5))} ${yellow(margin)}│ ${multiline(line)}`
  })
  const legend = regions.map((region, at) => {
    const { state } = region['freshness'] as Fields
    const who = region['author'] === undefined ? '' : ` — ${plain(region['author'])}`
    return `${yellow(MARKS[at % MARKS.length] ?? '')} ${plain(region['intent'])} ${dim(`(${plain(state)}, ${plain(region['commit']).slice(0, 12)}${who})`)}`
  })
  return `${[bold(plain(output['file'])), ...lines, ...(legend.length > 0 ? ['', ...legend] : [])].join('\n')}\n`
}

/** What has no lines of its own is about the file as a whole, and stands beside none of them. */
function toMargin(region: Fields, at: number): Margin {
  const { start = 0, end = -1 } = (region['lines'] ?? {}) as { start?: number; end?: number }
  return { mark: MARKS[at % MARKS.length] ?? '', start, end }
}
