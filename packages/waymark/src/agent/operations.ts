import * as z from 'zod'
import type { Context } from '../core/context.ts'
import {
  agentIdOf,
  callerId,
  ONLINE,
  IDLE_AFTER_MS,
  nameOfAgent,
  namesOwner,
  ownedAgentId,
  PRESENCES,
  newAgentId,
  type AgentId,
} from './agent.ts'
import { clampLease } from '../task/lease/lease.ts'
import { Failure } from '../core/error.ts'
import { defineOperation } from '../core/operation.ts'
import { violation } from '../core/input/parse.ts'
import { body, oneLine, oneOf } from '../core/input/schema.ts'
import type { AgentRow } from './store.ts'
import { actingAgent, agentId, toReader } from './acting-agent.ts'
import { arrivalOf } from './join.ts'
import { change } from '../core/change.ts'
import { time, toTime } from '../entity/view.ts'
import { endUnfinished, sweepLeases } from '../task/lease/rules.ts'
import { toFacts } from '../task/lease/refusals.ts'
import { taskLabel, toLeaseView, toTaskLabel } from '../task/view.ts'
import { showAgent, showAgents } from './show.ts'
import { findAgents } from './presence.ts'
import { clientView, toClientView } from './client/view.ts'
import { agentView, type HeldTask, heldTask, toAgentView, toPresentAgentView } from './view.ts'

export const joinAgent = defineOperation({
  name: 'agent.join',
  summary: 'Tell the others who you are, and get the id to act under',
  example: 'ada --role reviewer',
  effect: 'write',
  input: z.object({
    name: oneLine({ max: 100 }).optional().describe('What the others call you'),
    role: oneLine({ max: 100 }).optional().describe('What you are here for'),
    client: oneLine({ max: 200 }).optional().describe('Program you run in'),
    model: oneLine({ max: 200 }).optional().describe('Model you are'),
    capabilities: z.record(z.string(), z.unknown()).default({}).describe('What you can do'),
    lease_seconds: z.int().optional().describe('How long your claims last unless you say so'),
    fresh: z.boolean().default(false).describe('Be a new agent even if you have joined before'),
  }),
  output: z.object({ agent: agentView, server_time: time }),
  positional: ['name'],
  async run(context, input) {
    if (input.name !== undefined && namesOwner(input.name)) {
      throw violation('name', 'not_one_of', 'is reserved for the person; choose another one')
    }
    return await change(context, async (change) => {
      const { at } = change.stamp
      const id = idFor(context, input)
      const before = await change.agents.byId(id)
      const agent: AgentRow = {
        id,
        name:
          input.name === undefined
            ? (before?.name ?? context.agent.name)
            : nameOfAgent(context.agent, input.name),
        role: input.role ?? null,
        client: input.client ?? null,
        model: input.model ?? null,
        capabilities: input.capabilities,
        leaseSeconds: clampLease(input.lease_seconds),
        joinedAt: before?.joinedAt ?? at,
        joinedAfter:
          before?.joinedAfter ??
          (input.fresh
            ? await change.messages.latest()
            : await arrivalOf(context, change, { id, at })),
        seenAt: at,
        leftAt: null,
      }
      await change.agents.put(agent)
      if (input.fresh) context.store.sessionAgents.addNamed(context.agent.session, id)
      await change.announce('agent.joined', id, { agent_id: id, name: agent.name })
      return { agent: toAgentView(agent, at), server_time: toTime(at) }
    })
  },
  show: showAgent,
})

export const heartbeat = defineOperation({
  name: 'agent.heartbeat',
  summary: 'Give a sign of life, and see which tasks you still hold and what is unread',
  example: '',
  effect: 'write',
  input: z.object({ agent_id: agentId }),
  output: z.object({
    agent: agentView,
    idle_at: time.describe('When you will count as idle without another sign'),
    held: z.array(heldTask),
    unread_messages: z.int(),
  }),
  async run(context, { agent_id }) {
    return await change(context, async (change) => {
      await sweepLeases(change)
      const agent = await actingAgent(context, change, agent_id)
      const { at } = change.stamp
      await change.announce('agent.heartbeat', agent.id, { agent_id: agent.id })
      return {
        agent: toAgentView(agent, at),
        idle_at: toTime(at + IDLE_AFTER_MS),
        held: await heldBy(change, agent.id, at),
        unread_messages: await change.messages.countUnread(toReader(agent)),
      }
    })
  },
  show: showAgent,
})

