import { parse } from 'smol-toml'
import type { Path } from './edit.ts'
import { isFields } from './value-tree.ts'

/** A table header and the lines under it, without the comments and empty lines that lead to the next header. */
export interface Block {
  readonly path: Path
  /** `[[a list of tables]]` */
  readonly isList: boolean
  readonly start: number
  readonly end: number
}

/** The tables of a valid TOML text, in order. What comes before the first header is in none of them. */
export function blocksOf(text: string): readonly Block[] {
  const blocks: Block[] = []
  for (let at = skipBlank(text, 0); at < text.length;) {
    const end = statementEnd(text, at)
    const last = blocks.at(-1)
    if (text.charAt(at) === '[')
      blocks.push({ ...headerOf(text.slice(at, end)), start: lineOf(text, at), end })
    else if (last !== undefined) blocks[blocks.length - 1] = { ...last, end }
    at = skipBlank(text, end)
  }
  return blocks
}

/** A header alone is a TOML text too, and the parser knows how keys are quoted. */
function headerOf(header: string): Pick<Block, 'path' | 'isList'> {
  const path: string[] = []
  let value: unknown = parse(header)
  while (isFields(value)) {
    const [key] = Object.keys(value)
    if (key === undefined) return { path, isList: false }
    path.push(key)
    value = value[key]
  }
  return { path, isList: true }
}

function lineOf(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1
}

/** Past white space, empty lines and comments. */
function skipBlank(text: string, from: number): number {
  let at = from
  for (;;) {
    while (at < text.length && ' \t\r\n'.includes(text.charAt(at))) at += 1
    if (text.charAt(at) !== '#') return at
    at = endOfLine(text, at)
  }
}

/** Where the line after a header or a `key = value` begins; values may span lines. */
function statementEnd(text: string, from: number): number {
  let depth = 0
  for (let at = from; at < text.length;) {
    const character = text.charAt(at)
    if (character === '"' || character === "'") {
      at = stringEnd(text, at, character)
      continue
    }
    if (character === '#') {
      at = endOfLine(text, at)
      continue
    }
    if (character === '\n' && depth === 0) return at + 1
    if ('[{'.includes(character)) depth += 1
    if (']}'.includes(character)) depth -= 1
    at += 1
  }
  return text.length
}

function stringEnd(text: string, from: number, quote: '"' | "'"): number {
  const triple = quote.repeat(3)
  const fence = text.startsWith(triple, from) ? triple : quote
  for (let at = from + fence.length; at < text.length; at += 1) {
    if (quote === '"' && text.charAt(at) === '\\') at += 1
    // Up to two quotes may stand directly before the closing three.
    else if (text.startsWith(fence, at) && !(fence === triple && text.charAt(at + 3) === quote)) {
      return at + fence.length
    }
  }
  return text.length
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end === -1 ? text.length : end
}
