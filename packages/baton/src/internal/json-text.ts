import { isRequestId } from '../protocol/json-rpc.ts'
import type { RequestId } from '../protocol/json-rpc.ts'

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/** The number of object members in a JSON text, in total and in its root object, and the number of commas. */
export interface MemberCount {
  readonly all: number
  readonly root: number
  /** One less than the members or items of each object and array. */
  readonly commas: number
}

/**
 * Counts the members of a JSON text without parsing it, or returns undefined if it nests too deep.
 * `JSON.parse` accepts a million levels, and a recursive walk of such a value overflows the stack.
 * For invalid JSON the count is meaningless; `JSON.parse` rejects the text later.
 */
export function countMembers(text: string, maxDepth: number): MemberCount | undefined {
  let depth = 0
  let all = 0
  let root = 0
  let commas = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at)
        break
      case COMMA:
        commas++
        break
      case COLON:
        all++
        if (depth === 1) root++
        break
      case OPEN_BRACE:
      case OPEN_BRACKET:
        if (++depth > maxDepth) return undefined
        break
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        depth--
        break
      default:
    }
  }
  return { all, root, commas }
}

/**
 * Finds the id of a request in the first part of its text, for frames that cannot be parsed completely.
 * Only an `id` member of the root object counts, and only if its value is complete.
 */
export function findRequestId(text: string): RequestId | null {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE: {
        const end = endOfString(text, at)
        if (depth === 1 && text.slice(at, end + 1) === '"id"') {
          const value = ID_VALUE.exec(text.slice(end + 1, end + 1 + MAX_ID_TEXT))?.[1]
          if (value !== undefined) return parseRequestId(value)
        }
        at = end
        break
      }
      case OPEN_BRACE:
      case OPEN_BRACKET:
        depth++
        break
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        depth--
        break
      default:
    }
  }
  return null
}

/** Enough for 256 characters, each written as an escape sequence. */
const MAX_ID_TEXT = 2048

// The alternatives start with different characters, so the match cannot backtrack.
const ID_VALUE = /^\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)\s*[,}]/

function parseRequestId(text: string): RequestId | null {
  try {
    const id: unknown = JSON.parse(text)
    return isRequestId(id) ? id : null
  } catch {
    return null
  }
}

/** The index of the closing quote, or the length of the text if the string is not closed. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end === -1 ? text.length : end
}

function isEscaped(text: string, at: number): boolean {
  let first = at
  while (text.charCodeAt(first - 1) === BACKSLASH) first--
  return (at - first) % 2 === 1
}
