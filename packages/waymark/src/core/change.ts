import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Context } from './context.ts'
import { callerId, type AgentId } from '../agent/agent.ts'
import { arrivalOf, join } from '../agent/join.ts'
import type { AgentRow } from '../agent/store.ts'
import { assertCurrentSession } from '../agent/session/identify-caller.ts'
import { forward, lazyFactory, override } from './store/lazily.ts'
import { type StoreTransaction, transactionNames } from './store/store.ts'
import {
  answerKey,
  findAnswer,
  forgetAnswers,
  lineageKey,
  readsOfAnswer,
  toAnswer,
} from './idempotency.ts'
import type { Entities, EntityRow, Stamp } from '../entity/store.ts'
import type { EventType } from '../event/types.ts'
import { type Admission, type Guarded, guardHeldTasks } from '../task/lease/guard.ts'
import { tellLostLeases } from '../task/lease/notices.ts'
import { toHolder } from '../task/lease/elsewhere/holders.ts'
import { withStoredLocks } from '../task/lock/stored-locks.ts'
import type { EntityId } from '../entity/entity-id.ts'

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
  type: EventType,
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
  { toKept = (output) => output, recall, reads = () => [] }: ChangeOptions<T> = {},
): Promise<T> {
  return context.store.write(async (tx) => {
    await tx.prefetch(() => [...readsOfCaller(context, tx), ...reads(tx)])
    const stamp = { at: await tx.now(context), by: context.agent.name }
    await assertCurrentSession(tx, context, stamp.at)
    await tellLostLeases(context, tx.leases)
    const id = callerId(context.agent)
    const caller = id === undefined ? undefined : await tx.agents.touch(id, stamp.at)
    const change = beginChange(context, tx, { stamp, caller })
    const { repeatable } = context
    const earlier = repeatable && (await findAnswer(tx.answers, repeatable, stamp.at))
    if (earlier !== undefined) {
      const output = earlier.output as T
      return recall === undefined ? output : await recall(change, output, earlier.from)
    }
    const output = await work(change)
    await joinSession(context, change)
    // Here it is a row that the engine keeps; after the call it would have to be read.
    if (context.coordination !== 'local') context.upkeep.register = await tx.leases.shared.state()
    context.signal.throwIfAborted()
    if (repeatable !== undefined) {
      await forgetAnswers(tx.answers, stamp.at)
      await tx.answers.put(toAnswer(repeatable, toKept(output), stamp.at))
    }
    return output
  }, context)
}

/** What every change reads first. */
function readsOfCaller(
  { agent, repeatable, tell }: Context,
  tx: StoreTransaction,
): Promise<unknown>[] {
  const id = callerId(agent)
  return [
    ...(id === undefined ? [] : [tx.agents.byId(id)]),
    ...(id === undefined || agent.session === undefined ? [] : [tx.agentSessions.of(id)]),
    ...(id === undefined || tell === undefined ? [] : [tx.leases.hasNotices(id)]),
    ...(repeatable === undefined ? [] : readsOfAnswer(tx.answers, repeatable)),
  ]
}

/** An agent that only writes, as a planner does, is one of those that are here too. */
async function joinSession(context: Context, change: Change): Promise<void> {
  const { session } = context.agent
  const { sessionAgents } = context.store
  if (session === undefined || sessionAgents.hasJoined(session)) return
  const id = sessionAgents.get(session)?.id
  if (id === undefined || id !== callerId(context.agent)) return
  if ((await change.agents.byId(id)) !== undefined) return sessionAgents.setJoined(session)
  const after = await arrivalOf(context, change, { id, at: change.stamp.at })
  await join(context, change, { id, after })
}

interface ChangeOptions<T> {
  /** What the work will read as far as its input tells, for engines that read ahead. */
  readonly reads?: (tx: StoreTransaction) => readonly Promise<unknown>[]
  /** The response to a retried call to store, where parts of it must not be stored. */
  readonly toKept?: (output: T) => T
  /**
   * Updates a stored response that may be stale. `from` is the agent that got it first, when that was the caller's
   * predecessor.
   */
  readonly recall?: (change: Change, kept: T, from: string | undefined) => Promise<T>
}