export const leaveAgent = defineOperation({
  name: 'agent.leave',
  summary: 'Say goodbye and give back every task you hold',
  example: '--reason "done for today"',
  effect: 'write',
  input: z.object({
    reason: body({ max: 4096 }).optional().describe('Why, for the others'),
    agent_id: agentId,
  }),
  output: z.object({ agent: agentView, released: z.array(taskLabel) }),
  async run(context, { reason, agent_id }) {
    return await change(context, async (change) => {
      await sweepLeases(change)
      const agent = await actingAgent(context, change, agent_id)
      const { at } = change.stamp
      const released = []
      for (const lease of await change.leases.held(at, agent.id)) {
        const task = await change.entities.byId(lease.taskId)
        const holder = { agentId: agent.id, fence: lease.fence }
        await change.leases.release(lease.taskId, holder, {
          now: at,
          reason: reason ?? 'left',
          forgetsLost: reason !== undefined,
          // Its next session goes on with the same work.
          withholds: false,
        })
        if (task === undefined) continue
        const facts = { ...toFacts(lease), reason: 'left' }
        released.push(
          toTaskLabel(await endUnfinished(change, task, lease, { type: 'task.released', facts })),
        )
      }
      await change.agents.leave(agent.id, at)
      const data = { agent_id: agent.id, ...(reason !== undefined && { reason }) }
      await change.announce('agent.left', agent.id, data)
      return { agent: toAgentView({ ...agent, leftAt: at }, at), released }
    })
  },
  show: showAgent,
})

const MOST_CLIENTS = 10

export const listAgents = defineOperation({
  name: 'agent.list',
  summary: 'List the agents that are here, with what each one holds',
  example: '--include-offline',
  effect: 'read',
  input: z.object({
    presence: oneOf(PRESENCES).optional().describe('Only these'),
    include_offline: z.boolean().default(false).describe('Also those not seen for an hour'),
    limit: z.int().min(1).max(200).default(50).describe('How many at most'),
  }),
  output: z.object({
    agents: z.array(agentView.extend({ held: z.array(heldTask) })),
    clients: z.array(clientView).describe('Last connections of MCP clients'),
  }),
  positional: ['presence'],
  async run(context, { presence, include_offline, limit }) {
    const { store } = context
    const now = await store.now(context)
    const shown = include_offline ? PRESENCES : ([...ONLINE, 'gone'] as const)
    const presences = presence === undefined ? shown : [presence]
    const found = await findAgents(store, { presences, now, limit })
    const agents = found.map(async (one) => ({
      ...toPresentAgentView(one),
      held: await heldBy(store, one.agent.id, now),
    }))
    const clients = await store.clients.latest(MOST_CLIENTS)
    return { agents: await Promise.all(agents), clients: clients.map(toClientView) }
  },
  show: showAgents,
})

/** The agent of this connection, or the one that goes by this name, or a new one. */
function idFor(context: Context, input: { fresh: boolean; name?: string | undefined }): AgentId {
  const { owner } = context.agent
  if (input.fresh) {
    const uuid = context.newId()
    return owner === undefined ? newAgentId(uuid) : ownedAgentId(owner, uuid)
  }
  const id =
    context.agent.id ?? (input.name === undefined ? callerId(context.agent) : agentIdOf(input.name))
  if (id !== undefined) return id
  throw new Failure('invalid_input', 'name: required, the caller has no identity', {
    details: { field: 'name', rule: 'required' },
  })
}

async function heldBy(
  source: Pick<Context['store'], 'leases' | 'entities'>,
  id: AgentId,
  now: number,
): Promise<HeldTask[]> {
  const held = []
  for (const lease of await source.leases.held(now, id)) {
    const task = await source.entities.byId(lease.taskId)
    if (task !== undefined) held.push({ task: toTaskLabel(task), lease: toLeaseView(lease, now) })
  }
  return held
}
