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

/** How many object members a JSON text spells, in all and in its outermost object, and how many commas. */
export interface MemberCount {
  readonly all: number
  readonly outermost: number
  /** One less than the members or items of each object and array. */
  readonly commas: number
}

/**
 * Counts the members of a JSON text without building anything, or returns undefined if it nests too deep.
 * `JSON.parse` accepts a million levels, and whatever walks such a value afterwards overflows the stack.
 * A text that is not JSON gives some count or other; `JSON.parse` is the one to refuse it.
 */
export function countMembers(text: string, maxDepth: number): MemberCount | undefined {
  let depth = 0
  let all = 0
  let outermost = 0
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
        if (depth === 1) outermost++
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
  return { all, outermost, commas }
}

/**
 * Finds the id of a request in the first part of its text, for frames that cannot be parsed as a whole.
 * Only an `id` member of the outermost object counts, and only if its value is there in full.
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

/** Long enough for 256 characters, each spelt as an escape. */
const MAX_ID_TEXT = 2048

// Every alternative begins with another character, so the match cannot backtrack into a second reading.
const ID_VALUE = /^\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)\s*[,}]/

function parseRequestId(text: string): RequestId | null {
  try {
    const id: unknown = JSON.parse(text)
    return isRequestId(id) ? id : null
  } catch {
    return null
  }
}

/** The index of the quote that closes the string, or of the text's last character if none does. */
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
