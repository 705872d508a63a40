import { createHash } from 'node:crypto'
import { firstCharacters } from '../../support/text/visible-text.ts'

/** A part of a document, by its heading or by its lines. */
export interface SectionReference {
  readonly anchor: string
  /** First and last line, from 1. */
  readonly lines?: readonly [number, number] | undefined
}

/** `overview`, or `overview:10-42` for lines of the document. */
export function parseSectionReference(text: string): SectionReference {
  const match = /^(.*):(\d+)-(\d+)$/.exec(text)
  if (match === null) return { anchor: toAnchor(text) }
  const [, anchor = '', first, last] = match
  return { anchor: toAnchor(anchor), lines: [Number(first), Number(last)] }
}

/** The text of a section up to the next heading of its level or above, or undefined if the document has none such. */
export function findSection(
  document: string,
  { anchor, lines }: SectionReference,
): string | undefined {
  const all = document.split(/\r?\n/)
  if (lines !== undefined) {
    const [first, last] = lines
    return first > all.length ? undefined : all.slice(first - 1, last).join('\n')
  }
  const headings = findHeadings(all)
  const at = headings.findIndex((heading) => isNamed(heading, anchor))
  const start = headings[at < 0 ? headings.findIndex((heading) => beginsWith(heading, anchor)) : at]
  if (start === undefined) return undefined
  const end = headings.find(({ line, level }) => line > start.line && level <= start.level)
  return all.slice(start.line, end?.line).join('\n').trim()
}

/** The same for texts that differ only in line endings or in blanks at the ends of lines. */
export function hashText(text: string): string {
  const normal = text.replaceAll(/(?<![ \t])[ \t]*\r?\n/g, '\n').trim()
  return createHash('sha256').update(normal).digest('hex')
}

/** The beginning of a text, cut between paragraphs if that does not lose much, else between words. */
export function cutText(
  text: string,
  max: number,
): { readonly text: string; readonly isCut: boolean } {
  const start = firstCharacters(text, max)
  if (start === text) return { text, isCut: false }
  const paragraph = start.lastIndexOf('\n\n')
  const word = start.search(/\s\S*$/)
  const end = paragraph > max / 2 ? paragraph : word > 0 ? word : start.length
  return { text: `${start.slice(0, end).trimEnd()}...`, isCut: true }
}

interface Heading {
  /** Counted from 0. */
  readonly line: number
  readonly level: number
  readonly title: string
  readonly id: string | undefined
}

function findHeadings(lines: readonly string[]): Heading[] {
  const headings: Heading[] = []
  let fence: string | undefined
  for (const [line, text] of lines.entries()) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(text)?.[1]
    // What looks like a heading inside a code block is a comment of some language.
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined
      continue
    }
    if (mark !== undefined) {
      fence = mark
      continue
    }
    const heading = /^ {0,3}(#{1,6})\s(.*)$/.exec(text)
    if (heading === null) continue
    const [, marks = '', rest = ''] = heading
    headings.push({ line, level: marks.length, ...parseTitle(rest) })
  }
  return headings
}

/** `Sign in {#auth} ##` is called "Sign in" and has the id auth. */
function parseTitle(text: string): Pick<Heading, 'id' | 'title'> {
  const title = text
    .trim()
    .replace(/(?<!#)#+$/, '')
    .trimEnd()
  const id = /\{#([^{}]+)\}$/.exec(title)?.[1]
  return id === undefined
    ? { id, title }
    : { id, title: title.slice(0, -`{#${id}}`.length).trimEnd() }
}

function isNamed({ id, title }: Heading, anchor: string): boolean {
  return id === anchor || toSlug(title) === toSlug(anchor)
}

function beginsWith({ title }: Heading, anchor: string): boolean {
  const wanted = toSlug(anchor)
  return wanted !== '' && toSlug(title).startsWith(wanted)
}

function toAnchor(text: string): string {
  return text.trim().replace(/^#+\s*/, '')
}

function toSlug(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/[\s-]+/g, '-')
}
