import type { Context, IdempotentCall } from '../context.ts'
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
 * The context of a call with an idempotency key: from a header that the surface read, or from `idempotency_key` in the
 * input, which every write accepts.
 */
export function withIdempotency(
  context: Context,
  { name, effect }: Operation,
  { rawInput, input }: Call,
): Context {
  if (effect === 'read') return context
  const given = context.idempotencyKey ?? fieldOf(rawInput, KEY_FIELD)
  if (given === undefined) return context
  const repeatable: IdempotentCall = {
    operation: name,
    ...callerOf(context, input),
    key: toKey(given),
    requestHash: sha256(JSON.stringify(input)),
  }
  return { ...context, repeatable }
}

/** The input without the key, which operations do not know. */
export function withoutKey(rawInput: unknown): unknown {
  if (fieldOf(rawInput, KEY_FIELD) === undefined) return rawInput
  const { [KEY_FIELD]: _, ...rest } = rawInput as Readonly<Record<string, unknown>>
  return rest
}

/** Key of a stored response. It includes the agent, because two agents may choose the same idempotency key. */
export function answerKey({ agentId, key }: IdempotentCall): string {
  return sha256(JSON.stringify([agentId, key]))
}

/** Key by which the successor of an agent finds stored responses after the agent's process has exited. */
export function lineageKey({ host, key }: IdempotentCall): string | undefined {
  return host === undefined ? undefined : sha256(JSON.stringify(['name', host.name, key]))
}

/**
 * The agent of the call: the one it names, or the caller, never all agents that share a name or a secret. A stdio
 * server is a new agent at each start, so the name and process are added for its successor.
 */
function callerOf({ agent }: Context, input: unknown): Pick<IdempotentCall, 'agentId' | 'host'> {
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
