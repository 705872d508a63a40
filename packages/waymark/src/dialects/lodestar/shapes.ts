import * as z from 'zod'
import type { EventView } from '../../event/view.ts'
import type { MessageView } from '../../message/view.ts'
import type { leaseView, TaskSummary, TaskView } from '../../task/view.ts'
import { type Status, STATUSES, toSpecStatus } from './status.ts'

export const lease = z.object({
  taskId: z.string(),
  agentId: z.string(),
  expiresAt: z.string(),
  ttlSeconds: z.int(),
})

export const taskSummary = z.object({
  id: z.string(),
  title: z.string(),
  status: z.enum(STATUSES),
  priority: z.int(),
  labels: z.array(z.string()),
  dependencies: z.array(z.string()),
  claimedByAgentId: z.string().optional(),
  leaseExpiresAt: z.string().optional(),
  updatedAt: z.string().optional(),
})

const prdContext = z.object({
  source: z.string(),
  refs: z.array(z.string()),
  excerpt: z.string().optional(),
})

export const taskDetail = taskSummary.extend({
  description: z.string(),
  acceptanceCriteria: z.array(z.string()),
  locks: z.array(z.string()),
  dependents: z.array(z.string()),
  unmetDependencies: z.array(z.string()),
  prd: prdContext.optional(),
})

export const release = z.object({
  agentId: z.string(),
  releasedAt: z.string(),
  reason: z.string().optional(),
})

export const runtime = z.object({
  status: z.enum(STATUSES),
  claimedBy: z.string().optional(),
  lease: lease.optional(),
  createdAt: z.string(),
  updatedAt: z.string(),
  completedAt: z.string().optional(),
  completedBy: z.string().optional(),
  verifiedAt: z.string().optional(),
  verifiedBy: z.string().optional(),
  lastRelease: release.optional(),
})

export const warning = z.object({ type: z.string(), message: z.string() })
export type Warning = z.output<typeof warning>

/** The error result of a tool. */
export const failure = z.object({
  error: z.string(),
  error_code: z.string(),
  retriable: z.boolean(),
  details: z.record(z.string(), z.unknown()).optional(),
  suggested_action: z.string().optional(),
  current_state: z.record(z.string(), z.unknown()).optional(),
})

export const message = z.object({
  id: z.string(),
  createdAt: z.string(),
  from: z.string(),
  to: z.string().optional().describe('Absent when it went to all agents'),
  taskId: z.string().optional(),
  subject: z.string().optional(),
  body: z.string(),
  severity: z.enum(['info', 'warning', 'handoff', 'blocker']),
  readAt: z.string().optional(),
})

export const event = z.object({
  id: z.int(),
  createdAt: z.string(),
  type: z.string(),
  actorAgentId: z.string().optional(),
  taskId: z.string().optional(),
  targetAgentId: z.string().optional(),
  payload: z.record(z.string(), z.unknown()),
})

/** The key of a task, as in the specification file, or its id where it has none. */
export function toTaskId({ id, key }: { readonly id: string; readonly key?: string | undefined }) {
  return key ?? id
}

export function toStatus({ status, verified }: TaskSummary): Status {
  const known = toSpecStatus(status)
  return known === 'done' && verified !== false ? 'verified' : known
}

export function toTaskSummary(task: TaskSummary): z.output<typeof taskSummary> {
  return {
    id: toTaskId(task),
    title: task.title,
    status: toStatus(task),
    priority: task.priority,
    labels: task.labels,
    dependencies: task.depends_on.map(toTaskId),
    ...(task.lease !== undefined && {
      claimedByAgentId: task.lease.agent_id,
      leaseExpiresAt: task.lease.expires_at,
    }),
    updatedAt: task.updated_at,
  }
}

export function toTaskDetail(task: TaskView): z.output<typeof taskDetail> {
  const { prd } = task
  return {
    ...toTaskSummary(task),
    description: task.content ?? '',
    acceptanceCriteria: task.acceptance_criteria,
    locks: task.locks,
    dependents: task.blocks.map(toTaskId),
    unmetDependencies: task.blockers.map(toTaskId),
    ...(prd !== undefined && {
      prd: {
        source: prd.source,
        refs: prd.refs.map(({ anchor }) => anchor),
        ...(prd.excerpt !== undefined && { excerpt: prd.excerpt }),
      },
    }),
  }
}

export function toRuntime(task: TaskView): z.output<typeof runtime> {
  const { completed_at, completed_by, verified_at, verified_by } = task
  return {
    status: toStatus(task),
    ...(task.lease !== undefined && {
      claimedBy: task.lease.agent_id,
      lease: toLease(task, task.lease),
    }),
    createdAt: task.created_at,
    updatedAt: task.updated_at,
    ...(completed_at !== undefined && { completedAt: completed_at }),
    ...(completed_by !== undefined && { completedBy: completed_by }),
    ...(verified_at !== undefined && { verifiedAt: verified_at }),
    ...(verified_by !== undefined && { verifiedBy: verified_by }),
    ...toLastRelease(task),
  }
}

export function toLastRelease({ last_release }: TaskView): {
  lastRelease?: z.output<typeof release>
} {
  if (last_release === undefined) return {}
  const { agent_id, at, reason } = last_release
  return {
    lastRelease: { agentId: agent_id, releasedAt: at, ...(reason !== undefined && { reason }) },
  }
}

export function toLease(
  task: { readonly id: string; readonly key?: string | undefined },
  { agent_id, expires_at, seconds_left }: z.output<typeof leaseView>,
): z.output<typeof lease> {
  return {
    taskId: toTaskId(task),
    agentId: agent_id,
    expiresAt: expires_at,
    ttlSeconds: seconds_left,
  }
}

export function toMessage(view: MessageView): z.output<typeof message> {
  return {
    id: String(view.id),
    createdAt: view.at,
    from: view.from,
    ...(view.to !== undefined && { to: view.to }),
    ...(view.task_id !== undefined && { taskId: view.task_key ?? view.task_id }),
    ...(view.subject !== undefined && { subject: view.subject }),
    body: view.body,
    severity: view.severity,
    ...(view.read_at !== undefined && { readAt: view.read_at }),
  }
}

export function toEvent({ id, at, type, subject, data }: EventView): z.output<typeof event> {
  // Other authors are known by name only, which is not an agent id.
  const actor = text(data['agent_id'])
  const own = data['type'] === 'task' ? (text(data['key']) ?? subject) : undefined
  const task = own ?? text(data['task_key']) ?? text(data['task_id'])
  const target = text(data['to'])
  return {
    id,
    createdAt: at,
    type,
    ...(actor !== undefined && { actorAgentId: actor }),
    ...(task !== undefined && { taskId: task }),
    ...(target !== undefined && { targetAgentId: target }),
    payload: data,
  }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
