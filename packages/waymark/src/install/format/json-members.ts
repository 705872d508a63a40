import type { Node } from 'jsonc-parser'
import type { Json } from './edit.ts'
import { endOf, endsInLineComment, skipTrivia, WHITE_SPACE } from './json-tree.ts'
import { indentationAt, lineEnding, lineStart, withLineEnding } from './lines.ts'

/** How the text around a place is laid out, so that what we add looks as if it had always been there. */
export interface Style {
  readonly ending: '\n' | '\r\n'
  /** What lines at this level begin with. */
  readonly indent: string
  readonly unit: string
  readonly isInline: boolean
  /** Whether there are no spaces after colons and commas. */
  readonly isTight: boolean
}

/** The style inside a value; an empty one is laid out like what it is in. */
export function styleOf(text: string, node?: Node): Style {
  const parent = node?.parent?.type === 'property' ? node.parent.parent : node?.parent
  const model = node?.children?.length ? node : parent
  const span = model === undefined ? '\n' : text.slice(model.offset, endOf(model))
  const isInline = !span.includes('\n')
  return {
    ending: lineEnding(text),
    indent: node === undefined ? '' : indentationAt(text, node.offset),
    unit: unitOf(text),
    isInline,
    isTight: isInline && !/[:,] /.test(span),
  }
}

/** The first indented line tells what one level is. */
function unitOf(text: string): string {
  return /\n([ \t]+)["{[]/.exec(text)?.[1] ?? '  '
}

export function renderValue(value: Json, style: Style): string {
  if (style.isInline) return renderInline(value, style.isTight ? '' : ' ')
  const text = JSON.stringify(value, null, style.unit).replaceAll('\n', `\n${style.indent}`)
  return withLineEnding(text, style.ending)
}

function renderInline(value: Json, space: string): string {
  if (Array.isArray(value)) {
    return `[${value.map((item: Json) => renderInline(item, space)).join(`,${space}`)}]`
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([key, inner]) => `${JSON.stringify(key)}:${space}${renderInline(inner as Json, space)}`,
  )
  return `{${members.join(`,${space}`)}}`
}

export interface NewMember {
  /** Absent for an element of a list. */
  readonly key?: string
  readonly value: Json
}

/**
 * Adds a member behind the last one. The comma goes directly behind that one, the new member behind the comments that
 * follow it, so that no comment changes its owner. A list that ends with a comma gets another one.
 */
export function insertMember(text: string, container: Node, member: NewMember): string {
  const style = styleOf(text, container)
  const last = container.children?.at(-1)
  const open = last === undefined ? container.offset + 1 : endOf(last)
  const close = endOf(container) - 1
  const comma = skipTrivia(text, open)
  const hasComma = text.charAt(comma) === ','
  const at = trimmedEnd(text, hasComma ? comma + 1 : open, close)
  // A closing bracket that stood directly behind the opening one gets a line of its own.
  const isTorn = last === undefined && !style.isInline && !text.slice(at, close).includes('\n')
  return [
    text.slice(0, open),
    last === undefined || hasComma ? '' : ',',
    text.slice(open, at),
    renderMember(member, { ...style, indent: memberIndent(text, last, style) }, last === undefined),
    hasComma ? ',' : '',
    isTorn ? style.ending + style.indent : '',
    text.slice(at),
  ].join('')
}

function renderMember({ key, value }: NewMember, style: Style, isFirst: boolean): string {
  const space = style.isTight ? '' : ' '
  const gap = style.isInline ? (isFirst ? '' : space) : style.ending + style.indent
  const name = key === undefined ? '' : `${JSON.stringify(key)}:${space}`
  return gap + name + renderValue(value, style)
}

/** That of the last member, unless it begins in the middle of a line. */
function memberIndent(text: string, last: Node | undefined, { indent, unit }: Style): string {
  if (last === undefined) return indent + unit
  const own = indentationAt(text, last.offset)
  return lineStart(text, last.offset) + own.length === last.offset ? own : indent + unit
}

/**
 * Removes a member, the comma that it needed and the white space before it. All comments stay. What `insertMember` added
 * goes without a trace.
 */
export function removeMember(text: string, container: Node, member: Node): string {
  const siblings = container.children ?? []
  const previous = siblings[siblings.indexOf(member) - 1]
  const open = previous === undefined ? container.offset + 1 : endOf(previous)
  let head = text.slice(0, member.offset)
  let tail = text.slice(endOf(member))
  const comma = skipTrivia(tail, 0)
  if (tail.charAt(comma) === ',') tail = withoutCharacter(tail, comma)
  else if (previous !== undefined) head = withoutCharacter(head, skipTrivia(head, open))
  const joined = join(head, tail, open)
  return siblings.length === 1 ? collapse(joined, container.offset) : joined
}

/** What follows on the line moves to where the member was, unless a line comment would swallow it. */
function join(head: string, tail: string, open: number): string {
  const rest = tail.replace(/^[ \t]+/, '')
  const isEndOfLine = /^(?:[\r\n]|$)/.test(rest)
  const isEnd = /^[\]}]/.test(rest) && !endsInLineComment(head, open, head.length)
  return isEndOfLine || isEnd
    ? head.slice(0, trimmedEnd(head, open, head.length)) + tail
    : head + rest
}

function collapse(text: string, open: number): string {
  const rest = text.slice(open + 1)
  const inside = /^[ \t\r\n]*(?=[\]}])/.exec(rest)?.[0].length ?? 0
  return text.slice(0, open + 1) + rest.slice(inside)
}

/** Where the white space before a position begins. */
function trimmedEnd(text: string, from: number, to: number): number {
  let at = to
  while (at > from && WHITE_SPACE.includes(text.charAt(at - 1))) at -= 1
  return at
}

function withoutCharacter(text: string, at: number): string {
  return text.slice(0, at) + text.slice(at + 1)
}
