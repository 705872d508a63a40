import * as z from 'zod'
import type { ReadContext } from '../core/context.ts'
import { counted } from '../core/show.ts'
import { countOnline } from '../agent/presence.ts'
import { TASK_STATUSES } from '../task/task.ts'
import { defineOperation } from '../core/operation.ts'
import { agentId, findReader } from '../agent/acting-agent.ts'
import { queueAgent } from '../task/queue/filter.ts'
import { taskLabel, toTaskLabel } from '../task/view.ts'
import { projectNameOf } from './project-name.ts'
import { showProjectStatus } from './show.ts'

const statusView = z.object({
  name: z.string(),
  description: z.string(),
  root: z.string().optional(),
  state: z.string().optional().describe('Folder of the store'),
  statuses: z.array(z.string()).describe('Every status that a task can have'),
  tasks: z.record(z.string(), z.int()).describe('How many tasks have each status'),
  total: z.int(),
  ready: z.int(),
  claimable: z.int(),
  blocked: z.int(),
  unverified: z.int().describe('Done, but not verified although they need it'),
  active_leases: z.int(),
  agents_online: z.int(),
  unread_messages: z.int().describe('Of yours'),
  latest_event: z.int(),
  next_task: taskLabel.nullable(),
  suggestions: z.array(z.string()).describe('What to do next'),
})
export type ProjectStatus = z.output<typeof statusView>

export const projectStatus = defineOperation({
  name: 'project.status',
  summary: 'Say where the project stands: tasks, agents, messages, and what to do next',
  example: '',
  effect: 'read',
  input: z.object({ agent_id: agentId }),
  output: statusView,
  async run(context, { agent_id }) {
    const { store, project } = context
    const now = await store.now(context)
    const counts = await store.tasks.counts()
    const agent = await queueAgent(context, agent_id)
    const [next] = await store.tasks.queue({ state: 'offered', agent, now, limit: 1 })
    const facts = {
      ready: await store.tasks.count({ state: 'ready', agent, now }),
      claimable: await store.tasks.count({ state: 'offered', agent, now }),
      blocked: await store.tasks.count({ state: 'blocked', now }),
      unverified: await store.tasks.countUnverified(),
      active_leases: await store.leases.countHeld(now),
      agents_online: await countOnline(store, now),
      unread_messages: await unread(context, agent_id),
      latest_event: await store.events.latest(),
      next_task: next === undefined ? null : toTaskLabel(next),
    }
    return {
      name: projectNameOf(context),
      description: project?.description ?? '',
      ...(project !== undefined && { root: project.root }),
      ...(project?.state !== undefined && { state: project.state }),
      statuses: [...TASK_STATUSES],
      tasks: Object.fromEntries(TASK_STATUSES.map((status) => [status, counts.get(status) ?? 0])),
      total: [...counts.values()].reduce((sum, count) => sum + count, 0),
      ...facts,
      suggestions: suggest(facts),
    }
  },
  show: showProjectStatus,
})

/** Of the named agent; without one, of the caller and of every agent that its session has acted as. */
async function unread(context: ReadContext, named: string | undefined): Promise<number> {
  const { store, agent } = context
  const others = named === undefined ? store.sessionAgents.named(agent.session) : []
  let count = 0
  for (const id of new Set([named, ...others])) {
    const reader = await findReader(context, id)
    if (reader !== undefined) count += await store.messages.countUnread(reader)
  }
  return count
}

interface Facts {
  readonly claimable: number
  readonly blocked: number
  readonly unverified: number
  readonly unread_messages: number
  readonly next_task: { readonly number: number } | null
}

/** Short, most important first. Contains numbers but no titles, which are untrusted text. */
function suggest({ claimable, blocked, unverified, unread_messages, next_task }: Facts): string[] {
  const suggestions: string[] = []
  if (unread_messages > 0) suggestions.push(`read ${counted(unread_messages, 'unread message')}`)
  if (next_task !== null) {
    suggestions.push(`claim task ${next_task.number}, the most urgent of ${claimable}`)
  }
  if (unverified > 0)
    suggestions.push(
      `verify ${counted(unverified, 'task')} that ${unverified === 1 ? 'is' : 'are'} done`,
    )
  if (next_task === null && blocked > 0) {
    suggestions.push(`look into ${counted(blocked, 'blocked task')}: nothing else is ready`)
  }
  if (suggestions.length === 0) suggestions.push('nothing is waiting; add tasks')
  return suggestions
}
