import { isScalar, parseDocument, Scalar, visit } from 'yaml'
import { toVisible } from '../text/visible-text.ts'
import type { YamlEdit } from './parse-yaml.ts'
import { toQuoted } from './yaml-text.ts'

/** Lists whose dashes stand below the key, as some tools write them. */
const FLAT_LIST = /^( *)[^\s#-][^\n]*:[ \t]*\n\1- /m

/** A YAML text with these places changed. Its comments stay, and so do the quotes and the indentation of the rest. */
export function editDocument(text: string, edits: readonly YamlEdit[]): string {
  const document = parseDocument(text)
  const escaped = new Map<string, string>()
  for (const { path, value } of edits) {
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
    indentSeq: !FLAT_LIST.test(text),
    flowCollectionPadding: !/[[{]\S/.test(text),
  })
  return edited.replaceAll(MARKER, (marker) => escaped.get(marker) ?? marker)
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
