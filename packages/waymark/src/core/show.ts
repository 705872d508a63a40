import { toLine, toQuotation, toTitle, toVisible } from '../support/text/visible-text.ts'

/**
 * What an operation answers, for a reader: a few kinds of block, which a printer turns into text for a terminal or for
 * a model. Literal parts of a `line` are ours; every value in it is data, and the printer escapes it.
 */
export type Block =
  | Line
  | Entry
  | Table
  | Aside
  | { readonly quote: string }
  | { readonly raw: string }

export type Line = readonly Span[]

interface Span {
  readonly text: string
  readonly isData: boolean
  readonly emphasis?: Emphasis
  /** The text is a time in ISO 8601, which a person reads in words; `due` is red once it is over. */
  readonly time?: 'at' | 'due'
}

/** One entry of a list: the detail is below its head on a screen, and after a tab in a pipe. */
interface Entry {
  readonly head: Line
  readonly detail: Line
}

/** A remark on the answer, such as `50 of 200`: the command line prints it to standard error. */
interface Aside {
  readonly aside: Line
}

export type Emphasis = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

export interface Table {
  readonly heads: readonly string[]
  readonly rows: readonly (readonly Line[])[]
  /** The column that a narrow screen cuts last, such as the title. Of the others, the last is left out first. */
  readonly main: number | undefined
  /** Columns that are empty in every row are left out on a screen. */
  readonly isSparse: boolean
}

export type Value = Line | string | number | boolean | null | undefined

/** `` line`deleted ${title}` ``: one line of text. */
export function line(strings: TemplateStringsArray, ...values: readonly Value[]): Line {
  const spans: Span[] = []
  for (const [at, text] of strings.entries()) {
    if (text !== '') spans.push({ text, isData: false })
    spans.push(...toSpans(values[at]))
  }
  return spans
}

/** Our own words, chosen at run time: a name of a field, a state, a plural. */
export function own(text: string): Line {
  return [{ text, isData: false }]
}

export const BLANK: Line = []

export const bold = (value: Value): Line => emphasize(value, 'bold')
export const dim = (value: Value): Line => emphasize(value, 'dim')
export const yellow = (value: Value): Line => emphasize(value, 'yellow')

export function emphasize(value: Value, emphasis: Emphasis | undefined): Line {
  return toSpans(value).map((span) => (emphasis === undefined ? span : { ...span, emphasis }))
}

/** A time or date in ISO 8601: words on a screen, without milliseconds in a pipe and for a model. */
export function when(time: string | undefined): Line {
  return toSpans(time).map((span) => ({ ...span, time: 'at' }))
}

/** A date by which something was to be done. */
export function due(date: string | undefined): Line {
  return toSpans(date).map((span) => ({ ...span, time: 'due' }))
}

/** `50 of 200` beside a list that was cut, with the way to the rest; nothing beside a whole one. */
export function countOf(
  shown: number,
  total: Value,
  { isCut = Number(total) > shown, more }: { readonly isCut?: boolean; readonly more?: Line } = {},
): readonly Block[] {
  return isCut ? [{ aside: line`${shown} of ${total}${more && line`; ${more}`}` }] : []
}

/** Values in a row with our own words between them; absent ones are left out. */
export function joined(values: readonly Value[], separator = ', '): Line {
  const given = values.map(toSpans).filter((spans) => spans.length > 0)
  return given.flatMap((spans, at) =>
    at === 0 ? spans : [{ text: separator, isData: false }, ...spans],
  )
}

function toSpans(value: Value): Line {
  if (value === undefined || value === null || value === '') return []
  return typeof value === 'object' ? value : [{ text: String(value), isData: true }]
}

/** `name: value`, or nothing without a value. */
export function field(name: string, value: Value): readonly Line[] {
  const spans = toSpans(value)
  return spans.length === 0 ? [] : [line`${dim(own(`${name}:`))} ${spans}`]
}

/** A stored title or name in a line for a model; quoted where it could be read as more than a title. */
export function titled(text: string | undefined): Line {
  return toSpans(text === undefined ? undefined : toTitle(text))
}

/** Stored titles in a row. */
export function titles(texts: readonly string[]): Line {
  return joined(texts.map(titled), '; ')
}

/** `name: text`, or the text quoted below its name if it has several lines. */
export function textField(name: string, text: string | undefined): readonly Block[] {
  return text?.trim().includes('\n') === true
    ? [line`${own(`${name}:`)}`, ...quote(text)]
    : field(name, text)
}

/** A stored text of any length. Its lines are marked, so that they cannot pass for ours. */
export function quote(text: string | undefined): readonly Block[] {
  return text === undefined || text === '' ? [] : [{ quote: text }]
}

/** Text of several lines, not indented: only for text that cannot pass for another part of the answer. */
export function lines(text: string): readonly Line[] {
  return text
    .replaceAll('\t', '    ')
    .split(/\r?\n/)
    .map((each) => line`${each}`)
}

/** Text for the next program, unchanged. */
export function raw(text: string): Block {
  return { raw: text }
}

export interface Column<Row> {
  readonly head: string
  readonly value: (row: Row) => Value
  readonly isMain?: true
}

export function table<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { isSparse = false }: { readonly isSparse?: boolean } = {},
): Table {
  const main = columns.findIndex(({ isMain }) => isMain)
  return {
    main: main === -1 ? undefined : main,
    heads: columns.map(({ head }) => head),
    rows: rows.map((row) => columns.map(({ value }) => toSpans(value(row)))),
    isSparse,
  }
}

/** A title in bold above its lines, as in Markdown; nothing without lines. */
export function section(title: string, lines: readonly Block[]): readonly Block[] {
  return lines.length === 0 ? [] : [line`**${own(title)}**`, ...lines]
}

/** Groups of blocks with a blank line between them. */
export function paragraphs(groups: readonly (readonly Block[])[]): readonly Block[] {
  return groups
    .filter((group) => group.length > 0)
    .flatMap((group, at) => (at === 0 ? group : [BLANK, ...group]))
}

/** `1 task`, `2 tasks`, `2 entities`. */
export function counted(count: number, noun: string): string {
  if (count === 1) return `1 ${noun}`
  return `${count} ${noun.replace(/(?<![aeiou])y$/, 'ie')}s`
}

/** Prints the answer of an operation for a model: compact lines, with hidden characters made visible. */
export function printForAgent(blocks: readonly Block[]): string {
  return blocks.map(printBlock).join('\n')
}

function printBlock(block: Block): string {
  if ('raw' in block) return toVisible(block.raw).replace(/\n$/, '')
  if ('quote' in block) return toQuotation(block.quote)
  if ('detail' in block) return `${printLine(block.head)}\n  ${printLine(block.detail)}`
  if ('heads' in block) return printTable(block)
  if ('aside' in block) return printLine(block.aside)
  return printLine(block)
}

function printLine(line: Line): string {
  return line
    .map(({ text, isData, time }) => (isData ? toLine(time ? toSeconds(text) : text) : text))
    .join('')
}

function toSeconds(time: string): string {
  return time.replace(/\.\d{3}Z$/, 'Z')
}

function printTable({ heads, rows }: Table): string {
  return [heads, ...rows.map((row) => row.map(printLine))].map((row) => row.join(' | ')).join('\n')
}
