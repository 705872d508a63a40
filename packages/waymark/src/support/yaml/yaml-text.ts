import { Document, Scalar, visit } from 'yaml'
import { escapeHidden, toVisible } from '../text/visible-text.ts'

/** YAML with invisible characters escaped, which is possible only in double quotes. */
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

/** A text in double quotes on one line, which is JSON with more escapes. */
export function toQuoted(text: string): string {
  return escapeHidden(JSON.stringify(text), toYamlEscape)
}

function toYamlEscape(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16)
  return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`
}
