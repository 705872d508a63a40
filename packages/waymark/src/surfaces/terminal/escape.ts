import { toEscaped } from '../../support/text/visible-text.ts'

/** Escapes control characters and bidirectional marks in stored text, so that the terminal does not interpret them. */
export function plain(text: string | undefined): string {
  return text === undefined ? '' : toEscaped(text)
}

export function multiline(text: string): string {
  return text.replaceAll('\t', '    ').split(/\r?\n/).map(toEscaped).join('\n')
}
