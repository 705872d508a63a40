import { countMembers } from './json-text.ts'
import type { MemberCount } from './json-text.ts'

/** How deep the arrays and objects of one message may nest, unless told otherwise. */
export const DEFAULT_DEPTH = 64

/**
 * How many members all objects of one message may have together. Reading that many blocks the event loop for a tenth
 * of a second; a message of the allowed size could have ten times as many.
 */
const MAX_MEMBERS = 131_072

/** How many members and items all objects and arrays may have together: twice as many, for lists of small objects. */
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
