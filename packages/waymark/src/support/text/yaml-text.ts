import { Document, parse, Scalar, visit } from 'yaml'
import { violation } from '../../core/input/parse.ts'
import { escapeHidden, toVisible } from './visible-text.ts'

/** Reads YAML from somewhere else; `path` is where, for whoever has to mend it. */
export function parseYaml(text: string, path: string): unknown {
  try {
    // Aliases can be nested so that a small file grows without end.
    return parse(text, { maxAliasCount: 100 })
  } catch (cause) {
    const [reason = ''] = (cause as Error).message.split('\n')
    throw violation('path', 'bad_format', `${path.slice(0, 200)} is not YAML: ${reason}`)
  }
}

/** YAML that hides nothing: what is not seen is escaped, which YAML allows in double quotes only. */
export function toYaml(value: unknown): string {
  const document = new Document(value)
  visit(document, {
    Scalar(_, node) {
      if (typeof node.value === 'string' && toVisible(node.value) !== node.value) {
        node.type = Scalar.QUOTE_DOUBLE
      }
    },
  })
  return escapeHidden(document.toString(), toYamlEscape)
}

function toYamlEscape(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16)
  return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`
}
