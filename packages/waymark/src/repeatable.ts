import { createHash } from 'node:crypto'
import type { Context } from './context.ts'
import type { Operation } from './operation.ts'
import { parse } from './parse.ts'
import { line } from './schema.ts'

const key = line({ max: 200 })

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
  const requestHash = createHash('sha256').update(JSON.stringify(input)).digest('hex')
  const repeatable = { operation: name, key: parse(key, given, ['idempotency_key']), requestHash }
  return { ...context, repeatable }
}

function keyIn(rawInput: unknown): unknown {
  if (typeof rawInput !== 'object' || rawInput === null) return undefined
  return (rawInput as Readonly<Record<string, unknown>>)['idempotency_key']
}
