/** The line ending that a text uses; what is added to it uses the same. */
export function lineEnding(text: string): '\n' | '\r\n' {
  return /\r?\n/.exec(text)?.[0] === '\r\n' ? '\r\n' : '\n'
}

/** A text of ours with the line endings of the text it goes into. */
export function withLineEnding(text: string, ending: '\n' | '\r\n'): string {
  return ending === '\n' ? text : text.replaceAll('\n', ending)
}

/** The text, ended by a line break unless it is empty. */
export function endLine(text: string): string {
  return text === '' || text.endsWith('\n') ? text : text + lineEnding(text)
}

/** The white space that a position's line begins with. */
export function indentationAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, offset)))?.[0] ?? ''
}

export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1
}

/** Where the line after a position's line begins: the position itself if that is the beginning of a line. */
export function nextLine(text: string, offset: number): number {
  if (offset === lineStart(text, offset)) return offset
  const end = text.indexOf('\n', offset)
  return end === -1 ? text.length : end + 1
}

/** For messages: editors count lines and columns from one. */
export function positionOf(text: string, offset: number): string {
  const before = text.slice(0, offset)
  const line = before.split('\n').length
  return `line ${line}, column ${offset - lineStart(text, offset) + 1}`
}
