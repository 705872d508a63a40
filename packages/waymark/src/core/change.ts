import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Agent, Context, IdempotentCall } from './context.ts'
import { callerId } from '../agent/agent.ts'
import { Failure } from './error.ts'
import { extendLazily } from '../support/lazy.ts'
import { hasEnded } from '../support/process-identity.ts'
import { answerKey, lineageKey } from './idempotency/idempotency.ts'
import { type AnswerRow, ANSWERS_KEPT_MS } from './idempotency/store.ts'
import type { Entities, Stamp } from '../entity/store.ts'
import type { StoreTransaction } from './store/store.ts'
import { type Admission, guardHeldTasks } from '../task/lease/guard.ts'
import { withStoredLocks } from '../task/lock/stored-locks.ts'

/**
 * How long a restarted agent inherits the stored responses of its predecessor. A host restarts its server at once; a
 * later agent of the same name has more likely chosen the same key by chance.
 */
const INHERITED_MS = 15 * 60 * 1000

/** A long change yields to the event loop after this many steps, so that it sees a timeout or a cancellation. */
const STEPS_AT_ONCE = 32

/** The transaction of an operation: the nouns, time and author, and how to append events. */
export interface Change extends Omit<StoreTransaction, 'answers' | 'events' | 'now'> {
  readonly stamp: Stamp
  /** Which tasks may be written: none that another agent holds. */
  readonly admission: Admission
  /** Writes leased tasks too. Only for merges and repairs. */
  readonly unguardedReplica: StoreTransaction['replica']
  readonly announce: Announce
  /** Appends events of a change that another clone made, under its author's name. */
  announceFor(name: string | null): Announce
}

type Announce = (
  type: string,
  subject: string,
  data: Readonly<Record<string, unknown>>,
) => Promise<void>

/**
 * Runs `work` in one transaction, so that its changes and events commit together. A retried call with the same
 * idempotency key gets the stored response. A cancellation before the commit rolls everything back.
 */
export function change<T>(
  context: Context,
  work: (change: Change) => Promise<T>,
  { toKept = (output) => output, recall }: Recalling<T> = {},
): Promise<T> {
  return context.store.write(async (tx) => {
    const stamp = { at: await tx.now(context), by: context.agent.name }
    const change = beginChange(context, tx, stamp)
    const earlier = await earlierAnswer(tx.answers, context.repeatable, stamp.at)
    if (earlier !== undefined) {
      const output = earlier.output as T
      return recall === undefined ? output : await recall(change, output, earlier.from)
    }
    const caller = callerId(context.agent)
    if (caller !== undefined) await tx.agents.touch(caller, stamp.at)
    const output = await work(change)
    context.signal.throwIfAborted()
    if (context.repeatable !== undefined) {
      await tx.answers.put(toAnswer(context.repeatable, toKept(output), stamp.at))
    }
    return output
  }, context)
}

/** How the response to a retried call differs from the first one. */
interface Recalling<T> {
  /** The response to store, where parts of it must not be stored. */
  readonly toKept?: (output: T) => T
  /**
   * Updates a stored response that may be stale. `from` is the agent that got it first, when that was the caller's
   * predecessor.
   */
  readonly recall?: (change: Change, kept: T, from: string | undefined) => Promise<T>
}

function beginChange(context: Context, tx: StoreTransaction, stamp: Stamp): Change {
  const caller = callerId(context.agent)
  let steps = 0
  const announceFor =
    (agent: string | null, agentId?: string): Announce =>
    async (type, subject, data) => {
      await tx.events.append({ type, subject, at: stamp.at, agent, agentId, data })
      steps += 1
      if (steps % STEPS_AT_ONCE === 0) await nextTurn()
      context.signal.throwIfAborted()
    }
  const guarded = guardHeldTasks(tx, { agentId: caller, now: stamp.at })
  return extendLazily(tx, {
    entities: () =>
      withStoredLocks(
        withOrigin(guarded.entities, tx.agents, context.agent),
        context.project?.root,
      ),
    relations: () => guarded.relations,
    leases: () => guarded.leases,
    replica: () => guarded.replica,
    admission: () => guarded.admission,
    unguardedReplica: () => tx.replica,
    stamp: () => stamp,
    announce: () => announceFor(stamp.by, caller),
    announceFor: () => announceFor,
  })
}

