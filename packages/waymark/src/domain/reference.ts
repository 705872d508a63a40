import * as z from 'zod'
import { violation } from '../parse.ts'

/** How people and agents name an entity: its number, or the first characters of its id. */
export const reference = z.string().describe('Number, or at least 4 characters of the id')

export type Reference = { readonly number: number } | { readonly prefix: string }

const SHORTEST_PREFIX = 4
const ID_DIGITS = 32

/** Digits are a number, leading zeros allowed; hexadecimal text is a prefix, in which case and hyphens do not matter. */
export function parseReference(value: string, field = 'id'): Reference {
  const word = value.trim().replace(/^#/, '')
  if (/^\d+$/.test(word) && Number.isSafeInteger(Number(word))) return { number: Number(word) }
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

/** The short form shown to people: number and the first characters of the id. */
export function toDisplayId(entity: { readonly number: number; readonly id: string }): string {
  return `${String(entity.number).padStart(3, '0')} (${entity.id.slice(0, 7)})`
}
