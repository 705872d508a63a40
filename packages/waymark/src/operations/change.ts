import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Agent, Context, RepeatableCall } from '../context.ts'
import { callerId } from '../domain/agent.ts'
import { Failure } from '../error.ts'
import { ANSWERS_KEPT_MS } from '../store/answers.ts'
import type { Entities, Stamp } from '../store/entities.ts'
import type { StoreTransaction } from '../store/store.ts'
import { withStoredLocks } from './stored-locks.ts'

/** After so many steps a long change looks up, so that a timeout or a cancellation can reach it. */
const STEPS_AT_ONCE = 32

/** One change in the making: the nouns, when and by whom, and how to tell the others about it. */
export interface Change extends Omit<StoreTransaction, 'answers' | 'events' | 'now'> {
  readonly stamp: Stamp
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
 * the last step: then nothing of the change is kept. `toKept`: the answer as it may be kept for a repeated call, when
 * that must not be all of it.
 */
export function change<T>(
  context: Context,
  work: (change: Change) => Promise<T>,
  toKept: (output: T) => T = (output) => output,
): Promise<T> {
  return context.store.write(async (tx) => {
    const { answers, events } = tx
    const stamp = { at: await tx.now(context), by: context.agent.name }
    const earlier = await earlierAnswer(answers, context.repeatable, stamp.at)
    if (earlier !== undefined) return earlier.output as T
    const caller = callerId(context.agent)
    if (caller !== undefined) await tx.agents.touch(caller, stamp.at)
    let steps = 0
    const announceFor =
      (agent: string | null, agentId?: string): Announce =>
      async (type, subject, data) => {
        await events.append({ type, subject, at: stamp.at, agent, agentId, data })
        steps += 1
        if (steps % STEPS_AT_ONCE === 0) await nextTurn()
        context.signal.throwIfAborted()
      }
    const announce = announceFor(stamp.by, caller)
    const entities = withStoredLocks(withOrigin(tx, context.agent), context.project?.root)
    const output = await work({ ...tx, entities, stamp, announce, announceFor })
    context.signal.throwIfAborted()
    if (context.repeatable !== undefined) {
      await answers.put({ ...context.repeatable, output: toKept(output), at: stamp.at })
    }
    return output
  }, context)
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

/** The same for the same call, however often it is repeated; undefined for one that carries no key. */
export function idOfCall({ repeatable }: Context): string | undefined {
  if (repeatable === undefined) return undefined
  const { operation, key, requestHash } = repeatable
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
function withOrigin({ entities, agents }: StoreTransaction, agent: Agent): Entities {
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
): Promise<{ readonly output: unknown } | undefined> {
  if (call === undefined) return undefined
  await answers.forgetBefore(now - ANSWERS_KEPT_MS)
  const answer = await answers.find(call.operation, call.key)
  if (answer === undefined) return undefined
  if (answer.output === undefined) throw answerErased()
  if (answer.requestHash === call.requestHash) return answer
  throw new Failure('conflict', 'this idempotency key was used for a call with other input', {
    details: { reason: 'key_reused', field: 'idempotency_key' },
  })
}

function answerErased(): Failure {
  const what = 'this was done, and its answer was erased with something that was deleted for good'
  const remedy = 'look at what is there, and give another idempotency key to do it once more'
  return new Failure('conflict', `${what}; ${remedy}`, {
    details: { reason: 'answer_erased', field: 'idempotency_key' },
  })
}
