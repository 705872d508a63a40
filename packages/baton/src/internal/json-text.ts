/** Default limit for the nesting of arrays and objects in one message. */
export const DEFAULT_DEPTH = 64

/**
 * Maximum number of object members in one message. Parsing that many blocks the event loop for about 100 ms; a message
 * of the maximum size in bytes could have ten times as many.
 */
const MAX_MEMBERS = 131_072

/** Maximum number of object members and array items in one message: twice as many, for lists of small objects. */
const MAX_VALUES = 2 * MAX_MEMBERS

type Measured =
  | { readonly count: MemberCount; readonly excess?: undefined }
  | { readonly count?: undefined; readonly excess: string }

/** Counts the members of a JSON text, or says which limit it exceeds. */
export function measureJson(text: string, maxDepth: number): Measured {
  const count = countMembers(text, maxDepth)
  if (count === undefined) return { excess: `nests deeper than ${maxDepth} levels` }
  if (count.all > MAX_MEMBERS) return { excess: `has more than ${MAX_MEMBERS} members` }
  if (count.commas > MAX_VALUES) return { excess: `has more than ${MAX_VALUES} values` }
  return { count }
}

/** Says which limit of a message a JSON text exceeds, before it is parsed: `nests deeper than 64 levels`. */
export function findJsonExcess(text: string): string | undefined {
  return measureJson(text, DEFAULT_DEPTH).excess
}

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
function countMembers(text: string, maxDepth: number): MemberCount | undefined {
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
 * Finds the text of the `id` in the first part of a request, for frames that cannot be parsed completely.
 * Only an `id` member of the root object counts, and only if its value is complete.
 */
export function findIdText(text: string): string | undefined {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE: {
        const end = endOfString(text, at)
        if (depth === 1 && text.slice(at, end + 1) === '"id"') {
          const value = ID_VALUE.exec(text.slice(end + 1, end + 1 + MAX_ID_TEXT))?.[1]
          if (value !== undefined) return value
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
  return undefined
}

/** Enough for 256 characters, each written as an escape sequence. */
const MAX_ID_TEXT = 2048

// The alternatives start with different characters, so the match cannot backtrack.
const ID_VALUE = /^\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)\s*[,}]/

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

/**
 * Names that can pollute prototypes when an object is merged into another.
 * No MCP message needs them, so they are refused on input instead of being handled everywhere.
 */
const FORBIDDEN_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/** The member count of a parsed JSON value, and a forbidden name if it has one. */
export interface ValueScan {
  readonly members: number
  readonly forbiddenName: string | undefined
}

/** Counts the object members of a parsed value and looks for forbidden names. */
export function scanValue(value: unknown): ValueScan {
  const scan = { members: 0, forbiddenName: undefined }
  visit(value, scan)
  return scan
}

// Recursion is safe: the caller has refused texts that nest too deep.
function visit(value: unknown, scan: { members: number; forbiddenName: string | undefined }): void {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    for (const item of value) visit(item, scan)
    return
  }
  for (const name of Object.keys(value)) {
    scan.members++
    if (FORBIDDEN_NAMES.has(name)) scan.forbiddenName = name
    visit((value as Record<string, unknown>)[name], scan)
  }
}
