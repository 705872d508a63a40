import * as z from 'zod'
import type { Context } from '../context.ts'
import { callerId, mayActAs } from '../domain/agent.ts'
import { DEFAULT_LEASE } from '../domain/lease.ts'
import { Failure } from '../error.ts'
import type { AgentReader, AgentRow } from '../store/agents.ts'
import type { Change } from './change.ts'
import { quote } from '../visible-text.ts'

export const agentId = z
  .string()
  .trim()
  .max(100)
  .optional()
  .describe('Id of the agent that acts, if not your own')

/**
 * The agent in whose name a call acts: the one it names, which must have joined, or the caller itself, who joins by
 * acting. Either way that is a sign of life.
 */
export async function actingAgent(
  context: Context,
  change: Change,
  named?: string,
): Promise<AgentRow> {
  const { at } = change.stamp
  if (named !== undefined) {
    refuseBorrowed(context, named)
    const agent = await requireAgent(change.agents, named)
    change.admission.actAs(agent.id)
    await change.agents.touch(agent.id, at)
    return { ...agent, seenAt: at, leftAt: null }
  }
  const id = callerId(context.agent)
  if (id === undefined) {
    throw new Failure('invalid_input', 'agent_id: say who you are', {
      details: { field: 'agent_id', rule: 'required' },
    })
  }
  const known = await change.agents.byId(id)
  if (known !== undefined) {
    await change.agents.touch(id, at)
    return { ...known, seenAt: at, leftAt: null }
  }
  const agent = toNewAgent(id, context.agent.name, at)
  await change.agents.put(agent)
  await change.announce('agent.joined', id, { agent_id: id, name: agent.name })
  return agent
}

/** The id of the agent that a call which changes nothing is about. */
export function readingAgentId(context: Context, named?: string): string | undefined {
  if (named !== undefined) refuseBorrowed(context, named)
  return named ?? callerId(context.agent)
}

async function requireAgent(
  agents: AgentReader,
  id: string,
  field = 'agent_id',
): Promise<AgentRow> {
  const agent = await agents.byId(id)
  if (agent !== undefined) return agent
  throw new Failure('not_found', `no agent ${quote(id)} has joined`, {
    details: { kind: 'agent', field, id },
  })
}

function toNewAgent(id: string, name: string | null, at: number): AgentRow {
  return {
    id,
    name,
    role: null,
    client: null,
    model: null,
    capabilities: {},
    leaseSeconds: DEFAULT_LEASE,
    joinedAt: at,
    seenAt: at,
    leftAt: null,
  }
}

function refuseBorrowed({ agent }: Context, named: string): void {
  if (mayActAs(agent, named)) return
  throw new Failure('forbidden', `you cannot act as agent ${quote(named)}`, {
    details: { field: 'agent_id', id: named },
  })
}
