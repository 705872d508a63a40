import * as z from 'zod'
import { violation } from '../core/input/parse.ts'

/** How people and agents name an entity: its number, or the first characters of its id. */
export const reference = z
  .string()
  .describe('Number, or at least 4 characters of the id (7 if all are digits)')

export type Reference =
  | { readonly number: number; readonly prefix?: string }
  | { readonly number?: undefined; readonly prefix: string }

const SHORTEST_PREFIX = 4
const ID_DIGITS = 32

/**
 * Digits are a number, leading zeros allowed; hexadecimal text is a prefix, in which case and hyphens do not matter.
 * As many digits as are shown of an id may be either, unless a # says that they are a number.
 */
export function parseReference(value: string, field = 'id'): Reference {
  const given = value.trim()
  const word = given.replace(/^#/, '')
  if (/^\d+$/.test(word) && Number.isSafeInteger(Number(word))) {
    const number = Number(word)
    return isShownPrefix(given) ? { number, prefix: given } : { number }
  }
  const prefix = word.replaceAll('-', '').toLowerCase()
  if (/^[0-9a-f]+$/.test(prefix) && prefix.length >= SHORTEST_PREFIX && prefix.length <= ID_DIGITS)
    return { prefix }
  throw violation(
    field,
    'bad_format',
    `must be a number or at least ${SHORTEST_PREFIX} hexadecimal characters of an id`,
    { value: value.slice(0, 100), format: 'reference' },
  )
}

/** Whether a word is long enough to have been copied from an id that is shown. */
export function isShownPrefix(word: string): boolean {
  return /^[0-9a-f]{7,32}$/i.test(word)
}

/** How an entity is named to people. */
export function toDisplayId({ number }: { readonly number: number }): string {
  return `#${number}`
}
