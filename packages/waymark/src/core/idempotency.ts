import type { Context, IdempotentCall } from './context.ts'
import { callerId, mayActAs, type AgentId, toAgentId, NO_AGENT } from '../agent/agent.ts'
import type { Operation } from './operation.ts'
import { violation } from './input/parse.ts'
import { Failure } from './error.ts'
import { hasEnded } from '../support/process-identity.ts'
import { sha256 } from '../support/hash/sha256.ts'
import type { Sql } from './store/sql.ts'
import { parseStored } from './store/stored-json.ts'
import type { EntityId } from '../entity/entity-id.ts'

const LONGEST_KEY = 200
const KEY_FIELD = 'idempotency_key'

/** How long responses are stored for retries. */
export const ANSWERS_KEPT_MS = 24 * 60 * 60 * 1000

/**
 * How long a restarted agent inherits the stored responses of its predecessor. A host restarts its server at once; a
 * later agent of the same name has more likely chosen the same key by chance.
 */
const INHERITED_MS = 15 * 60 * 1000

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
  if (typeof named === 'string' && mayActAs(agent, named)) return { agentId: toAgentId(named) }
  const { name, process } = agent
  return {
    agentId: callerId(agent) ?? NO_AGENT,
    ...(name !== null && process !== undefined && { host: { name, process } }),
  }
}

/** Checked by hand: this file is needed to connect, and a schema library is not. */
function toKey(given: unknown): string {
  const key = typeof given === 'string' ? given.trim() : ''
  if (key !== '' && key.length <= LONGEST_KEY && key.isWellFormed()) return key
  throw violation(KEY_FIELD, 'bad_format', `must be text of 1 to ${LONGEST_KEY} characters`)
}

/** A field of an input that may not have been checked yet. */
export function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return (value as Readonly<Record<string, unknown>>)[name]
}

/** The stored response to an earlier call with the same key, if there is one. */
export async function findAnswer(
  answers: Answers,
  call: IdempotentCall,
  now: number,
): Promise<{ readonly output: unknown; readonly from?: string } | undefined> {
  const answer = await findCurrent(answers, call, now)
  if (answer === undefined) return await inheritedAnswer(answers, call, now - INHERITED_MS)
  if (answer.output === undefined) throw answerErased()
  if (answer.requestHash === call.requestHash) return answer
  throw new Failure('conflict', 'this idempotency key was used for a call with other input', {
    details: { reason: 'key_reused', field: 'idempotency_key' },
  })
}

/** Old responses go when another one is stored. */
export async function forgetAnswers(answers: Answers, now: number): Promise<void> {
  await answers.forgetBefore(now - ANSWERS_KEPT_MS)
}

/** What `findAnswer` reads. */
export function readsOfAnswer(answers: Answers, call: IdempotentCall): Promise<unknown>[] {
  const lineage = lineageKey(call)
  return [
    answers.find(call.operation, answerKey(call)),
    ...(lineage === undefined ? [] : [answers.ofLineage(call.operation, lineage)]),
  ]
}

/** The response under the caller's own key. One that an earlier session of the same agent got long ago is dropped. */
async function findCurrent(
  answers: Answers,
  call: IdempotentCall,
  now: number,
): Promise<AnswerRow | undefined> {
  const answer = await answers.find(call.operation, answerKey(call))
  const since = now - INHERITED_MS
  if (answer !== undefined && answer.at < now - ANSWERS_KEPT_MS) return undefined
  const process = call.host?.process.name
  const isEarlier = process !== undefined && answer?.process !== process
  if (answer === undefined || !isEarlier || answer.process === null || answer.at >= since)
    return answer
  await answers.forget(answer)
  return undefined
}

/**
 * The stored response of the caller's predecessor: an agent of the same name whose process stored it before the
 * caller's process started, and has exited since, as after a restart by the host. The response moves to the caller. An
 * agent whose process still runs, or ran at the same time, is no predecessor.
 */
async function inheritedAnswer(
  answers: Answers,
  call: IdempotentCall,
  since: number,
): Promise<{ readonly output: unknown; readonly from?: string } | undefined> {
  const lineage = lineageKey(call)
  if (lineage === undefined || call.host === undefined) return undefined
  for (const answer of await answers.ofLineage(call.operation, lineage)) {
    const { agentId: from, process, output, at } = answer
    if (from === null || process === null || at < since) continue
    if (at > call.host.process.startedAt || !hasEnded(process)) continue
    if (output === undefined) throw answerErased()
    if (answer.requestHash !== call.requestHash) continue
    const { agentId, host } = call
    await answers.pass(answer, { key: answerKey(call), agentId, process: host.process.name })
    return { output, from }
  }
  return undefined
}

