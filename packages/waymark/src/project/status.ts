import { basename } from 'node:path'
import * as z from 'zod'
import type { ReadContext } from '../core/context.ts'
import { OFFLINE_AFTER_MS } from '../agent/agent.ts'
import { nextStep } from '../brief/brief.ts'
import { defineOperation } from '../core/operation.ts'
import { agentId, findReader, readingAgentId } from '../agent/acting-agent.ts'
import { findRecent } from '../brief/changes.ts'
import { findLeases, findReady, findUnread } from '../brief/work.ts'
import { time } from '../entity/view.ts'
import { findQuestionsForPerson, openQuestion } from '../message/questions.ts'
import { settleExpiredLeases } from '../task/lease/expire-leases.ts'
import { showOverview } from './show.ts'

const MOST_TASKS = 5
const MOST_EVENTS = 8

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
  questions: z.array(openQuestion).describe('What waits for an answer of the person'),
  unread: z.int().describe('Unread messages to you'),
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
    await settleExpiredLeases(context)
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
      questions: await findQuestionsForPerson(context),
      unread,
      agents_online: await store.agents.countSeenSince(now - OFFLINE_AFTER_MS),
      recent: await findRecent(context, MOST_EVENTS),
      unsent: await store.replica.countOutgoing(),
    }
  },
  show: showOverview,
})

async function findBlocked({ store }: ReadContext, now: number) {
  const rows = await store.tasks.queue({ state: 'blocked', now, limit: MOST_TASKS })
  return await Promise.all(
    rows.map(async ({ id, number, title }) => {
      const blockers = await store.tasks.blockersOf(id)
      return { number, title, waits_for: blockers.map((blocker) => blocker.number) }
    }),
  )
}
