import { basename } from 'node:path'
import * as z from 'zod'
import type { Context } from '../core/context.ts'
import { ONLINE, PRESENCES } from '../agent/agent.ts'
import { findAgents } from '../agent/presence.ts'
import { nextStep } from '../brief/brief.ts'
import { defineOperation } from '../core/operation.ts'
import { agentId, findReader, readingAgentId } from '../agent/acting-agent.ts'
import { findRecent } from '../brief/changes.ts'
import { findLeases, findReady, findUnread } from '../brief/work.ts'
import { time } from '../entity/view.ts'
import { expireLeases } from '../task/lease/expire-leases.ts'
import { showOverview } from './show.ts'

const MOST_TASKS = 5
const MOST_EVENTS = 8
const MOST_AGENTS = 10

const named = z.object({ number: z.int(), title: z.string() })

const overview = z.object({
  project: z.string(),
  root: z.string().optional(),
  next: z.string().describe('The one thing to do now'),
  holding: z.array(named.extend({ expires_at: time, seconds_left: z.int() })),
  ready: z.array(named.extend({ priority: z.int() })),
  ready_total: z.int(),
  blocked: z.array(named.extend({ waits_for: z.array(z.int()) })),
  blocked_total: z.int(),
  unread: z.int().describe('Unread messages to you'),
  agents: z
    .array(
      z.object({
        name: z.string(),
        presence: z.enum(PRESENCES),
        worktree: z.string().optional(),
        branch: z.string().optional(),
        holds: z.array(z.int()).describe('Numbers of its tasks'),
      }),
    )
    .describe('Those seen lately'),
  agents_online: z.int(),
  recent: z.array(named.extend({ what: z.string(), by: z.string().optional(), at: time })),
  unsent: z.int().describe('Changes that `waymark sync` would send'),
})
export type Overview = z.output<typeof overview>

export const showStatus = defineOperation({
  name: 'status.show',
  summary: 'Show the project at a glance: your leases, ready and blocked tasks, messages, news',
  example: '',
  effect: 'read',
  personal: true,
  input: z.object({ agent_id: agentId }),
  output: overview,
  async run(context, { agent_id }) {
    await expireLeases(context)
    const { store, project } = context
    const me = readingAgentId(context, agent_id)
    const now = await store.now(context)
    const leases = await findLeases(context, me, now)
    const { messages, unread } = await findUnread(context, await findReader(context, agent_id))
    const { ready, total, open } = await findReady(context, me, now)
    return {
      project: project === undefined ? 'waymark' : basename(project.root),
      ...(project !== undefined && { root: project.root }),
      next: nextStep({ leases, messages, unread, ready, blocked: open - total }),
      holding: leases.map(({ fence: _fence, ...lease }) => lease),
      ready: ready.slice(0, MOST_TASKS).map(({ number, title, priority }) => {
        return { number, title, priority }
      }),
      ready_total: total,
      blocked: await findBlocked(context, now),
      blocked_total: await store.tasks.count({ state: 'blocked', now }),
      unread,
      ...(await findParticipants(context, now)),
      recent: await findRecent(context, MOST_EVENTS),
      unsent: await store.replica.countOutgoing(),
    }
  },
  show: showOverview,
})

async function findParticipants({ store }: Context, now: number) {
  const found = await findAgents(store, { presences: [...ONLINE, 'gone'], now })
  const held = await store.leases.held(now)
  const numbers = await Promise.all(
    held.map(async ({ agentId, taskId }) => {
      const task = await store.entities.byId(taskId)
      return { agentId, number: task?.number ?? 0 }
    }),
  )
  return {
    agents: found.slice(0, MOST_AGENTS).map(({ agent, presence, ...place }) => ({
      name: agent.name ?? agent.id,
      presence,
      ...place,
      holds: numbers.filter(({ agentId }) => agentId === agent.id).map(({ number }) => number),
    })),
    agents_online: found.filter(({ presence }) => presence !== 'gone').length,
  }
}

async function findBlocked({ store }: Context, now: number) {
  const rows = await store.tasks.queue({ state: 'blocked', now, limit: MOST_TASKS })
  return await Promise.all(
    rows.map(async ({ id, number, title }) => {
      const blockers = await store.tasks.blockersOf(id)
      return { number, title, waits_for: blockers.map((blocker) => blocker.number) }
    }),
  )
}
