import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { Failure } from '../../core/error.ts'
import { positionOf } from './lines.ts'

/** Comments and trailing commas are allowed: most hosts write them or accept them. */
const OPTIONS = { allowTrailingComma: true, disallowComments: false, allowEmptyContent: true }

/** The text as a tree with offsets; undefined when there is nothing but white space and comments. */
export function parseJson(text: string): Node | undefined {
  const errors: ParseError[] = []
  const root = parseOrOverflow(text, errors)
  const [error] = errors
  if (error !== undefined) {
    const problem = printParseErrorCode(error.error)
      .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
      .toLowerCase()
    throw unreadable(`is not valid JSON at ${positionOf(text, error.offset)}: ${problem}`)
  }
  if (root !== undefined && root.type !== 'object') {
    throw unreadable('holds something other than a JSON object')
  }
  return root
}

function parseOrOverflow(text: string, errors: ParseError[]): Node | undefined {
  try {
    return parseTree(text, errors, OPTIONS)
  } catch (cause) {
    if (cause instanceof RangeError) throw unreadable('is nested too deeply', cause)
    throw cause
  }
}

/** The property with this key. Two of them would mean that hosts disagree on which one counts. */
export function propertyOf(object: Node, key: string): Node | undefined {
  const found = (object.children ?? []).filter((property) => property.children?.[0]?.value === key)
  if (found.length > 1) throw unreadable(`has the key "${key}" twice in one object`)
  return found[0]
}

export function valueOf(property: Node | undefined): Node | undefined {
  return property?.children?.[1]
}

/** Plain values; spreading copies a key like `__proto__` as a key, assigning would obey it. */
export function toPlain(node: Node | undefined): unknown {
  if (node?.type === 'array') return (node.children ?? []).map(toPlain)
  if (node !== undefined && node.type !== 'object') return node.value as unknown
  const fields = Object.create(null) as Record<string, unknown>
  for (const { children: [key, value] = [] } of node?.children ?? []) {
    fields[String(key?.value)] = toPlain(value)
  }
  return { ...fields }
}

export const WHITE_SPACE = ' \t\r\n'

export function endOf(node: Node): number {
  return node.offset + node.length
}

/** The first position from here on that holds neither white space nor a comment. */
export function skipTrivia(text: string, from: number): number {
  let at = from
  for (;;) {
    while (at < text.length && WHITE_SPACE.includes(text.charAt(at))) at += 1
    const end = commentEnd(text, at)
    if (end === at) return at
    at = end
  }
}

/** Whether a stretch without values ends, apart from white space, with a comment that lasts to the end of its line. */
export function endsInLineComment(text: string, from: number, to: number): boolean {
  let isLine = false
  for (let at = from; at < to;) {
    const end = commentEnd(text, at)
    if (!WHITE_SPACE.includes(text.charAt(at))) isLine = text.startsWith('//', at)
    at = Math.max(end, at + 1)
  }
  return isLine
}

function commentEnd(text: string, at: number): number {
  const [closing, length] = text.startsWith('//', at) ? ['\n', 1] : ['*/', 2]
  if (length === 2 && !text.startsWith('/*', at)) return at
  const end = text.indexOf(closing, at + 2)
  return end === -1 ? text.length : end + length
}

export function unreadable(problem: string, cause?: unknown): Failure {
  return new Failure('invalid_input', problem, { cause })
}
