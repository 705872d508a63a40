import { Failure } from '../../core/error.ts'
import type { Edit, Format } from './edit.ts'
import { endLine, lineEnding, withLineEnding } from './lines.ts'

const BEGIN =
  '<!-- waymark:begin: written by `waymark install`, removed by `waymark install --uninstall` -->'
const END = '<!-- waymark:end -->'

/** A section of a Markdown file between two HTML comments. */
export const SECTION_FORMAT: Format = {
  find: (text) => contentOf(text),
  rest: (text) => take(text).replaceAll(/\r?\n/g, '\n').trimEnd(),
  depth: () => 0,
  isBlank: (text) => text.trim() === '',
  put,
  take,
}

interface Span {
  readonly start: number
  readonly end: number
}

function contentOf(text: string): string | undefined {
  const span = locate(text)
  if (span === undefined) return undefined
  const lines = text.slice(span.start, span.end).replaceAll('\r\n', '\n').trimEnd().split('\n')
  return lines.slice(1, -1).join('\n')
}

function put(text: string, { value }: Edit): string {
  const section = withLineEnding(`${BEGIN}\n${value as string}\n${END}\n`, lineEnding(text))
  const span = locate(text)
  if (span !== undefined) return text.slice(0, span.start) + section + text.slice(span.end)
  return text.trim() === '' ? text + section : endLine(text) + lineEnding(text) + section
}

function take(text: string): string {
  const span = locate(text)
  if (span === undefined) return text
  const before = text.slice(0, span.start)
  const blank = /(?<=\n)\r?\n$/.exec(before)?.[0].length ?? 0
  return before.slice(0, before.length - blank) + text.slice(span.end)
}

/** Requires both markers on lines of their own, or neither: a single marker does not delimit a section. */
function locate(text: string): Span | undefined {
  const begins = [...text.matchAll(/^<!-- waymark:begin\b.*-->[ \t]*\r?$/gm)]
  const ends = [...text.matchAll(/^<!-- waymark:end -->[ \t]*(?:\r?\n|$)/gm)]
  if (begins.length === 0 && ends.length === 0) return undefined
  const [begin] = begins
  const [end] = ends
  if (
    begin === undefined ||
    end === undefined ||
    begins.length + ends.length > 2 ||
    end.index < begin.index
  ) {
    throw new Failure(
      'invalid_input',
      'must have one line `<!-- waymark:begin … -->` and below it one line `<!-- waymark:end -->`, or neither',
    )
  }
  return { start: begin.index, end: end.index + end[0].length }
}
