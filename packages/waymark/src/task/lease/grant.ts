import type { AgentId } from '../../agent/agent.ts'
import type { EntityId } from '../../entity/entity-id.ts'
import type { LeaseRow } from './store.ts'

export interface Grant {
  readonly agentId: AgentId
  readonly agentName: string | null
  readonly now: number
  readonly expiresAt: number
  readonly started: boolean
  /** The one that the remote has given, at least. */
  readonly fence?: number | undefined
}

/** What `grant` makes of a lease; undefined if it is not to be had. */
export function toGranted(
  taskId: EntityId,
  before: LeaseRow | undefined,
  { now, started, fence = 1, ...grant }: Grant,
): LeaseRow | undefined {
  const isFree = before === undefined || before.agentId === null || before.expiresAt <= now
  if (!isFree || typeof before?.parkedAt === 'number') return undefined
  return {
    ...grant,
    taskId,
    fence: Math.max((before?.fence ?? 0) + 1, fence),
    grantedAt: now,
    inherited: 0,
    started,
    attempts: (before?.attempts ?? 0) + 1,
    lost: before?.lost ?? 0,
    parkedAt: null,
    lastRelease: before?.lastRelease ?? null,
    withheld: null,
    ended: null,
  }
}
