import type { Context } from './context.ts'
import { agentIdOf, mayActAs } from './domain/agent.ts'
import type { Operation } from './operation.ts'
import { violation } from './parse.ts'
import { sha256 } from './sha256.ts'

const LONGEST_KEY = 200
const KEY_FIELD = 'idempotency_key'

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
  const given = context.idempotencyKey ?? fieldOf(rawInput, KEY_FIELD)
  if (given === undefined) return context
  const requestHash = sha256(JSON.stringify(input))
  const key = ownKey(ownerOf(context, input), toKey(given))
  return { ...context, repeatable: { operation: name, key, requestHash } }
}

/** What is left for the operation itself, which knows nothing of the key. */
export function withoutKey(rawInput: unknown): unknown {
  if (fieldOf(rawInput, KEY_FIELD) === undefined) return rawInput
  const { [KEY_FIELD]: _, ...rest } = rawInput as Readonly<Record<string, unknown>>
  return rest
}

/** Two agents may well think of the same key; neither is given what the other was answered. */
function ownKey(owner: string, key: string): string {
  return sha256(JSON.stringify([owner, key]))
}

/**
 * Whose call it is: that of the agent it names, or of whoever proved to be the caller, or of the caller's name. Never of
 * a connection: a call is repeated because the connection broke before the answer came.
 */
function ownerOf({ agent }: Context, input: unknown): string {
  const named = fieldOf(input, 'agent_id')
  if (typeof named === 'string' && mayActAs(agent, named)) return named
  return agent.owner ?? (agent.name === null ? '' : agentIdOf(agent.name))
}

/** Checked by hand: this file is needed to connect, and a schema library is not. */
function toKey(given: unknown): string {
  const key = typeof given === 'string' ? given.trim() : ''
  if (key !== '' && key.length <= LONGEST_KEY && key.isWellFormed()) return key
  throw violation(KEY_FIELD, 'bad_format', `must be text of 1 to ${LONGEST_KEY} characters`)
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return (value as Readonly<Record<string, unknown>>)[name]
}
