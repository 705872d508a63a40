import { camelColumns } from '../../core/store/sql.ts'
import type { HeldLeaseRow, LeaseEnd, LeaseRow } from './store.ts'
import type { AgentId } from '../../agent/agent.ts'

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