/** The response of a call as it is stored. */
export function toAnswer(call: IdempotentCall, output: unknown, at: number): AnswerRow {
  const { operation, agentId, requestHash, host } = call
  return {
    operation,
    key: answerKey(call),
    requestHash,
    output,
    at,
    agentId,
    lineage: lineageKey(call) ?? null,
    process: host?.process.name ?? null,
  }
}

function answerErased(): Failure {
  const what = 'this request already ran, but its stored response was purged'
  const remedy = 'use a new idempotency key to run it again'
  return new Failure('conflict', `${what}; ${remedy}`, {
    details: { reason: 'answer_erased', field: 'idempotency_key' },
  })
}

/** The stored response of a call with an idempotency key. */
export interface AnswerRow {
  readonly operation: string
  readonly key: string
  /** Hash of the input: the same key with other input is a conflict. */
  readonly requestHash: string
  /** Undefined when it was erased by the purge of an entity that it names. */
  readonly output: unknown
  /** Milliseconds since 1970. */
  readonly at: number
  /** Null in rows from before this column. */
  readonly agentId: AgentId | null
  /** Key by which the agent's successor finds it after `process` has exited. */
  readonly lineage: string | null
  readonly process: string | null
}

type Owner = Pick<AnswerRow, 'key' | 'agentId' | 'process'>

type AnswerRecord = AnswerRow & { readonly output: string }

const COLUMNS = `operation, key, request_hash AS requestHash, output, at, agent_id AS agentId, lineage,
  process`

/** Marks an erased output; valid JSON is never empty. */
const ERASED = ''

export type Answers = ReturnType<typeof createAnswers>

export function createAnswers(sql: Sql) {
  return {
    async find(operation: string, key: string): Promise<AnswerRow | undefined> {
      const record = await sql.get<AnswerRecord>(
        `SELECT ${COLUMNS} FROM answer WHERE operation = ? AND key = ?`,
        [operation, key],
      )
      return record && toRow(record)
    },

    /** Responses to agents of one name under one key, latest first. */
    async ofLineage(operation: string, lineage: string): Promise<AnswerRow[]> {
      const records = await sql.all<AnswerRecord>(
        `SELECT ${COLUMNS} FROM answer WHERE operation = ? AND lineage = ? ORDER BY at DESC, key`,
        [operation, lineage],
      )
      return records.map(toRow)
    },

    /** Moves a response to another agent. */
    async pass({ operation, key }: Pick<AnswerRow, 'operation' | 'key'>, to: Owner): Promise<void> {
      await sql.send(
        `UPDATE answer SET key = ?, agent_id = ?, process = ? WHERE operation = ? AND key = ?`,
        [to.key, to.agentId, to.process, operation, key],
      )
    },

    async put(answer: AnswerRow): Promise<void> {
      const { operation, key, requestHash, output, at, agentId, lineage, process } = answer
      await sql.send(
        `INSERT INTO answer (operation, key, request_hash, output, at, agent_id, lineage, process)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        [operation, key, requestHash, JSON.stringify(output), at, agentId, lineage, process],
      )
    },

    async forget({ operation, key }: Pick<AnswerRow, 'operation' | 'key'>): Promise<void> {
      await sql.send('DELETE FROM answer WHERE operation = ? AND key = ?', [operation, key])
    },

    async forgetBefore(at: number): Promise<void> {
      await sql.send('DELETE FROM answer WHERE at < ?', [at])
    },
  }
}

function toRow(record: AnswerRecord): AnswerRow {
  const { operation, output } = record
  if (output === ERASED) return { ...record, output: undefined }
  return { ...record, output: parseStored<unknown>(output, `the answer to ${operation}`) }
}

/**
 * Erases every stored response that names the entity. The key stays, or a retry would run the call again. The hash of
 * the input is erased as well, because it would confirm a guess of the purged text.
 */
export async function eraseAnswers(sql: Sql, entityId: EntityId): Promise<void> {
  await sql.send(`UPDATE answer SET output = ?, request_hash = '' WHERE instr(output, ?) > 0`, [
    ERASED,
    entityId,
  ])
}
