import type { Block, Line, Table } from '../core/show.ts'
import { toQuotation } from '../support/text/stored-text.ts'
import { toLine, toVisible } from '../support/text/visible-text.ts'

/** Prints the answer of an operation for a model: compact lines, with hidden characters made visible. */
export function printForAgent(blocks: readonly Block[]): string {
  return blocks.map(printBlock).join('\n')
}

function printBlock(block: Block): string {
  if ('raw' in block) return toVisible(block.raw).replace(/\n$/, '')
  if ('quote' in block) return toQuotation(block.quote)
  if ('detail' in block) return `${printLine(block.head)}\n  ${printLine(block.detail)}`
  if ('heads' in block) return printTable(block)
  return printLine(block)
}

function printLine(line: Line): string {
  return line.map(({ text, isData }) => (isData ? toLine(text) : text)).join('')
}

function printTable({ heads, rows }: Table): string {
  return [heads, ...rows.map((row) => row.map(printLine))].map((row) => row.join(' | ')).join('\n')
}
