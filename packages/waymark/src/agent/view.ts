import * as z from 'zod'
import { time, toTime } from '../entity/view.ts'
import { leaseView, taskLabel } from '../task/view.ts'
import { PRESENCES, presenceOf } from './agent.ts'
import type { PresentAgent } from './presence.ts'
import type { AgentRow } from './store.ts'

export const agentView = z.object({
  id: z.string(),
  name: z.string().optional(),
  role: z.string().optional(),
  client: z.string().optional(),
  model: z.string().optional(),
  capabilities: z.record(z.string(), z.unknown()),
  presence: z.enum(PRESENCES).describe('gone: its session has ended, its tasks wait for the next'),
  worktree: z.string().optional().describe('Folder that it works in'),
  branch: z.string().optional(),
  lease_seconds: z.int(),
  joined_at: time,
  seen_at: time,
})
export type AgentView = z.output<typeof agentView>

export const heldTask = z.object({ task: taskLabel, lease: leaseView })
export type HeldTask = z.output<typeof heldTask>

/** The caller itself is there; of other agents `findAgents` says more. */
export function toAgentView(agent: AgentRow, now: number): AgentView {
  return toPresentAgentView({ agent, presence: presenceOf(agent, now) })
}

export function toPresentAgentView({ agent, presence, ...place }: PresentAgent): AgentView {
  const { id, name, role, client, model } = agent
  return {
    id,
    ...(name !== null && { name }),
    ...(role !== null && { role }),
    ...(client !== null && { client }),
    ...(model !== null && { model }),
    capabilities: { ...agent.capabilities },
    presence,
    ...place,
    lease_seconds: agent.leaseSeconds,
    joined_at: toTime(agent.joinedAt),
    seen_at: toTime(agent.seenAt),
  }
}
