import type { Context, RepeatableCall } from '../context.ts'
import { callerId, mayActAs } from '../../agent/agent.ts'
import type { Operation } from '../operation.ts'
import { violation } from '../input/parse.ts'
import { sha256 } from '../../support/sha256.ts'

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
  const repeatable: RepeatableCall = {
    operation: name,
    ...callerOf(context, input),
    key: toKey(given),
    requestHash: sha256(JSON.stringify(input)),
  }
  return { ...context, repeatable }
}

/** What is left for the operation itself, which knows nothing of the key. */
export function withoutKey(rawInput: unknown): unknown {
  if (fieldOf(rawInput, KEY_FIELD) === undefined) return rawInput
  const { [KEY_FIELD]: _, ...rest } = rawInput as Readonly<Record<string, unknown>>
  return rest
}

/** Under which an answer is kept: two agents may well think of the same key, and neither is given the other's answer. */
export function answerKey({ agentId, key }: RepeatableCall): string {
  return sha256(JSON.stringify([agentId, key]))
}

/** Under which the successor of an agent looks for answers, when the agent has ended with its process. */
export function lineageKey({ host, key }: RepeatableCall): string | undefined {
  return host === undefined ? undefined : sha256(JSON.stringify(['name', host.name, key]))
}

/**
 * Whose call it is: that of the agent it names, or of the caller. Never of all who share a name or a secret. A server
 * on pipes is a new agent each time it is started, so it also says what it goes by.
 */
function callerOf({ agent }: Context, input: unknown): Pick<RepeatableCall, 'agentId' | 'host'> {
  const named = fieldOf(input, 'agent_id')
  if (typeof named === 'string' && mayActAs(agent, named)) return { agentId: named }
  const { name, process } = agent
  return {
    agentId: callerId(agent) ?? '',
    ...(name !== null && process !== undefined && { host: { name, process } }),
  }
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
