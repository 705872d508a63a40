import { agents } from '../../data/agents.ts'
import type { FeedEvent } from '../../data/live/feed.ts'
import { nameOf } from '../agent/agent-order.ts'

/** Who did it or, of a lost lease, whose it was. */
export function actorOf({ agent, agentId }: FeedEvent): string | undefined {
  if (agent !== undefined || agentId === undefined) return agent
  const found = agents.value.find(({ id }) => id === agentId)
  return found === undefined ? undefined : nameOf(found)
}
