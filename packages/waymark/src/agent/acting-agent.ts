import * as z from 'zod'
import type { Context, ReadContext } from '../core/context.ts'
import { callerId, isPerson, mayActAs, OWNER_ID, type AgentId, toAgentId } from './agent.ts'
import { Failure } from '../core/error.ts'
import { type Arriving, arrivalOf, join } from './join.ts'
import type { AgentReader, AgentRow } from './store.ts'
import type { Reader } from '../message/store.ts'
import { type Change, change } from '../core/change.ts'
import { quote } from '../support/text/visible-text.ts'

/** A read waits no longer than this for other writers. */
const PATIENCE_MS = 1000

export const agentId = z
  .string()
  .trim()
  .max(100)
  .optional()
  .describe('Id of the agent that acts, if not your own')

/**
 * The agent that a call acts as: the named one, which must have joined, or the caller itself, which joins implicitly.
 * Either way its last-seen time is updated.
 */
export async function actingAgent(
  context: Context,
  change: Change,
  named?: string,
): Promise<AgentRow> {
  const { at } = change.stamp
  if (named !== undefined) {
    refuseBorrowed(context, named)
    const agent = await requireAgent(change.agents, toAgentId(named))
    change.admission.actAs(agent.id)
    await change.agents.touch(agent.id, at)
    context.store.sessionAgents.addNamed(context.agent.session, agent.id)
    return { ...agent, seenAt: at, leftAt: null }
  }
  const id = callerId(context.agent)
  if (id === undefined) {
    throw new Failure('invalid_input', 'agent_id: required, the caller has no identity', {
      details: { field: 'agent_id', rule: 'required' },
    })
  }
  const known = await change.agents.byId(id)
  if (known !== undefined) {
    await change.agents.touch(id, at)
    return { ...known, seenAt: at, leftAt: null }
  }
  return await join(context, change, { id, after: await arrivalOf(context, change, { id, at }) })
}

interface FoundReader extends Reader {
  /** Whether it has a row, so that others see it and `delivered_to` counts it. */
  readonly isPresent: boolean
}

/** The reader of a call. Undefined for an anonymous caller and for a named agent that has not joined. */
export async function findReader(
  context: ReadContext,
  named?: string,
): Promise<FoundReader | undefined> {
  const id = readingAgentId(context, named)
  if (id === undefined) return undefined
  const known = await context.store.agents.byId(id)
  if (known !== undefined) return { ...toReader(known), isPresent: true }
  // The person gets every broadcast, and is listed among the agents only after a write.
  if (id === OWNER_ID) return { agentId: id, after: 0, isPresent: true }
  if (named !== undefined) return undefined
  const at = await context.store.now(context)
  const after = await arrivalOf(context, context.store, { id, at })
  return { agentId: id, after, isPresent: false }
}

/** The same for an inbox or a brief: the caller joins by reading it, unless the server is read-only. */
export async function presentReader(
  context: ReadContext,
  named?: string,
): Promise<Reader | undefined> {
  const reader = await findReader(context, named)
  if (reader === undefined || reader.isPresent || context.agent.joins === false) return reader
  context.upkeep.later('readerJoined', { id: reader.agentId, after: reader.after })
  // Now, so that the cursor of a brief is not older than the event of its own reader.
  await context.upkeep.settle()
  return reader
}

/** If this fails, `arrivals` remembers since when the agent is here, and its next read tries again. */
export async function joinReader(context: Context, { id, after }: Arriving): Promise<void> {
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(PATIENCE_MS)])
  await change({ ...context, signal }, async (change) => {
    if ((await change.agents.byId(id)) === undefined) await join(context, change, { id, after })
  })
}

export function toReader({ id, joinedAfter }: AgentRow): Reader {
  return { agentId: id, after: joinedAfter }
}

/** Throws unless the person calls. */
export function requirePerson({ agent }: ReadContext, what: string): void {
  if (isPerson(agent)) return
  throw new Failure(
    'forbidden',
    `only the person can ${what}, in \`waymark ui\` or in a terminal of their own and without an actor`,
    { details: { reason: 'not_the_person' } },
  )
}

/** The id of the agent that a call which changes nothing is about. */
export function readingAgentId(context: ReadContext, named?: string): AgentId | undefined {
  if (named !== undefined) refuseBorrowed(context, named)
  return named === undefined ? callerId(context.agent) : toAgentId(named)
}

async function requireAgent(
  agents: AgentReader,
  id: AgentId,
  field = 'agent_id',
): Promise<AgentRow> {
  const agent = await agents.byId(id)
  if (agent !== undefined) return agent
  throw new Failure('not_found', `no agent ${quote(id)} has joined`, {
    details: { kind: 'agent', field, id },
  })
}

function refuseBorrowed({ agent }: ReadContext, named: string): void {
  if (mayActAs(agent, named)) return
  const reason = named === OWNER_ID ? '; only the person at the command line is the owner' : ''
  throw new Failure('forbidden', `you cannot act as agent ${quote(named)}${reason}`, {
    details: { field: 'agent_id', id: named },
  })
}
