import type { LineRange } from '../record.ts'

const LINE_FEED = 0x0a

/** How many lines `linesOf` would give, without making them. */
export function countLines(text: string): number {
  let count = text === '' || text.endsWith('\n') ? 0 : 1
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) === LINE_FEED) count += 1
  return count
}

/** Some lines of a text, counted from 1. */
export function sliceLines(text: string, { start, end }: LineRange): string {
  let first = start <= 1 ? 0 : text.length
  let line = 1
  for (let at = 0; at < text.length; at += 1) {
    if (text.charCodeAt(at) !== LINE_FEED) continue
    if (line === end) return text.slice(first, at)
    line += 1
    if (line === start) first = at + 1
  }
  return text.slice(first, text.endsWith('\n') ? -1 : undefined)
}

export function linesOf(text: string): readonly string[] {
  const lines = text.split('\n')
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}