interface ChangeSource {
  readonly context: Context
  readonly tx: StoreTransaction
  readonly stamp: Stamp
  readonly caller: AgentRow | undefined
  readonly guarded: Guarded
  readonly announceFor: (agent: string | null, agentId?: AgentId) => Announce
}

const changeNouns = {
  ...forward(transactionNames, ({ tx }: ChangeSource) => tx),
  entities: (source: ChangeSource) => toLocalEntities(source),
  relations: ({ guarded }: ChangeSource) => guarded.relations,
  leases: ({ guarded }: ChangeSource) => guarded.leases,
  replica: ({ guarded }: ChangeSource) => guarded.replica,
  admission: ({ guarded }: ChangeSource) => guarded.admission,
  unguardedReplica: ({ tx }: ChangeSource) => tx.replica,
  stamp: ({ stamp }: ChangeSource) => stamp,
  announce: ({ announceFor, stamp, context }: ChangeSource) =>
    announceFor(stamp.by, callerId(context.agent)),
  announceFor: ({ announceFor }: ChangeSource) => announceFor,
}

const createChange = lazyFactory<ChangeSource, Change>(changeNouns)

function beginChange(
  context: Context,
  tx: StoreTransaction,
  { stamp, caller }: Pick<ChangeSource, 'stamp' | 'caller'>,
): Change {
  let steps = 0
  const announceFor =
    (agent: string | null, agentId?: AgentId): Announce =>
    async (type, subject, data) => {
      await tx.events.append({ type, subject, at: stamp.at, agent, agentId, data })
      steps += 1
      if (steps % STEPS_AT_ONCE === 0) await nextTurn()
      context.signal.throwIfAborted()
    }
  const guarded = guardHeldTasks(tx, { agentId: callerId(context.agent), now: stamp.at })
  return createChange({ context, tx, stamp, caller, guarded, announceFor })
}

interface Announced {
  readonly change: Change
  readonly announce: Announce
}

/** The same change with another way to append events. */
export const withAnnounce = lazyFactory<Announced, Change>({
  ...forward(Object.keys(changeNouns) as (keyof Change)[], ({ change }: Announced) => change),
  announce: ({ announce }) => announce,
})

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
    async (tx) => findAnswer(tx.answers, repeatable, await tx.now(context)),
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

/**
 * Adds the provenance (surface, agent, model) to new entities and the holder to tasks that are put in progress, and
 * stores paths as other clones can read them.
 */
function toLocalEntities({ guarded, tx, context, caller }: ChangeSource): Entities {
  const { agent, project } = context
  const stored = (properties: EntityRow['properties']): EntityRow['properties'] =>
    project !== undefined && 'locks' in properties
      ? withStoredLocks(properties, project.root)
      : properties
  const withHolder = async (
    properties: EntityRow['properties'],
    id?: EntityId,
  ): Promise<EntityRow['properties']> => {
    const { status, holders, assignee } = properties
    // An assignee says already who does it.
    const isSaid = status !== 'in_progress' || holders !== undefined || assignee !== undefined
    if (isSaid || agent.name === null) return properties
    const before = id === undefined ? undefined : await tx.entities.byId(id)
    if (before?.status === 'in_progress') return properties
    return { ...properties, holders: [await toHolder(tx, agent.name)] }
  }
  const id = callerId(agent)
  const model = caller?.model ?? null
  const origin = {
    via: agent.surface,
    ...(id !== undefined && agent.assumed !== true && { agent: id }),
    ...(model !== null && { model }),
    ...(agent.proved === true && { proved: true as const }),
  }
  return override(tx.entities, {
    ...guarded.entities,
    async insert(entity) {
      return await guarded.entities.insert({
        ...entity,
        properties: await withHolder(stored(entity.properties)),
        origin: { ...origin, ...entity.origin },
      })
    },
    async update(id, { properties, ...changes }, stamp) {
      const own = properties && { properties: await withHolder(stored(properties), id) }
      return await guarded.entities.update(id, { ...changes, ...own }, stamp)
    },
  })
}