/**
 * The stored response of this call, for operations with side effects outside the store that must not run twice. The
 * caller knows its type.
 */
export async function answeredBefore(
  context: Context,
): Promise<{ readonly output: never } | undefined> {
  const { store, repeatable } = context
  if (repeatable === undefined) return undefined
  const earlier = await store.write(
    async (tx) => earlierAnswer(tx.answers, repeatable, await tx.now(context)),
    context,
  )
  return earlier && { output: earlier.output as never }
}

/**
 * The context without cancellation. After a side effect outside the store the response must be stored, or a retry
 * would repeat the effect.
 */
export function uncancellable(context: Context): Context {
  return { ...context, signal: new AbortController().signal }
}

/**
 * An id that all retries of a call share, also those of the caller's successor; undefined without an idempotency key.
 * Two agents of one name that send the same input under one key get the same id.
 */
export function idOfCall({ repeatable }: Context): string | undefined {
  if (repeatable === undefined) return undefined
  const { operation, requestHash } = repeatable
  const key = lineageKey(repeatable) ?? answerKey(repeatable)
  return createHash('sha256')
    .update(`${operation} ${key} ${requestHash}`)
    .digest('hex')
    .slice(0, 32)
}

/** Runs `work` in a transaction that is always rolled back, and returns its output. */
export async function dryRun<T>(
  context: Context,
  work: (change: Change) => Promise<T>,
): Promise<T> {
  try {
    return await change<never>(context, async (change) => {
      throw new DryRunRollback(await work(change))
    })
  } catch (error) {
    if (error instanceof DryRunRollback) return error.output as T
    throw error
  }
}

class DryRunRollback extends Error {
  readonly output: unknown

  constructor(output: unknown) {
    super('dry run')
    this.output = output
  }
}

/** Adds the provenance (surface, agent, model) to new entities. */
function withOrigin(
  entities: Entities,
  agents: StoreTransaction['agents'],
  agent: Agent,
): Entities {
  return {
    ...entities,
    async insert(entity) {
      const id = callerId(agent)
      const model = id === undefined ? null : ((await agents.byId(id))?.model ?? null)
      const origin = {
        via: agent.surface,
        ...(id !== undefined && agent.assumed !== true && { agent: id }),
        ...(model !== null && { model }),
        ...(agent.proved === true && { proved: true as const }),
      }
      return await entities.insert({ ...entity, origin: { ...origin, ...entity.origin } })
    },
  }
}

async function earlierAnswer(
  answers: StoreTransaction['answers'],
  call: IdempotentCall | undefined,
  now: number,
): Promise<{ readonly output: unknown; readonly from?: string } | undefined> {
  if (call === undefined) return undefined
  await answers.forgetBefore(now - ANSWERS_KEPT_MS)
  const answer = await answers.find(call.operation, answerKey(call))
  if (answer === undefined) return await inheritedAnswer(answers, call, now - INHERITED_MS)
  if (answer.output === undefined) throw answerErased()
  if (answer.requestHash === call.requestHash) return answer
  throw new Failure('conflict', 'this idempotency key was used for a call with other input', {
    details: { reason: 'key_reused', field: 'idempotency_key' },
  })
}

/**
 * The stored response of the caller's predecessor: an agent of the same name whose process stored it before the
 * caller's process started, and has exited since, as after a restart by the host. The response moves to the caller. An
 * agent whose process still runs, or ran at the same time, is no predecessor.
 */
async function inheritedAnswer(
  answers: StoreTransaction['answers'],
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

function toAnswer(call: IdempotentCall, output: unknown, at: number): AnswerRow {
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
