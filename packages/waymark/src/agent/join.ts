import type { Change } from '../core/change.ts'
import type { ReadContext } from '../core/context.ts'
import type { MessageReader } from '../message/store.ts'
import { DEFAULT_LEASE } from '../task/lease/lease.ts'
import { OWNER_ID, type AgentId } from './agent.ts'
import type { AgentRow } from './store.ts'

/** An agent that was not known, and the newest message when it arrived. */
export interface Arriving {
  readonly id: AgentId
  readonly after: number
}

/**
 * The newest message when the caller arrived: when it connected, if that is known, else now. A connection alone makes no
 * agent, but an agent also gets the broadcasts between its connection and its first call.
 */
export async function arrivalOf(
  { store: { arrivals }, agent, ...context }: ReadContext,
  { messages }: { readonly messages: MessageReader },
  { id, at }: { readonly id: AgentId; readonly at: number },
): Promise<number> {
  const known = arrivals.get(id)
  if (known !== undefined) return known
  if (id === OWNER_ID) return 0
  const { connectedAt } = agent
  // As an age, because the clock of the store may differ from the machine's.
  const since =
    connectedAt === undefined ? undefined : at - Math.max(0, context.now() - connectedAt)
  const after = await messages.latest(since)
  arrivals.set(id, after)
  return after
}

/** Makes the row of an agent that acts for the first time. */
export async function join(
  { agent: { name } }: ReadContext,
  { agents, announce, stamp: { at } }: Pick<Change, 'agents' | 'announce' | 'stamp'>,
  { id, after }: Arriving,
): Promise<AgentRow> {
  const agent = toNewAgent(id, name, { at, after })
  await agents.put(agent)
  await announce('agent.joined', id, { agent_id: id, name })
  return agent
}

export function toNewAgent(
  id: AgentId,
  name: string | null,
  { at, after }: { readonly at: number; readonly after: number },
): AgentRow {
  return {
    id,
    name,
    role: null,
    client: null,
    model: null,
    capabilities: {},
    leaseSeconds: DEFAULT_LEASE,
    joinedAt: at,
    joinedAfter: after,
    seenAt: at,
    leftAt: null,
  }
}
