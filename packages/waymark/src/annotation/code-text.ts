import { createHash } from 'node:crypto'

const HASH_LENGTH = 24

/** How a language shows what belongs together: by brackets, or by how far its lines are indented. */
export type Layout = 'free' | 'indented'

/** The same for code that differs only in layout: line breaks, indentation, blanks, the comma before a bracket. */
export function hashCode(code: string, layout: Layout): string {
  const normal = layout === 'free' ? collapse(code) : collapseIndented(code)
  return createHash('sha256').update(normal).digest('hex').slice(0, HASH_LENGTH)
}

/** On one line, without needless blanks, cut to `limit` characters. */
export function toOneLine(text: string, limit: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length <= limit ? line : `${line.slice(0, limit - 1).trimEnd()}…`
}

function collapse(code: string): string {
  return code
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([^\p{L}\p{N}_$ ]) ?/gu, '$1')
    .replaceAll(/,([)\]}])/g, '$1')
    .trim()
}

/** Keeps which line stands deeper than which, but not by how much. */
function collapseIndented(code: string): string {
  const depths: number[] = []
  const lines = logicalLines(code).map((line) => {
    const indentation = line.length - line.trimStart().length
    while ((depths.at(-1) ?? -1) > indentation) depths.pop()
    if (depths.at(-1) !== indentation) depths.push(indentation)
    return `${depths.length}:${collapse(line)}`
  })
  return lines.join('\n')
}

/** Lines that are not blank; those inside brackets belong to the line that opened them. */
function logicalLines(code: string): readonly string[] {
  const lines: string[] = []
  let open = 0
  for (const line of code.replaceAll('\t', '    ').split('\n')) {
    if (line.trim() === '') continue
    if (open > 0) lines.push(`${lines.pop() ?? ''} ${line.trim()}`)
    else lines.push(line)
    open += count(line, /[([{]/g) - count(line, /[)\]}]/g)
  }
  return lines
}

function count(line: string, pattern: RegExp): number {
  return line.match(pattern)?.length ?? 0
}
