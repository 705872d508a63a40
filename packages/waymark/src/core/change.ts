import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Agent, Context, RepeatableCall } from './context.ts'
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
 * For so long the answer of an agent whose process has ended is also its successor's. A host starts its server again
 * at once; an agent that comes later under the same name has more likely thought of the same key by chance.
 */
const INHERITED_MS = 15 * 60 * 1000

/** After so many steps a long change looks up, so that a timeout or a cancellation can reach it. */
const STEPS_AT_ONCE = 32

/** One change in the making: the nouns, when and by whom, and how to tell the others about it. */
export interface Change extends Omit<StoreTransaction, 'answers' | 'events' | 'now'> {
  readonly stamp: Stamp
  /** Which tasks may be written: none that another agent holds. */
  readonly admission: Admission
  /** Writes held tasks too. Only for merging what was decided elsewhere, and for repairs. */
  readonly unguardedReplica: StoreTransaction['replica']
  readonly announce: Announce
  /** Tells what was done elsewhere by somebody of this name. */
  announceFor(name: string | null): Announce
}

type Announce = (
  type: string,
  subject: string,
  data: Readonly<Record<string, unknown>>,
) => Promise<void>

/**
 * Runs `work` in one transaction; what it changes and what it announces become visible together or not at all. A
 * repeated call is answered as the first time, without doing the work again. A caller that gives up is heard until
 * the last step: then nothing of the change is kept.
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

/** How the answer to a repeated call differs from the first one. */
interface Recalling<T> {
  /** The answer as it may be kept, when that must not be all of it. */
  readonly toKept?: (output: T) => T
  /**
   * The answer to the repeated call, where what was kept may have stopped being true. `from` is the agent that got it,
   * when that was the caller's predecessor.
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
 * What this call was answered before, for those who do something outside the store first that must not be done again.
 * Its type is the one that the caller answers with.
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
 * The same call, but to be carried to its end: one that has done something outside the store must say what, or whoever
 * told it to stop would take it for never done and ask for it again.
 */
export function toTheEnd(context: Context): Context {
  return { ...context, signal: new AbortController().signal }
}

/**
 * The same for the same call, however often it is repeated, also by the caller's successor; undefined for one that
 * carries no key. Two agents of one name that say the same under one key get the same.
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

/** What `work` would answer. It is done as if it were meant, and then nothing of it is kept. */
export async function tryChange<T>(
  context: Context,
  work: (change: Change) => Promise<T>,
): Promise<T> {
  try {
    return await change<never>(context, async (change) => {
      throw new OnlyTried(await work(change))
    })
  } catch (error) {
    if (error instanceof OnlyTried) return error.output as T
    throw error
  }
}

class OnlyTried extends Error {
  readonly output: unknown

  constructor(output: unknown) {
    super('this was only tried')
    this.output = output
  }
}

/** The same entities, where everything new says through what and by whom it came here. */
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
  call: RepeatableCall | undefined,
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
 * What the caller's predecessor was answered: an agent of the same name whose process had answered before the caller's
 * was started, and has ended since, as a host leaves one behind that starts its server again. The answer is the
 * caller's from now on. While that process runs, or if both ran at once, it is another agent.
 */
async function inheritedAnswer(
  answers: StoreTransaction['answers'],
  call: RepeatableCall,
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

function toAnswer(call: RepeatableCall, output: unknown, at: number): AnswerRow {
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
  const what = 'this was done, and its answer was erased with something that was deleted for good'
  const remedy = 'look at what is there, and give another idempotency key to do it once more'
  return new Failure('conflict', `${what}; ${remedy}`, {
    details: { reason: 'answer_erased', field: 'idempotency_key' },
  })
}
