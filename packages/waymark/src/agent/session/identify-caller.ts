import type { Agent, Context } from '../../core/context.ts'
import type { Operation } from '../../core/operation.ts'
import type { StoreTransaction } from '../../core/store/store.ts'
import { Failure } from '../../core/error.ts'
import { isTraceable } from '../../support/process-identity.ts'
import { toTitle } from '../../support/text/visible-text.ts'
import { callerId, OFFLINE_AFTER_MS, ownedAgentId, newAgentId, type AgentId } from '../agent.ts'
import { type AgentSession, isGone, toFreeName } from './session.ts'
import type { SessionAgent } from './store.ts'

/** How long a read waits for the write lock. */
const PATIENCE_MS = 1000

/**
 * The context of the agent that the caller's session acts as. The first call that depends on who calls decides it: a
 * session continues as the agent of one that has ended, of the same host, owner and worktree, or is a new agent.
 */
export async function identifyCaller(
  context: Context,
  { effect, personal }: Pick<Operation, 'effect' | 'personal'>,
  input: unknown,
): Promise<Context> {
  const { agent, store, access } = context
  const named = toNamed(agent)
  if (named === undefined || access.readOnly) return context
  const isRead = effect === 'read'
  const known = store.sessionAgents.get(named.session)
  if (known !== undefined && !(isRead && personal === true && (await isReplaced(context, known))))
    return withAgent(context, known)
  if (namesAgent(input)) return context
  if (isRead && personal !== true && !(await isContinued(context, named))) return context
  try {
    const found = await store.write(
      (tx) => continueOrBegin(tx, context, named),
      isRead ? { signal: AbortSignal.timeout(PATIENCE_MS) } : context,
    )
    store.sessionAgents.set(named.session, found)
    return withAgent(context, found)
  } catch (error) {
    if (!isRead) throw error
    // A read can be answered without it, and the next call tries again.
    return context
  }
}

/**
 * Records a sign of life of the caller's session. Throws if a newer session acts as its agent: then this one was taken
 * for dead, and must not write in the name of that agent.
 */
export async function assertCurrentSession(
  tx: StoreTransaction,
  { agent, store }: Context,
  at: number,
): Promise<void> {
  const id = callerId(agent)
  const { session, name } = agent
  if (session === undefined || id === undefined) return
  if (await tx.agentSessions.touch(id, session, at, agent.process?.name)) return
  throw toReplaced(store, session, { id, name })
}

/** The same for a change outside the store, which no transaction undoes. */
export async function assertNotReplaced({ agent, store }: Context): Promise<void> {
  const id = callerId(agent)
  const { session, name } = agent
  if (session === undefined || id === undefined) return
  const current = await store.agentSessions.of(id)
  if (current === undefined || current.session === session) return
  throw toReplaced(store, session, { id, name })
}

function toReplaced(
  { sessionAgents }: Context['store'],
  session: string,
  { id, name }: { readonly id: AgentId; readonly name: string | null },
): Failure {
  sessionAgents.delete(session)
  return new Failure(
    'lease_lost',
    `another session continues as ${toTitle(name ?? id)} since this one fell silent; you are a new agent now, read brief`,
    { details: { reason: 'session_replaced', agent_id: id } },
  )
}

interface NamedSession {
  readonly session: string
  readonly host: string
}

/** Undefined for callers without a session, and for clients that do not say what they are. */
function toNamed({ session, name }: Agent): NamedSession | undefined {
  return session === undefined || name === null ? undefined : { session, host: name }
}

function withAgent(context: Context, { id, name }: SessionAgent): Context {
  return { ...context, agent: { ...context.agent, id, name } }
}

/** Whether the call is about another agent than the caller, or makes a new one. */
function namesAgent(input: unknown): boolean {
  if (typeof input !== 'object' || input === null) return false
  const { agent_id, fresh } = input as Readonly<Record<string, unknown>>
  return agent_id !== undefined || fresh === true
}

async function isReplaced({ agent, store }: Context, { id }: SessionAgent): Promise<boolean> {
  const current = await store.agentSessions.of(id)
  return current !== undefined && current.session !== agent.session
}

async function isContinued(context: Context, { session, host }: NamedSession): Promise<boolean> {
  const { agentSessions } = context.store
  if ((await agentSessions.bySession(session)) !== undefined) return true
  const others = await agentSessions.ofHost(host)
  const now = others.length === 0 ? 0 : await context.store.now(context)
  return others.some((other) => isPredecessor(context, other, now))
}

