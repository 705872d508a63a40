import { parse, stringify, TomlError } from 'smol-toml'
import { Failure } from '../../core/error.ts'
import type { Edit, Format, Json, Path } from './edit.ts'
import { endLine, lineEnding, withLineEnding } from './lines.ts'
import { type Block, blocksOf } from './toml-blocks.ts'
import { depthOf, findIn, isFields, valueAt, without } from './value-tree.ts'

/** TOML, edited by whole tables such as `[mcp_servers.waymark]`. All other text is kept as it is. */
export const TOML_FORMAT: Format = {
  find: (text, edit) => findIn(parseToml(text), edit),
  rest: (text, edit) => without(parseToml(text), edit),
  depth: (text, path) => depthOf(parseToml(text), path),
  isBlank: (text) => text.trim() === '',
  put,
  take,
}

function put(text: string, { path, value }: Edit): string {
  const table = withLineEnding(`${stringify(nest(path, value)).trim()}\n`, lineEnding(text))
  const [first, ...others] = tablesAt(text, path)
  if (first === undefined) return append(text, table)
  return splice(cut(text, others), first, table)
}

function append(text: string, table: string): string {
  return text.trim() === '' ? text + table : endLine(text) + lineEnding(text) + table
}

function take(text: string, { path }: Edit): string {
  return cut(
    text,
    tablesAt(text, path).map((table) => withBlankLine(text, table)),
  )
}

/** Our table and its subtables; empty if there is none. */
function tablesAt(text: string, path: Path): readonly Block[] {
  const tables = blocksOf(text).filter(
    (block) => path.every((key, at) => block.path[at] === key) && !block.isList,
  )
  if (tables.length === 0 && valueAt(parseToml(text), path) !== undefined) {
    throw new Failure(
      'invalid_input',
      `has "${path.join('.')}" as an inline table, dotted key or array; change it to a [${path.join('.')}] table and run again`,
    )
  }
  return tables
}

/** The empty line that `append` put before the table goes with it. */
function withBlankLine(text: string, table: Block): Block {
  const blank = /(?<=\n)\r?\n$/.exec(text.slice(0, table.start))?.[0].length ?? 0
  return { ...table, start: table.start - blank }
}

function splice(text: string, { start, end }: Block, table: string): string {
  return text.slice(0, start) + table + text.slice(end)
}

function cut(text: string, blocks: readonly Block[]): string {
  return blocks.toReversed().reduce((rest, block) => splice(rest, block, ''), text)
}

function nest(path: Path, value: Json): Record<string, Json> {
  return path.reduceRight<Json>((inner, key) => ({ [key]: inner }), value) as Record<string, Json>
}

function parseToml(text: string): unknown {
  try {
    return toPlain(parse(text, { integersAsBigInt: 'asNeeded' }))
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause
    const [problem] = cause.message.replace('Invalid TOML document: ', '').split('\n')
    throw new Failure(
      'invalid_input',
      `is not valid TOML at line ${cause.line}, column ${cause.column}: ${problem}`,
      { cause },
    )
  }
}

/** The parser's objects have no prototype, which makes them unequal to ours. */
function toPlain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toPlain)
  if (!isFields(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toPlain(inner)]))
}
