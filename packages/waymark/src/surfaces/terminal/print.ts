import picocolors from 'picocolors'
import type { Block, Line, Table } from '../../core/show.ts'
import { isPast, toStableTime, toTimeWords } from '../../support/text/time-words.ts'
import { toEscaped } from '../../support/text/visible-text.ts'
import { multiline } from './escape.ts'
import { alignTable, type Cell, type ColoredCell, measureFor } from './table.ts'
import { type Piece, wrap } from './wrap.ts'

export interface Style {
  readonly columns: number
  readonly colors: boolean
  /**
   * For a person: tables and lines fit the screen, times are words. For a pipe, rows are complete and separated by tabs,
   * and times are in ISO 8601.
   */
  readonly interactive: boolean
  now(): number
}

const INDENT = 2

/** Prints the answer of an operation for a person. */
export async function print(blocks: readonly Block[], style: Style): Promise<string> {
  const texts: string[] = []
  for (const block of blocks) texts.push(await printBlock(block, style))
  return texts.join('')
}

/** Remarks on the answer, which are no part of it: a program that reads the lines must not take one for a row. */
export async function printAsides(blocks: readonly Block[], style: Style): Promise<string> {
  const asides = blocks.flatMap((block) => ('aside' in block ? [block.aside] : []))
  return await print(asides, style)
}

async function printBlock(block: Block, style: Style): Promise<string> {
  if ('raw' in block) return block.raw
  if ('aside' in block) return ''
  if ('quote' in block) return await printQuote(block.quote, style)
  if ('detail' in block) {
    if (!style.interactive)
      return `${printPlain(block.head, style)}\t${printPlain(block.detail, style)}\n`
    const detail = [{ text: ' '.repeat(INDENT), isData: false }, ...block.detail]
    return `${await printLine(block.head, style)}${await printLine(detail, style, 0)}`
  }
  if ('heads' in block) return await printTable(block, style)
  return await printLine(block, style)
}

async function printLine(line: Line, style: Style, hang = INDENT): Promise<string> {
  return await printPieces(toPieces(line, style), style, hang)
}

async function printPieces(pieces: readonly Piece[], style: Style, hang: number): Promise<string> {
  const { columns, interactive } = style
  if (!interactive) return `${paint(pieces, style)}\n`
  const measure = await measureFor(pieces.map(({ text }) => text))
  return wrap(pieces, { columns, hang, measure })
    .map((wrapped) => `${paint(wrapped, style)}\n`)
    .join('')
}

function printPlain(line: Line, style: Style): string {
  return paint(toPieces(line, style), style)
}

function paint(pieces: readonly Piece[], { colors }: Pick<Style, 'colors'>): string {
  const palette = picocolors.createColors(colors)
  return pieces
    .map(({ text, emphasis }) => (emphasis === undefined ? text : palette[emphasis](text)))
    .join('')
}

function toPieces(line: Line, style: Style): readonly Piece[] {
  return line.map(({ text, isData, emphasis, time }) => {
    if (time === undefined) return { text: isData ? toEscaped(text) : text, emphasis }
    const now = style.now()
    const isOver = time === 'due' && isPast(text, now)
    return {
      text: toEscaped(style.interactive ? toTimeWords(text, now) : toStableTime(text)),
      emphasis: isOver ? 'red' : emphasis,
    }
  })
}

async function printTable(table: Table, style: Style): Promise<string> {
  const { heads, rows, isSparse, main } = table
  const cells = rows.map((row) => row.map((cell) => toCell(cell, style)))
  if (!style.interactive)
    return cells.map((row) => `${row.map(({ text }) => text).join('\t')}\n`).join('')
  const isEmpty = (at: number) => isSparse && cells.every((row) => row[at]?.text === '')
  const kept = [...heads.keys()].filter((at) => !isEmpty(at))
  const pick = (row: readonly Cell[]) => kept.map((at) => row[at] ?? '')
  const mainKept = main === undefined ? -1 : kept.indexOf(main)
  return await alignTable(
    [heads, ...cells].map(pick),
    style,
    mainKept === -1 ? undefined : mainKept,
  )
}

/** A cell of a table has one look: that of all its parts, if they agree. */
export function toCell(line: Line, style: Style): ColoredCell {
  const pieces = toPieces(line, style).filter(({ text }) => text !== '')
  const [first] = pieces
  const isOne = pieces.every(({ emphasis }) => emphasis === first?.emphasis)
  return {
    text: pieces.map(({ text }) => text).join(''),
    emphasis: isOne ? first?.emphasis : undefined,
  }
}

/** A stored text of several lines, indented. */
async function printQuote(text: string, style: Style): Promise<string> {
  const indented = multiline(text).replaceAll(/^(?=.)/gm, ' '.repeat(INDENT))
  const printed = indented
    .split('\n')
    .map((each) => printPieces([{ text: each, emphasis: undefined }], style, 0))
  return (await Promise.all(printed)).join('')
}
