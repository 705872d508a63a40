import type { Context } from './context.ts'
import type { Operation } from './operation.ts'
import { violation } from './parse.ts'
import { sha256 } from './sha256.ts'

const LONGEST_KEY = 200

interface Call {
  readonly rawInput: unknown
  /** The same input, checked and with its defaults: what counts when two calls are compared. */
  readonly input: unknown
}

/**
 * The context of a call that may be repeated, if it carries a key: as a surface found it in a header, or as
 * `idempotency_key` in the input, which every operation that changes something takes.
 */
export function asRepeatable(
  context: Context,
  { name, effect }: Operation,
  { rawInput, input }: Call,
): Context {
  if (effect === 'read') return context
  const given = context.idempotencyKey ?? keyIn(rawInput)
  if (given === undefined) return context
  const requestHash = sha256(JSON.stringify(input))
  return { ...context, repeatable: { operation: name, key: toKey(given), requestHash } }
}

/** Checked by hand: this file is needed to connect, and a schema library is not. */
function toKey(given: unknown): string {
  const key = typeof given === 'string' ? given.trim() : ''
  if (key !== '' && key.length <= LONGEST_KEY && key.isWellFormed()) return key
  throw violation('idempotency_key', 'bad_format', `must be text of 1 to ${LONGEST_KEY} characters`)
}

function keyIn(rawInput: unknown): unknown {
  if (typeof rawInput !== 'object' || rawInput === null) return undefined
  return (rawInput as Readonly<Record<string, unknown>>)['idempotency_key']
}
