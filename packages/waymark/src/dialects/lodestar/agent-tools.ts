import { join } from 'node:path'
import * as z from 'zod'
import { heartbeat, joinAgent, leaveAgent } from '../../agent/operations.ts'
import { projectStatus } from '../../project/operations.ts'
import { body, oneLine } from '../../core/input/schema.ts'
import type { DialectTool } from '../dialect.ts'
import { define } from './define-tool.ts'
import { toTaskId, warning } from './shapes.ts'

export const agentId = z.string().trim().min(1).max(100).describe('As agent.join returned it')

export function agentTools(): readonly DialectTool[] {
  return [
    define({
      name: 'lodestar.repo.status',
      description:
        'Where are we? Counts of tasks, leases, agents and messages, and what to do next',
      operation: projectStatus,
      input: z.object({
        repo: z.string().optional().describe('Root of the repository, if several are served'),
        agentId: agentId.optional(),
      }),
      output: z.object({
        repoRoot: z.string(),
        specPath: z.string(),
        runtimePath: z.string(),
        counts: z.object({
          tasks: z.object({
            ready: z.int(),
            done: z.int(),
            verified: z.int(),
            deleted: z.int(),
          }),
          claimable: z.int(),
          activeLeases: z.int(),
          agentsOnline: z.int(),
          unreadMessages: z.int(),
        }),
        suggestedNextActions: z.array(z.string()),
      }),
      toInput: ({ agentId }) => ({ agent_id: agentId }),
      toResult: toRepoStatus,
      toProject: ({ repo }) => (typeof repo === 'string' ? repo : undefined),
    }),
    define({
      name: 'lodestar.agent.join',
      description: 'Register as an agent; use the agentId it returns in every other call',
      operation: joinAgent,
      input: z.object({
        name: oneLine({ max: 100 }).optional().describe('Display name'),
        client: oneLine({ max: 200 }).optional().describe('Host name and version'),
        model: oneLine({ max: 200 }).optional().describe('Model identifier'),
        capabilities: z.record(z.string(), z.unknown()).optional(),
        ttlSeconds: z.int().min(1).optional().describe('Length of your leases; clamped'),
      }),
      output: z.object({
        agentId: z.string(),
        leaseDefaults: z.object({ ttlSeconds: z.int() }),
        serverTime: z.string(),
        notes: z.array(z.string()),
      }),
      toInput: ({ ttlSeconds, ...rest }) => ({ ...rest, lease_seconds: ttlSeconds, fresh: true }),
      toResult: ({ agent, server_time }, { ttlSeconds }) => ({
        agentId: agent.id,
        leaseDefaults: { ttlSeconds: agent.lease_seconds },
        serverTime: server_time,
        notes:
          ttlSeconds === undefined || ttlSeconds === agent.lease_seconds
            ? []
            : [`ttlSeconds was set to ${agent.lease_seconds}: it must be between 60 and 7200`],
      }),
    }),
    define({
      name: 'lodestar.agent.heartbeat',
      description: 'Stay present; also says which tasks you still hold',
      operation: heartbeat,
      input: z.object({ agentId }),
      output: z.object({
        ok: z.boolean(),
        expiresAt: z.string().optional(),
        heldTaskIds: z.array(z.string()).optional(),
        warnings: z.array(warning),
      }),
      toInput: ({ agentId }) => ({ agent_id: agentId }),
      toResult: ({ idle_at, held, unread_messages }) => ({
        ok: true,
        expiresAt: idle_at,
        heldTaskIds: held.map(({ task }) => toTaskId(task)),
        warnings:
          unread_messages === 0
            ? []
            : [{ type: 'UNREAD_MESSAGES', message: `${unread_messages} unread messages` }],
      }),
    }),
    define({
      name: 'lodestar.agent.leave',
      description: 'Leave, and give back every task you hold',
      operation: leaveAgent,
      input: z.object({ agentId, reason: body({ max: 4096 }).optional() }),
      output: z.object({ ok: z.boolean(), releasedTaskIds: z.array(z.string()) }),
      toInput: ({ agentId, reason }) => ({ agent_id: agentId, reason }),
      toResult: ({ released }) => ({
        ok: true,
        releasedTaskIds: released.map(toTaskId),
      }),
    }),
  ]
}

export function toRepoStatus(output: z.output<typeof projectStatus.output>) {
  const { root = '', state = '', tasks, unverified, ...status } = output
  return {
    repoRoot: root,
    specPath: join(root, '.lodestar', 'spec.yaml'),
    runtimePath: join(state, 'waymark.db'),
    counts: {
      tasks: {
        ready: count(tasks, ['todo', 'in_progress', 'blocked']),
        done: unverified,
        verified: count(tasks, ['done']) - unverified,
        deleted: count(tasks, ['cancelled']),
      },
      claimable: status.claimable,
      activeLeases: status.active_leases,
      agentsOnline: status.agents_online,
      unreadMessages: status.unread_messages,
    },
    suggestedNextActions: status.suggestions,
  }
}

function count(tasks: Readonly<Record<string, number>>, statuses: readonly string[]): number {
  return statuses.reduce((sum, status) => sum + (tasks[status] ?? 0), 0)
}
