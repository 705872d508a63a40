import { isDeepStrictEqual } from 'node:util'
import type { Node } from 'jsonc-parser'
import type { Edit, Format, Json, Path } from './edit.ts'
import { insertMember, removeMember, renderValue, type Style, styleOf } from './json-members.ts'
import { endOf, parseJson, propertyOf, toPlain, unreadable, valueOf } from './json-tree.ts'
import { depthOf, findIn, without } from './value-tree.ts'

/** JSON with or without comments. The text is never printed anew: members are spliced in and out of it. */
export const JSON_FORMAT: Format = {
  find: (text, edit) => findIn(toPlain(parseJson(text)), edit),
  rest: (text, edit) => without(toPlain(parseJson(text)), edit),
  depth: (text, path) => depthOf(toPlain(parseJson(text)), path),
  isBlank: (text) => ['', '{}'].includes(text.replaceAll(/[ \t\r\n]/g, '')),
  put,
  take,
}

function put(text: string, edit: Edit): string {
  const root = parseJson(text)
  if (root === undefined) return text + newDocument(text, edit)
  const { container, missing } = descend(root, edit.path)
  if (edit.kind === 'item') return putItem(text, container, missing, edit)
  if (missing.length > 0) return insertMember(text, container, toMember(missing, edit.value))
  if (edit.kind === 'default' || isDeepStrictEqual(toPlain(container), edit.value)) return text
  const value = renderValue(edit.value, styleOf(text, container))
  return text.slice(0, container.offset) + value + text.slice(endOf(container))
}

function putItem(text: string, container: Node, missing: Path, { path, value }: Edit): string {
  if (missing.length > 0) return insertMember(text, container, toMember(missing, [value]))
  if (container.type !== 'array') throw notA('list', path)
  const isThere = (container.children ?? []).some((item) => isDeepStrictEqual(toPlain(item), value))
  return isThere ? text : insertMember(text, container, { value })
}

function take(text: string, edit: Edit, keep: number = edit.path.length): string {
  const place = locate(text, edit)
  if (place === undefined) return text
  const next = removeMember(text, place.container, place.member)
  return pruned(next, edit.path, keep, edit.kind === 'item' ? 0 : 1)
}

/** Removes the emptied containers on the path, innermost first. */
function pruned(text: string, path: Path, keep: number, done: number): string {
  let next = text
  for (let length = path.length - done; length > keep; length -= 1) {
    const root = parseJson(next)
    if (root === undefined) return next
    const { container, missing } = descend(root, path.slice(0, length))
    if (missing.length > 0 || (container.children ?? []).length > 0) return next
    const member = container.parent
    if (member?.parent === undefined) return next
    next = removeMember(next, member.parent, member)
  }
  return next
}

interface Place {
  readonly container: Node
  /** A property of an object, or an element of a list. */
  readonly member: Node
}

function locate(text: string, { kind, path, value }: Edit): Place | undefined {
  const root = parseJson(text)
  if (root === undefined) return undefined
  const { container, missing } = descend(root, path)
  if (missing.length > 0) return undefined
  if (kind === 'item') {
    const member = container.children?.find((item) => isDeepStrictEqual(toPlain(item), value))
    return member === undefined ? undefined : { container, member }
  }
  const member = container.parent
  return member?.parent === undefined ? undefined : { container: member.parent, member }
}

interface Descent {
  /** The innermost value on the path that exists. */
  readonly container: Node
  readonly missing: Path
}

function descend(root: Node, path: Path): Descent {
  let container = root
  for (const [at, key] of path.entries()) {
    if (container.type !== 'object') throw notA('object', path.slice(0, at))
    const value = valueOf(propertyOf(container, key))
    if (value === undefined) return { container, missing: path.slice(at) }
    container = value
  }
  return { container, missing: [] }
}

function toMember([key = '', ...rest]: Path, value: Json): { key: string; value: Json } {
  return { key, value: rest.reduceRight<Json>((inner, name) => ({ [name]: inner }), value) }
}

const NEW_DOCUMENT: Style = {
  ending: '\n',
  indent: '',
  unit: '  ',
  isInline: false,
  isTight: false,
}

/** A file may be empty, or hold nothing but comments, which then stay on top. */
function newDocument(text: string, { kind, path, value }: Edit): string {
  const { key, value: content } = toMember(path, kind === 'item' ? [value] : value)
  const style = { ...NEW_DOCUMENT, ending: styleOf(text).ending }
  const isAtLineStart = /(?:^|\n)[ \t]*$/.test(text)
  return (isAtLineStart ? '' : style.ending) + renderValue({ [key]: content }, style) + style.ending
}

function notA(kind: 'list' | 'object', path: Path): Error {
  return unreadable(
    `has something other than ${kind === 'list' ? 'a list' : 'an object'} at "${path.join('.')}"`,
  )
}
