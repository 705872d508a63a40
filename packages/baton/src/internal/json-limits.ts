import { countMembers } from './json-text.ts'
import type { MemberCount } from './json-text.ts'

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
