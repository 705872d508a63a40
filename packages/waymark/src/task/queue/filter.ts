import * as z from 'zod'
import { agentId, readingAgentId } from '../../agent/acting-agent.ts'
import type { ReadContext } from '../../core/context.ts'
import { unlisted } from '../../core/input/schema.ts'
import { reference } from '../../entity/reference.ts'
import { priority, priorityName } from '../fields.ts'
import { LEAST_URGENT, parsePriority, priorityRange } from '../task.ts'
import type { EntityReader } from '../../entity/store.ts'
import { toQueueAgent } from './assignee.ts'
import type { QueueAgent, TaskFilter } from './selection-store.ts'
import type { TaskReader } from '../store.ts'
import { findTask } from '../find-task.ts'
import { toAgentId } from '../../agent/agent.ts'

/** Queue filters, shared by all operations that read the queue. */
export const queueFilter = z.object({
  priority: priorityName().optional().describe('Only tasks of this urgency'),
  max_priority: priority().optional().describe('Only tasks at least this urgent'),
  labels: z.array(z.string().trim()).max(20).default([]).describe('Only with all these labels'),
  task_type: z.string().trim().optional().describe('Only this kind of task'),
  assignee: z.string().trim().optional().describe('Only tasks of this assignee'),
  parent: reference.optional().describe('Only parts of this task, at any depth'),
})
export type QueueFilter = z.output<typeof queueFilter>

/** Whose queue is read, for dialects in which every call names its agent. */
export const readerId = unlisted(agentId)

/** The agent that the queue is read for. One that has not joined has no name yet. */
export async function queueAgent(
  context: ReadContext,
  named: string | undefined,
): Promise<QueueAgent> {
  const id = readingAgentId(context, named)
  const { store, agent } = context
  const name = named === undefined ? agent.name : (await store.agents.byId(toAgentId(named)))?.name
  return await toQueueAgent(store, { id, name })
}

export async function toTaskFilter(
  source: { readonly entities: EntityReader; readonly tasks: TaskReader },
  { priority, max_priority, labels, task_type, assignee, parent }: QueueFilter,
): Promise<TaskFilter> {
  return {
    labels,
    taskType: task_type,
    assignee,
    partOf: parent === undefined ? undefined : (await findTask(source, parent, 'parent')).id,
    priorities: toPriorities(priority, max_priority),
  }
}

function toPriorities(
  name: QueueFilter['priority'],
  limit: QueueFilter['max_priority'],
): readonly [number, number] | undefined {
  if (name === undefined && limit === undefined) return undefined
  const [most, least] = name === undefined ? [0, LEAST_URGENT] : priorityRange(name)
  return [most, Math.min(least, limit === undefined ? least : parsePriority(limit))]
}
