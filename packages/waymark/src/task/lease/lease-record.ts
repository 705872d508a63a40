import { camelColumns } from '../../core/store/sql.ts'
import type { HeldLeaseRow, LeaseEnd, LeaseRow } from './store.ts'
import type { AgentId } from '../../agent/agent.ts'
import type { EntityId } from '../../entity/entity-id.ts'

const NAMES = `task_id, fence, inherited, agent_id, granted_at, expires_at, started, attempts, lost, parked_at,
  released_at, released_by, release_reason, withheld_from, withheld_until,
  ended_how, ended_by, ended_reason`
/** What `toLease` needs of a row. */
export const LEASE_COLUMNS = `${camelColumns(NAMES)},
  (SELECT name FROM agent WHERE id = lease.agent_id) AS agentName,
  (SELECT name FROM agent WHERE id = lease.released_by) AS releaserName`

export type LeaseRecord = Omit<LeaseRow, 'started' | 'lastRelease' | 'withheld' | 'ended'> & {
  readonly started: number
  readonly releasedAt: number | null
  readonly releasedBy: AgentId | null
  readonly releaserName: string | null
  readonly releaseReason: string | null
  readonly withheldFrom: AgentId | null
  readonly withheldUntil: number | null
  readonly endedHow: LeaseEnd['how'] | null
  readonly endedBy: string | null
  readonly endedReason: string | null
}

export function isOwned(lease: LeaseRow): lease is HeldLeaseRow {
  return lease.agentId !== null
}

export function toLease(record: LeaseRecord): LeaseRow {
  const { releasedAt, releasedBy, releaserName, releaseReason, ...rest } = record
  const { withheldFrom, withheldUntil, endedHow, endedBy, endedReason, ...row } = rest
  const lastRelease =
    releasedAt === null || releasedBy === null
      ? null
      : { at: releasedAt, agentId: releasedBy, agentName: releaserName, reason: releaseReason }
  const withheld =
    withheldFrom === null || withheldUntil === null
      ? null
      : { agentId: withheldFrom, until: withheldUntil }
  const ended = endedHow === null ? null : { how: endedHow, by: endedBy, reason: endedReason }
  return { ...row, started: row.started === 1, lastRelease, withheld, ended }
}

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
