import * as z from 'zod'
import { claimTask, releaseTask } from '../../task/lease/operations.ts'
import { completeTask, verifyTask } from '../../task/state/operations.ts'
import { body } from '../../core/input/schema.ts'
import type { DialectTool } from '../dialect.ts'
import { agentId } from './agent-tools.ts'
import { define } from './define-tool.ts'
import {
  lease,
  message,
  release,
  toLastRelease,
  toLease,
  toMessage,
  toStatus,
  toTaskId,
  type Warning,
  warning,
} from './shapes.ts'
import { taskId } from './task-tools.ts'

const note = body({ max: 4096 }).optional()

/** The tools that take tasks and bring them to their end. */
export function leaseTools(): readonly DialectTool[] {
  return [
    define({
      name: 'lodestar.task.claim',
      description: 'Claim a task: take a lease, so that no other agent works on it',
      operation: claimTask,
      input: z.object({
        taskId,
        agentId,
        ttlSeconds: z.int().optional().describe('60 to 7200 seconds; clamped'),
        force: z.boolean().optional().describe('Take over a lease that has expired'),
      }),
      output: z.object({
        ok: z.boolean(),
        lease: lease.extend({ fence: z.int() }).optional(),
        conflict: z.object({ claimedByAgentId: z.string(), expiresAt: z.string() }).optional(),
        warnings: z.array(warning),
        handoffMessage: message.optional(),
        lastRelease: release.optional(),
        unreadCount: z.int(),
      }),
      // An expired lease has no holder, so `force` is a no-op.
      toInput: ({ taskId, agentId, ttlSeconds }) => ({
        id: taskId,
        agent_id: agentId,
        seconds: ttlSeconds,
      }),
      toResult: ({ task, lease, overlaps, handoff, unread_messages }) => ({
        ok: true,
        lease: { ...toLease(task, lease), fence: lease.fence },
        warnings: overlaps.map((overlap) => ({
          type: 'LOCK_CONFLICT',
          message: `${overlap.agent_id} has reserved ${overlap.pattern} for ${toTaskId(overlap.task)}`,
        })),
        ...(handoff !== undefined && { handoffMessage: toMessage(handoff) }),
        ...toLastRelease(task),
        unreadCount: unread_messages,
      }),
    }),
    define({
      name: 'lodestar.task.release',
      description: 'Give a claimed task back before its lease expires',
      operation: releaseTask,
      input: z.object({ taskId, agentId, reason: note }),
      output: z.object({ ok: z.boolean(), previousLease: lease.optional() }),
      toInput: ({ taskId, agentId, reason }) => ({ id: taskId, agent_id: agentId, reason }),
      toResult: ({ task, released }) => ({ ok: true, previousLease: toLease(task, released) }),
    }),
    define({
      name: 'lodestar.task.done',
      description: 'Mark a task as done; it unblocks others once it is verified',
      operation: completeTask,
      input: z.object({ taskId, agentId, note }),
      output: z.object({
        ok: z.boolean(),
        status: z.enum(['done', 'verified']),
        warnings: z.array(warning),
      }),
      toInput: ({ taskId, agentId, note }) => ({
        id: taskId,
        agent_id: agentId,
        reason: note,
        needs_verification: true,
        force: true,
      }),
      toResult: ({ task, changed, was_held }) => ({
        ok: true,
        status: toStatus(task) === 'verified' ? ('verified' as const) : ('done' as const),
        warnings: toDoneWarnings({ changed, wasHeld: was_held, waiting: task.blocks.length }),
      }),
    }),
    define({
      name: 'lodestar.task.verify',
      description: 'Verify a task that is done; unblocks the tasks that depend on it',
      operation: verifyTask,
      input: z.object({ taskId, agentId, note }),
      output: z.object({
        ok: z.boolean(),
        status: z.literal('verified'),
        newlyReadyTaskIds: z.array(z.string()),
        warnings: z.array(warning),
      }),
      toInput: ({ taskId, agentId, note }) => ({ id: taskId, agent_id: agentId, note }),
      toResult: ({ changed, newly_ready }) => ({
        ok: true,
        status: 'verified' as const,
        newlyReadyTaskIds: newly_ready.map(toTaskId),
        warnings: changed
          ? []
          : [{ type: 'ALREADY_VERIFIED', message: 'the task was verified before' }],
      }),
    }),
  ]
}

function toDoneWarnings(facts: {
  readonly changed: boolean
  readonly wasHeld: boolean
  readonly waiting: number
}): Warning[] {
  if (!facts.changed) {
    return [{ type: 'ALREADY_DONE', message: 'the task was done before and stays as it is' }]
  }
  const warnings: Warning[] = []
  if (!facts.wasHeld) {
    warnings.push({ type: 'NOT_CLAIMED_BY_YOU', message: 'not claimed by you' })
  }
  if (facts.waiting > 0) {
    const message = `${facts.waiting} tasks wait until this one is verified`
    warnings.push({ type: 'DEPENDENTS_WAITING', message })
  }
  return warnings
}
