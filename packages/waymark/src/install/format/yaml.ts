import { isMap, isScalar, isSeq, type Pair, parseDocument, stringify, type YAMLMap } from 'yaml'
import { Failure } from '../../core/error.ts'
import type { Edit, Format, Json, Path } from './edit.ts'
import { endLine, indentationAt, lineEnding, lineStart, nextLine, withLineEnding } from './lines.ts'
import { depthOf, findIn, without } from './value-tree.ts'

/**
 * YAML, edited by whole lines at the positions that the parser reports. Serialising the document would reformat the rest
 * of the file.
 */
export const YAML_FORMAT: Format = {
  find: (text, edit) => findIn(parseYaml(text).value, edit),
  rest: (text, edit) => without(parseYaml(text).value, edit),
  depth: (text, path) => depthOf(parseYaml(text).value, path),
  isBlank: (text) => text.trim() === '',
  put,
  take,
}

type Item = Pair<{ readonly range: Range }, { readonly range: Range } | null>
type Range = readonly [start: number, valueEnd: number, nodeEnd: number]

function put(text: string, edit: Edit): string {
  return edit.isListed === true ? putElement(text, edit) : putKey(text, edit)
}

function putKey(text: string, { path, value }: Place): string {
  const { items, missing } = descend(text, path)
  const innermost = items.at(-1)
  if (innermost === undefined) return endLine(text) + render(text, missing, value, '')
  if (missing.length === 0) {
    const [start, end] = linesOf(text, innermost)
    return (
      text.slice(0, start) +
      render(text, path.slice(-1), value, indentOf(text, innermost)) +
      text.slice(end)
    )
  }
  return insertInto(text, innermost, { missing, value })
}

type Place = Pick<Edit, 'path' | 'value'>

/** Puts an element into a list: in the place of the one with its name, else behind the last one. */
function putElement(text: string, { path, value }: Place): string {
  const elements = elementsAt(text, path)
  const last = elements.at(-1)
  if (last === undefined) return putKey(text, { path: path.slice(0, -1), value: [value] })
  const own = elements.find(({ name }) => name === path.at(-1))
  const { start, end } = own ?? { start: last.end, end: last.end }
  const element = render(text, [], [value], indentationAt(text, last.start))
  return endLine(text.slice(0, start)) + element + text.slice(end)
}

function takeElement(text: string, { path }: Edit, keep: number): string {
  const elements = elementsAt(text, path)
  const own = elements.find(({ name }) => name === path.at(-1))
  if (own === undefined) return text
  if (elements.length > 1) return text.slice(0, own.start) + text.slice(own.end)
  const list = path.slice(0, -1)
  return keep < list.length ? takeKey(text, list, keep) : putKey(text, { path: list, value: [] })
}

/** An element of a list, from the beginning of its first line to the end of its last one. */
interface Element {
  readonly name: unknown
  readonly start: number
  readonly end: number
}

/** The elements of the list that the path leads into. */
function elementsAt(text: string, path: Path): readonly Element[] {
  const { items, missing } = descend(text, path.slice(0, -1))
  const list = items.at(-1)?.value
  if (missing.length > 0 || list === null || (isScalar(list) && list.source === '')) return []
  if (!isSeq(list)) throw new Failure('invalid_input', `has no list at "${path[0]}"`)
  if (list.flow === true && list.items.length > 0) throw byHand()
  return list.items.map((node) => {
    const [first = 0, last = 0] = (isMap(node) || isScalar(node) ? node.range : undefined) ?? []
    const start = lineStart(text, first)
    if (text.slice(start, first).trim() !== '-') throw byHand()
    const name: unknown = isMap(node) ? node.get('name') : undefined
    return { name, start, end: nextLine(text, last) }
  })
}

interface Addition {
  readonly missing: Path
  readonly value: Json
}

