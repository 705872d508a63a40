import picocolors from 'picocolors'
import type { Block, Line, Table } from '../../core/show.ts'
import { toEscaped } from '../../support/text/visible-text.ts'
import { multiline } from './escape.ts'
import { alignTable } from './table.ts'

export interface Style {
  readonly columns: number
  readonly colors: boolean
  /** Tables for a person are cut to the width of the screen; for a pipe they are complete and separated by tabs. */
  readonly interactive: boolean
}

/** Prints the answer of an operation for a person. */
export async function print(blocks: readonly Block[], style: Style): Promise<string> {
  const texts: string[] = []
  for (const block of blocks) texts.push(await printBlock(block, style))
  return texts.join('')
}

async function printBlock(block: Block, style: Style): Promise<string> {
  if ('raw' in block) return block.raw
  if ('quote' in block) return `${indent(block.quote)}\n`
  if ('detail' in block) {
    const [head, detail] = [printLine(block.head, style), printLine(block.detail, style)]
    return style.interactive ? `${head}\n  ${detail}\n` : `${head}\t${detail}\n`
  }
  if ('heads' in block) return await printTable(block, style)
  return `${printLine(block, style)}\n`
}

function printLine(line: Line, { colors }: Pick<Style, 'colors'>): string {
  const palette = picocolors.createColors(colors)
  return line
    .map(({ text, isData, emphasis }) => {
      const shown = isData ? toEscaped(text) : text
      return emphasis === undefined ? shown : palette[emphasis](shown)
    })
    .join('')
}

async function printTable({ heads, rows, isSparse }: Table, style: Style): Promise<string> {
  const cells = rows.map((row) => row.map((cell) => printLine(cell, { colors: false })))
  if (!style.interactive) return cells.map((row) => `${row.join('\t')}\n`).join('')
  const isKept = (_: string, at: number) => !isSparse || cells.some((row) => row[at] !== '')
  return await alignTable(
    [heads, ...cells].map((row) => row.filter(isKept)),
    style,
  )
}

function indent(text: string): string {
  return multiline(text).replaceAll(/^(?=.)/gm, '  ')
}
