import {
  createScanner,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
  stripComments,
} from 'jsonc-parser'
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
  if (isTooDeep(root)) throw unreadable('is nested too deeply')
  return root
}

/** Levels of the tree, in which a member of an object is one and its value another. Comparing values is recursive. */
const MAX_LEVELS = 1000

function isTooDeep(root: Node | undefined): boolean {
  let nodes = root === undefined ? [] : [root]
  for (let level = 0; nodes.length > 0; level += 1) {
    if (level === MAX_LEVELS) return true
    nodes = nodes.flatMap(({ children = [] }) => children)
  }
  return false
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

/** The value as `JSON.parse` returns it: objects with the usual prototype, and `__proto__` as an ordinary key. */
export function toPlain(node: Node | undefined): unknown {
  return node === undefined ? {} : JSON.parse(JSON.stringify(getNodeValue(node)))
}

export const WHITE_SPACE = ' \t\r\n'

export function endOf(node: Node): number {
  return node.offset + node.length
}

/** The first position from here on that holds neither white space nor a comment. */
export function skipTrivia(text: string, from: number): number {
  const scanner = createScanner(text, true)
  scanner.setPosition(from)
  scanner.scan()
  return scanner.getTokenOffset()
}

/** Whether text added directly behind the last character of the range would become part of a line comment. */
export function endsInLineComment(text: string, from: number, to: number): boolean {
  return !stripComments(`${text.slice(from, to).trimEnd()},`).endsWith(',')
}

export function unreadable(problem: string, cause?: unknown): Failure {
  return new Failure('invalid_input', problem, { cause })
}
