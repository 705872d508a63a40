import { type Document, isMap, isNode, isPair, isScalar, Scalar, visit } from 'yaml'
import { toVisible } from '../text/visible-text.ts'
import type { YamlEdit } from './parse-yaml.ts'
import { toQuoted } from './yaml-text.ts'

/** Whether there is a list whose dashes stand below the key, as some tools write them. */
function hasFlatList(text: string): boolean {
  const lines = text.split('\n')
  return lines.some((line, at) => {
    const [, indent] = /^( *)[^\s#-]/.exec(line) ?? []
    const isKey = indent !== undefined && line.trimEnd().endsWith(':')
    return isKey && lines[at + 1]?.startsWith(`${indent}- `) === true
  })
}

/** The text of a parsed document with these places changed. Its comments stay, and so do the quotes and the indentation of the rest. */
export function editDocument(document: Document, text: string, edits: readonly YamlEdit[]): string {
  const escaped = new Map<string, string>()
  for (const part of new Set(edits.map(({ path }) => path[0]))) separate(document, part)
  for (const { path: names, value } of edits) {
    const path = toKeys(document, names)
    const place = document.getIn(path, true)
    if (value === undefined) {
      document.deleteIn(path)
    } else if (isScalar(place) && typeof value !== 'object') {
      place.value = value
      hide(place, escaped)
    } else {
      const node = document.createNode(value)
      visit(node, { Scalar: (_, scalar) => hide(scalar, escaped) })
      document.setIn(path, node)
    }
  }
  const edited = document.toString({
    lineWidth: 0,
    indentSeq: !hasFlatList(text),
    flowCollectionPadding: !/[[{]\S/.test(text),
  })
  const whole = edited.replaceAll(MARKER, (marker) => escaped.get(marker) ?? marker)
  // The library writes neither.
  const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : ''
  return mark + (/(?<!\r)\n/.test(text) ? whole : whole.replaceAll('\n', '\r\n'))
}

const BYTE_ORDER_MARK = '\u{FEFF}'

/** Puts in the place of each alias what it stands for, so that an edit changes one place alone. */
function separate(document: Document, part: string | undefined): void {
  const node = document.get(part, true)
  if (!isMap(node)) return
  visit(node, {
    Alias(_, alias, path) {
      const pair = path.at(-1)
      if (isPair(pair) && isScalar(pair.key) && pair.key.source === '<<') return undefined
      const copy = alias.resolve(document)?.clone()
      if (!isNode(copy)) return undefined
      visit(copy, { Value: (__, value) => void delete value.anchor })
      return copy
    },
  })
}

/** Names are texts, but a key may be a number. */
function toKeys(document: Document, names: readonly string[]): readonly unknown[] {
  let node: unknown = document.contents
  return names.map((name) => {
    const items = isMap(node) ? node.items : []
    const pair = items.find(({ key }) => isScalar(key) && String(key.value) === name)
    node = pair?.value
    return isScalar(pair?.key) ? pair.key.value : name
  })
}

const MARKER = /waymark-hidden-[\da-f-]{36}/g

/** Invisible characters are written escaped. The library cannot, so a marker stands in their place until the end. */
function hide(scalar: Scalar, escaped: Map<string, string>): void {
  const { value } = scalar
  if (typeof value !== 'string' || toVisible(value) === value) return
  const marker = `waymark-hidden-${crypto.randomUUID()}`
  escaped.set(marker, toQuoted(value))
  scalar.value = marker
  scalar.type = Scalar.PLAIN
}
