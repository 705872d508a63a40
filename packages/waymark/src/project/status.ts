import * as z from 'zod'
import type { ReadContext } from '../core/context.ts'
import { ONLINE, OWNER_ID, PRESENCES } from '../agent/agent.ts'
import { findAgents } from '../agent/presence.ts'
import { nextStep } from '../brief/brief.ts'
import { defineOperation } from '../core/operation.ts'
import { agentId, findReader, readingAgentId } from '../agent/acting-agent.ts'
import { findChangedTwice, findRecent } from '../brief/changes.ts'
import { findLeases, findReady, findUnread } from '../brief/work.ts'
import { time } from '../entity/view.ts'
import { findQuestionsForPerson, openQuestion } from '../message/questions.ts'
import { readIndexState } from '../search/index/index-state.ts'
import { settleExpiredLeases } from '../task/lease/expire-leases.ts'
import type { PushState } from '../sync/merge/push-state-store.ts'
import { projectNameOf } from './project-name.ts'
import { showOverview } from './show.ts'
import {
  blockedWork,
  doneWork,
  dueWork,
  findBlocked,
  findHeld,
  findOverdue,
  findUnverified,
  heldWork,
  MOST_TASKS,
} from './work.ts'

const MOST_EVENTS = 5
const MOST_AGENTS = 10

const named = z.object({ number: z.int(), title: z.string() })

const overview = z.object({
  project: z.string(),
  root: z.string().optional(),
  next: z.string().describe('The one thing for an agent to do now'),
  holding: z.array(named.extend({ expires_at: time, seconds_left: z.int() })).describe('Yours'),
  held: z.array(heldWork).describe('In progress: who holds what, since when'),
  held_total: z.int(),
  to_verify: z.array(doneWork),
  to_verify_total: z.int(),
  overdue: z.array(dueWork),
  overdue_total: z.int(),
  ready: z.array(named.extend({ priority: z.int() })),
  ready_total: z.int(),
  blocked: z.array(blockedWork),
  blocked_total: z.int(),
  changed_twice: z
    .array(named.extend({ fields: z.array(z.string()) }))
    .describe('Changed on both sides of a sync, and only the later change stands: choose'),
  questions: z.array(openQuestion).describe('What waits for an answer of the person'),
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
    .describe('Those that are here, and those that are gone and hold a task'),
  agents_online: z.int(),
  recent: z.array(
    named.extend({
      what: z.string(),
      by: z.string().optional(),
      at: time,
      seconds: z.int().describe('From then until now'),
    }),
  ),
  unsent: z.int().describe('Changes that `waymark sync` would send'),
  unpushed: z.int().describe('Entities that are in the log of this clone and at no remote'),
  push_refusal: z.string().optional().describe('Why the last push was refused'),
  search: z
    .object({ model: z.string(), vectors: z.int(), pending: z.int() })
    .optional()
    .describe('The embedding model, if one is configured: texts that it has seen and has not'),
})
export type Overview = z.output<typeof overview>

export const showStatus = defineOperation({
  name: 'status.show',
  summary: 'Show the project at a glance: who holds what, what needs you, what is ready, news',
  example: '',
  effect: 'read',
  personal: true,
  input: z.object({ agent_id: agentId }),
  output: overview,
  async run(context, { agent_id }) {
    await settleExpiredLeases(context)
    const { store, project } = context
    const me = readingAgentId(context, agent_id)
    const now = await store.now(context)
    const leases = await findLeases(context, me, now)
    const { messages, unread } = await findUnread(context, await findReader(context, agent_id))
    const { ready, total, open, cycle, released } = await findReady(context, me, now)
    return {
      project: projectNameOf(context),
      ...(project !== undefined && { root: project.root }),
      next: nextStep({ leases, messages, unread, ready, blocked: open - total, cycle, released }),
      holding: leases.map(({ fence: _fence, ...lease }) => lease),
      ready: ready.slice(0, MOST_TASKS).map(({ number, title, priority }) => {
        return { number, title, priority }
      }),
      ready_total: total,
      ...(await findHeld(context, now)),
      ...(await findUnverified(context, now)),
      ...(await findOverdue(context, now)),
      ...(await findBlocked(context, now)),
      changed_twice: await findChangedTwice(context),
      questions: await findQuestionsForPerson(context),
      unread,
      ...(await findParticipants(context, now)),
      recent: (await findRecent(context, MOST_EVENTS)).map((change) => ({
        ...change,
        seconds: Math.max(0, Math.floor((now - Date.parse(change.at)) / 1000)),
      })),
      unsent: await store.replica.countOutgoing(),
      ...toPushed(await store.replica.pushState.get()),
      ...(await findModel(context)),
    }
  },
  show: showOverview,
})

function toPushed({ unpushed, refusal }: PushState) {
  return { unpushed, ...(refusal !== null && { push_refusal: refusal }) }
}

async function findModel(context: ReadContext): Promise<Pick<Overview, 'search'>> {
  const { model, isApproximate } = context.semantic.embedder
  if (isApproximate) return {}
  const { vectors, pending } = await readIndexState(context)
  return { search: { model, vectors, pending } }
}

async function findParticipants({ store }: ReadContext, now: number) {
  const found = await findAgents(store, { presences: [...ONLINE, 'gone'], now })
  const held = await store.leases.held(now)
  const numbers = await Promise.all(
    held.map(async ({ agentId, taskId }) => {
      const task = await store.entities.byId(taskId)
      return { agentId, number: task?.number ?? 0 }
    }),
  )
  const agents = found
    .filter(({ agent }) => agent.id !== OWNER_ID)
    .map(({ agent, presence, ...place }) => ({
      name: agent.name ?? agent.id,
      presence,
      ...place,
      holds: numbers.filter(({ agentId }) => agentId === agent.id).map(({ number }) => number),
    }))
  const online = agents.filter(({ presence }) => presence !== 'gone')
  const concerned = agents.filter(({ presence, holds }) => presence !== 'gone' || holds.length > 0)
  return { agents: concerned.slice(0, MOST_AGENTS), agents_online: online.length }
}
