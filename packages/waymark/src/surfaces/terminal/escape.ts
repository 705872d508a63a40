import { toEscaped } from '../../support/text/visible-text.ts'

/** Stored text may hold escape sequences or bidirectional marks; a terminal shows them and never obeys. */
export function plain(text: string | undefined): string {
  return text === undefined ? '' : toEscaped(text)
}

export function multiline(text: string): string {
  return text.replaceAll('\t', '    ').split(/\r?\n/).map(toEscaped).join('\n')
}
