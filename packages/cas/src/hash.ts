import { createHash, type Hash } from 'node:crypto'
import { ContentError } from './content-error.ts'

const HASH = /^[0-9a-f]{64}$/

/** Whether a text is a hash as this store writes it: SHA-256, 64 lower-case hexadecimal digits. */
export function isContentHash(text: unknown): text is string {
  return typeof text === 'string' && HASH.test(text)
}

/** Nothing else ever becomes part of a path. */
export function parseContentHash(text: unknown): string {
  if (isContentHash(text)) return text
  throw new ContentError(
    'invalid_hash',
    'a hash is 64 lower-case hexadecimal digits (SHA-256 of the content)',
  )
}

export function createContentHash(): Hash {
  return createHash('sha256')
}