/** Adds a key to the value of `item`: behind its last key, or in the place of an empty value. */
function insertInto(text: string, item: Item, { missing, value }: Addition): string {
  const map = item.value
  if (isMap(map) && map.items.length > 0) {
    if (map.flow === true) throw byHand()
    const [first] = map.items as Item[]
    const last = map.items.at(-1) as Item
    const [, end] = linesOf(text, last)
    const indent = first === undefined ? '' : indentOf(text, first)
    return endLine(text.slice(0, end)) + render(text, missing, value, indent) + text.slice(end)
  }
  const [start, end] = emptyValueOf(text, item)
  const rest = nextLine(text, end)
  const line = endLine(text.slice(0, start).trimEnd() + text.slice(end, rest))
  return line + render(text, missing, value, `${indentOf(text, item)}  `) + text.slice(rest)
}

/** Where `{}`, or nothing at all, stands behind a key. */
function emptyValueOf(text: string, { key, value }: Item): readonly [number, number] {
  const colon = text.indexOf(':', key.range[1]) + 1
  if (value === null || (isScalar(value) && value.source === '')) return [colon, colon]
  if (isMap(value)) return [value.range?.[0] ?? colon, value.range?.[1] ?? colon]
  throw byHand()
}

function take(text: string, edit: Edit, keep: number = edit.path.length): string {
  return edit.isListed === true ? takeElement(text, edit, keep) : takeKey(text, edit.path, keep)
}

function takeKey(text: string, path: Path, keep: number): string {
  const { items, missing } = descend(text, path)
  if (missing.length > 0) return text
  let at = items.length - 1
  while (at > keep && isOnlyChildOf(items[at - 1])) at -= 1
  const item = items[at]
  if (item === undefined) return text
  const [start, end] = linesOf(text, item)
  const next = text.slice(0, start) + text.slice(end)
  const parent = items[at - 1]
  if (parent === undefined || !isOnlyChildOf(parent)) return next
  // A key without a value would be null; it was, or now is, an empty map.
  const colon = text.indexOf(':', parent.key.range[1]) + 1
  return `${next.slice(0, colon)} {}${next.slice(colon)}`
}

function isOnlyChildOf(parent: Item | undefined): boolean {
  return isMap(parent?.value) && parent.value.items.length === 1
}

/** From the beginning of the key's line to the end of the value's last line. */
function linesOf(text: string, { key, value }: Item): readonly [number, number] {
  const start = lineStart(text, key.range[0])
  if (text.slice(start, key.range[0]).trim() !== '') throw byHand()
  return [start, nextLine(text, Math.max(value?.range[1] ?? 0, key.range[1] + 1))]
}

function indentOf(text: string, { key }: Item): string {
  return indentationAt(text, key.range[0])
}

function render(text: string, path: Path, value: Json, indent: string): string {
  const tree = path.reduceRight<Json>((inner, key) => ({ [key]: inner }), value)
  const lines = stringify(tree, { lineWidth: 0 }).replaceAll(/^(?=.)/gm, indent)
  return withLineEnding(lines, lineEnding(text))
}

interface Descent {
  /** The pairs on the path that exist. */
  readonly items: readonly Item[]
  readonly missing: Path
}

function descend(text: string, path: Path): Descent {
  const items: Item[] = []
  let map: unknown = parseYaml(text).contents
  for (const [at, key] of path.entries()) {
    const item = isMap(map) ? pairOf(map, key) : undefined
    if (item === undefined) return { items, missing: path.slice(at) }
    items.push(item)
    map = item.value
  }
  return { items, missing: [] }
}

function pairOf(map: YAMLMap, name: string): Item | undefined {
  return map.items.find(({ key }) => isScalar(key) && key.value === name) as Item | undefined
}

function parseYaml(text: string): { readonly contents: unknown; readonly value: unknown } {
  const document = parseDocument(text)
  const [error] = document.errors
  if (error !== undefined) {
    const { line, col } = error.linePos?.[0] ?? { line: 1, col: 1 }
    const [problem = ''] = error.message.split(' at line ')
    throw new Failure(
      'invalid_input',
      `is not valid YAML at line ${line}, column ${col}: ${problem.toLowerCase()}`,
      { cause: error },
    )
  }
  const { contents } = document
  if (contents !== null && !isMap(contents)) {
    throw new Failure('invalid_input', 'holds something other than keys and values')
  }
  return { contents, value: document.toJS() ?? {} }
}

function byHand(): Failure {
  return new Failure(
    'invalid_input',
    'uses flow style ({…}) or a layout that cannot be edited; put each key on its own line and run again',
  )
}
