import type { Emphasis } from '../../core/show.ts'
import type { Measure } from './table.ts'

/** Printable text of one look. */
export interface Piece {
  readonly text: string
  readonly emphasis: Emphasis | undefined
}

const LEAST_COLUMNS = 20

/**
 * Breaks a line at blanks, so that it fits the columns; what follows is indented like its start and by `hang`. A longer
 * word is left to the terminal, which keeps a URL in one piece for copying.
 */
export function wrap(
  pieces: readonly Piece[],
  { columns, hang, measure }: { columns: number; hang: number; measure: Measure },
): readonly (readonly Piece[])[] {
  const whole = pieces.map(({ text }) => text).join('')
  if (columns < LEAST_COLUMNS || measure(whole) <= columns) return [pieces]
  const start = /^ */.exec(whole)?.[0].length ?? 0
  const indent = ' '.repeat(Math.min(start + hang, Math.floor(columns / 2)))
  const lines: Piece[][] = [[]]
  let width = 0
  for (const word of wordsOf(pieces)) {
    const size = measure(textOf(word))
    const isFirst = width <= (lines.length === 1 ? start : indent.length)
    if (!isFirst && width + measure(textOf(word).trimEnd()) > columns) {
      lines.push([{ text: indent, emphasis: undefined }])
      width = indent.length
    }
    lines.at(-1)?.push(...word)
    width += size
  }
  return lines.map(withoutBlanksAtEnd)
}

/** Also those that have a look of their own, which could reach beyond the screen. */
function withoutBlanksAtEnd(line: readonly Piece[]): readonly Piece[] {
  return line.map((piece, at) =>
    at === line.length - 1 ? { ...piece, text: piece.text.trimEnd() } : piece,
  )
}

/** Words with the blanks behind them; a word may change its look on the way. */
function wordsOf(pieces: readonly Piece[]): readonly (readonly Piece[])[] {
  const words: Piece[][] = []
  let isOpen = false
  for (const { text, emphasis } of pieces) {
    for (const part of text.match(/ *[^ ]* */g) ?? []) {
      if (part === '') continue
      if (isOpen && !part.startsWith(' ')) words.at(-1)?.push({ text: part, emphasis })
      else words.push([{ text: part, emphasis }])
      isOpen = !part.endsWith(' ')
    }
  }
  return words
}

function textOf(word: readonly Piece[]): string {
  return word.map(({ text }) => text).join('')
}