/** In one transaction, so that of two sessions that start at once only one continues as an agent. */
async function continueOrBegin(
  tx: StoreTransaction,
  context: Context,
  { session, host }: NamedSession,
): Promise<SessionAgent> {
  const at = await tx.now(context)
  const own = await tx.agentSessions.bySession(session)
  const others = await tx.agentSessions.ofHost(host)
  // An HTTP session and a host's conversation outlive the process that served them. Its model knows the fences.
  const predecessor = own ?? (await choosePredecessor(tx, context, others, at))
  const { agent } = context
  const id = predecessor?.agentId ?? (await newIdFor(tx, context))
  const name =
    agent.proved === true
      ? host
      : toNameBeside(
          predecessor?.name ?? host,
          host,
          others.filter(({ agentId }) => agentId !== id),
          at,
        )
  await tx.agentSessions.put({
    agentId: id,
    session,
    host,
    name,
    owner: agent.owner ?? '',
    ...placeOf(context),
    seenAt: at,
    endedAt: null,
  })
  if (own !== undefined) await rename(tx, own, { name, at })
  else if (predecessor !== undefined) await resume(tx, predecessor, { name, at })
  return { id, name }
}

/** Where the session works, and the process that ends with it. */
function placeOf({
  agent,
  project,
}: Context): Pick<AgentSession, 'worktree' | 'process' | 'beats'> {
  return {
    worktree: project?.root ?? '',
    process: agent.process?.name ?? null,
    beats: agent.process !== undefined && !isTraceable(),
  }
}

/** The one that holds tasks, or else the one seen last. */
async function choosePredecessor(
  tx: StoreTransaction,
  context: Context,
  others: readonly AgentSession[],
  now: number,
): Promise<AgentSession | undefined> {
  const gone = others.filter((other) => isPredecessor(context, other, now))
  for (const one of gone) {
    if ((await tx.leases.held(now, one.agentId)).length > 0) return one
  }
  return gone[0]
}

function isPredecessor({ agent, project }: Context, other: AgentSession, now: number): boolean {
  const isSamePlace =
    other.worktree === (project?.root ?? '') && other.owner === (agent.owner ?? '')
  return isSamePlace && isGone(other, now)
}

/** The id of the session itself, unless it was an agent before and another session has replaced it. */
async function newIdFor(tx: StoreTransaction, context: Context): Promise<AgentId> {
  const { agent } = context
  const own = callerId(agent)
  if (own !== undefined && (await tx.agentSessions.of(own)) === undefined) return own
  const uuid = context.newId()
  return agent.owner === undefined ? newAgentId(uuid) : ownedAgentId(agent.owner, uuid)
}

/** `wanted`, or else the first free name of the host. A session that ended long ago keeps no name. */
function toNameBeside(
  wanted: string,
  host: string,
  others: readonly AgentSession[],
  now: number,
): string {
  const taken = new Set(
    others
      .filter((other) => now - other.seenAt < OFFLINE_AFTER_MS || !isGone(other, now))
      .map((other) => other.name),
  )
  return taken.has(wanted) ? toFreeName(host, taken) : wanted
}

interface Resumed {
  readonly name: string
  readonly at: number
}

/** Passes the leases on under new fences, so that late writes of the ended session are refused. */
async function resume(
  tx: StoreTransaction,
  predecessor: AgentSession,
  { name, at }: Resumed,
): Promise<void> {
  const { agentId: id, endedAt } = predecessor
  const held = await tx.leases.inherit(id, { now: at, crashed: endedAt === null })
  if (!(await rename(tx, predecessor, { name, at }))) return
  const data = { agent_id: id, name, leases: held }
  await tx.events.append({ type: 'agent.resumed', subject: id, at, agent: name, agentId: id, data })
}

/** False if the agent has no row. A name that it chose itself stays. */
async function rename(
  tx: StoreTransaction,
  { agentId, name: before }: AgentSession,
  { name, at }: Resumed,
): Promise<boolean> {
  const known = await tx.agents.byId(agentId)
  if (known === undefined) return false
  await tx.agents.put({ ...known, name: known.name === before ? name : known.name, seenAt: at })
  return true
}
