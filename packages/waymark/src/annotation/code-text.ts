import { createHash } from 'node:crypto'
import { shorten } from '../support/text/visible-text.ts'

const HASH_LENGTH = 24

/** How a language shows what belongs together: by brackets, or by how far its lines are indented. */
export type Layout = 'free' | 'indented'

/** The same for code that differs only in layout: line breaks, indentation, blanks, the comma before a bracket. */
export function hashCode(code: string, layout: Layout): string {
  const hash = createHash('sha256')
  let waiting = ''
  for (const piece of layout === 'free' ? collapse(code) : collapseIndented(code)) {
    waiting += piece
    if (waiting.length < CHUNK_LENGTH) continue
    hash.update(waiting)
    waiting = ''
  }
  return hash.update(waiting).digest('hex').slice(0, HASH_LENGTH)
}

/** On one line, without needless blanks, cut to `limit` characters. */
export function toOneLine(text: string, limit: number): string {
  return shorten(text.replaceAll(/\s+/g, ' ').trim(), limit)
}

/** How many characters are collapsed at once: regular expressions take a hundred times as much memory. */
const CHUNK_LENGTH = 64 * 1024

/** Without needless blanks and commas, in pieces that make up the whole. */
function* collapse(code: string): Generator<string> {
  for (let start = 0; start < code.length;) {
    const { end, next, joint } = cutBehind(code, start + CHUNK_LENGTH)
    yield collapsePiece(code.slice(start, end)) + joint
    start = next
  }
}

function collapsePiece(code: string): string {
  return code
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([^\p{L}\p{N}_$ ]) ?/gu, '$1')
    .replaceAll(/,([)\]}])/g, '$1')
    .trim()
}

interface Cut {
  readonly end: number
  /** Where the next piece begins, behind blanks. */
  readonly next: number
  /** What is left of those blanks. */
  readonly joint: string
}

/** A place where a text can be cut so that its pieces are collapsed to what the whole would be. */
function cutBehind(code: string, from: number): Cut {
  let end = Math.min(from, code.length)
  for (;;) {
    // Not behind a blank, nor between the halves of a character.
    while (end < code.length && /[\s\uD800-\uDBFF]/.test(code.charAt(end - 1))) end += 1
    let next = end
    while (next < code.length && /\s/.test(code.charAt(next))) next += 1
    const isComma = code.charAt(end - 1) === ',' && /[)\]}]/.test(code.charAt(next))
    if (!isComma) {
      const isBetweenWords = next > end && endsWord(code, end) && beginsWord(code, next)
      return { end, next, joint: isBetweenWords ? ' ' : '' }
    }
    end = next + 1
  }
}

/** Whether a character of a word ends there; it may be two code units long. */
function endsWord(code: string, end: number): boolean {
  return /[\p{L}\p{N}_$]$/u.test(code.slice(Math.max(0, end - 2), end))
}

function beginsWord(code: string, start: number): boolean {
  return /^[\p{L}\p{N}_$]/u.test(code.slice(start, start + 2))
}

/** Keeps which line stands deeper than which, but not by how much. */
function* collapseIndented(code: string): Generator<string> {
  const depths: number[] = []
  let separator = ''
  for (const line of logicalLines(code)) {
    const indentation = line.length - line.trimStart().length
    while ((depths.at(-1) ?? -1) > indentation) depths.pop()
    if (depths.at(-1) !== indentation) depths.push(indentation)
    yield `${separator}${depths.length}:`
    if (line.length <= CHUNK_LENGTH) yield collapsePiece(line)
    else yield* collapse(line)
    separator = '\n'
  }
}

/** Lines that are not blank; those inside brackets belong to the line that opened them. */
function* logicalLines(code: string): Generator<string> {
  let parts: string[] = []
  let open = 0
  for (const line of linesIn(code)) {
    const inner = line.trim()
    if (inner === '') continue
    if (open <= 0 && parts.length > 0) {
      yield parts.join(' ')
      parts = []
    }
    parts.push(open > 0 ? inner : line)
    open += openedIn(inner)
  }
  if (parts.length > 0) yield parts.join(' ')
}

function* linesIn(code: string): Generator<string> {
  for (let start = 0; start <= code.length;) {
    const found = code.indexOf('\n', start)
    const end = found < 0 ? code.length : found
    yield code.slice(start, end).replaceAll('\t', '    ')
    start = end + 1
  }
}

/** How many more brackets are opened than closed. */
function openedIn(line: string): number {
  let open = 0
  for (const bracket of line.match(/[()[\]{}]/g) ?? []) open += '([{'.includes(bracket) ? 1 : -1
  return open
}
