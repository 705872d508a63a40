import { withoutEnd } from '../../support/text/without-end.ts'
import type { LineRange } from '../record.ts'

/** Where each significant line of a text is, by its normal form. */
export interface LineIndex {
  /** By line number minus one; undefined for lines that any code has. */
  readonly lines: readonly (string | undefined)[]
  readonly places: ReadonlyMap<string, readonly number[]>
}

/** Part of a text, as it was in an annotated commit. */
export interface AnnotatedLines {
  /** Normal forms of the significant lines, in order. */
  readonly lines: readonly string[]
}

/** Words that stand alone on lines of any code. */
const COMMON = new Set(
  'else end do try finally then begin pass break continue fi done esac default null true false self this'.split(
    ' ',
  ),
)
const LEAST_CHARACTERS = 4

/** The line without blanks, quotes of one kind, and the comma or semicolon that formatters add and remove. */
function normalise(line: string): string | undefined {
  const dense = line.replaceAll(/\s+/g, '')
  if (dense.length < LEAST_CHARACTERS || !isSignificant(dense)) return undefined
  return withoutEnd(dense.includes('"') ? dense.replaceAll('"', "'") : dense, ';,')
}

/** Enough characters of words, and not one common word between signs. */
function isSignificant(dense: string): boolean {
  let [characters, words, isInWord] = [0, 0, false]
  for (let at = 0; at < dense.length; at += 1) {
    const code = dense.charCodeAt(at)
    if (code > LAST_ASCII) return isSignificantText(dense)
    const isUnderscore = code === UNDERSCORE
    if (isUnderscore || isLetterOrDigit(code)) {
      characters += 1
      // A word of underscores alone is none.
      if (!isUnderscore && !isInWord) words += 1
      isInWord ||= !isUnderscore
      if (words > 1 && characters >= LEAST_CHARACTERS) return true
    } else isInWord = false
  }
  return characters >= LEAST_CHARACTERS && !isCommon(dense)
}

const LAST_ASCII = 127
const UNDERSCORE = 95

function isLetterOrDigit(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57)
}

/** The same for text in any script. */
function isSignificantText(dense: string): boolean {
  return !isCommon(dense) && (dense.match(/[\p{L}\p{N}_]/gu)?.length ?? 0) >= LEAST_CHARACTERS
}

/** Signs alone, or one such word between them. */
function isCommon(line: string): boolean {
  const found = line.match(/[\p{L}\p{N}_]+/gu) ?? []
  const [word, ...more] = found.map((each) => each.replaceAll('_', '')).filter(Boolean)
  if (word === undefined) return true
  return more.length === 0 && (COMMON.has(word) || word.startsWith('return'))
}

const INDEXES = new WeakMap<object, LineIndex>()

/** Made once for all regions of a file. */
export function indexOf({ file }: { readonly file: { readonly text: string } }): LineIndex {
  const known = INDEXES.get(file)
  if (known !== undefined) return known
  const index = indexLines(file.text)
  INDEXES.set(file, index)
  return index
}

export function indexLines(text: string): LineIndex {
  const lines = text.split('\n').map(normalise)
  const places = new Map<string, number[]>()
  for (const [at, line] of lines.entries()) {
    if (line === undefined) continue
    const known = places.get(line)
    if (known === undefined) places.set(line, [at + 1])
    else known.push(at + 1)
  }
  return { lines, places }
}

export function cutAnnotated(text: string, range: LineRange): AnnotatedLines {
  return {
    lines: significant(text.slice(offsetOf(text, range.start), offsetOf(text, range.end + 1))),
  }
}

/** Where a line begins; the length of the text behind its last line. */
function offsetOf(text: string, line: number): number {
  let at = 0
  for (let count = 1; count < line; count += 1) {
    const next = text.indexOf('\n', at)
    if (next === -1) return text.length
    at = next + 1
  }
  return at
}

/** How many of the annotated lines a part of today's text has; each of its lines counts once. */
export function countKept(
  { lines }: AnnotatedLines,
  today: LineIndex,
  { start, end }: LineRange,
): number {
  const left = new Map<string, number>()
  for (const line of today.lines.slice(start - 1, end)) {
    if (line !== undefined) left.set(line, (left.get(line) ?? 0) + 1)
  }
  let kept = 0
  for (const line of lines) {
    const count = left.get(line) ?? 0
    if (count === 0) continue
    left.set(line, count - 1)
    kept += 1
  }
  return kept
}

/** How far from a unit its neighbours are looked for, in significant lines. */
const NEIGHBOURS = 4
const NEAR = 12

/** Whether what stood above or below the annotated lines stands there today: the lines between were rewritten in place. */
export function isInPlace(
  text: string,
  range: LineRange,
  today: LineIndex,
  { start, end }: LineRange,
): boolean {
  const from = offsetOf(text, range.start)
  const to = offsetOf(text, range.end + 1)
  const above = firstSignificant(
    text
      .slice(Math.max(0, from - 4_000), from)
      .split('\n')
      .toReversed(),
  )
  const below = firstSignificant(text.slice(to, to + 4_000).split('\n'))
  const isNear = (line: string, first: number, last: number) => {
    const places = today.places.get(line) ?? []
    return places.length === 1 && places.some((at) => at >= first && at <= last)
  }
  return (
    above.some((line) => isNear(line, start - NEAR, start - 1)) ||
    below.some((line) => isNear(line, end + 1, end + NEAR))
  )
}

function firstSignificant(lines: readonly string[]): readonly string[] {
  const found: string[] = []
  for (const each of lines) {
    const line = normalise(each)
    if (line !== undefined) found.push(line)
    if (found.length === NEIGHBOURS) break
  }
  return found
}

/** The normal forms of a text's lines, without those that any code has. */
function significant(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => normalise(line) ?? [])
}
