import { callerId, type AgentId } from '../../agent/agent.ts'
import type { Context, ReadContext } from '../../core/context.ts'
import { type Line, line, own, titled } from '../../core/show.ts'
import type { Sql, SqlReader } from '../../core/store/sql.ts'
import type { LeaseEnd } from './store.ts'
import type { EntityId } from '../../entity/entity-id.ts'

/** After the remote could not be reached, it is not tried again for so long; claims and syncs do try. */
const RETRY_AFTER_MS = 5 * 60 * 1000

/** A lease that was taken from its holder, which has not been told yet. */
export interface LeaseNotice extends LeaseEnd {
  /** The former holder. */
  readonly agentId: AgentId
  readonly taskId: EntityId
  readonly number: number
  readonly fence: number
  /** Milliseconds since 1970. */
  readonly at: number
}

type NoticeReader = ReturnType<typeof createNoticeReader>

/**
 * Tells the caller which of its leases were ended without it, beside the answer to its next call. A notice is
 * removed when the call succeeds, so that an answer that is lost with an error does not lose it. Once in a call: by its
 * first change, where that costs least, or else by whatever runs it.
 */
export async function tellLostLeases(
  { agent, store, tell, upkeep }: ReadContext,
  leases: NoticeReader = store.leases,
): Promise<void> {
  const id = callerId(agent)
  if (tell === undefined || id === undefined || upkeep.hasToldLosses === true) return
  upkeep.hasToldLosses = true
  if (!(await leases.hasNotices(id))) return
  const notices = await leases.noticesFor(id)
  for (const notice of notices) tell(notice)
  upkeep.later('leaseNotices', notices)
}

/** Has other clones told of leases that ended with this call, where the remote grants claims. */
export async function noteEnds(context: ReadContext): Promise<void> {
  const { store, coordination, access, upkeep } = context
  if (coordination === 'local' || access.readOnly) return
  const { readAt, failedAt } = upkeep.register ?? (await store.leases.shared.state())
  if (readAt === null) return
  const now = await store.now(context)
  if (failedAt !== null && Math.abs(now - failedAt) < RETRY_AFTER_MS) return
  if (await store.leases.shared.hasEnds(now)) upkeep.later('endedLeases', null)
}

export async function removeNotices(
  context: Context,
  notices: readonly LeaseNotice[],
): Promise<void> {
  await context.store.write(async (tx) => {
    for (const notice of notices) await tx.leases.removeNotice(notice)
  }, context)
}

/** A notice as one line for a model. */
export function showNotice({ number, fence, how, by, reason }: LeaseNotice): Line {
  const owner = by === null ? own('the owner') : line`the owner (${titled(by)})`
  const why = reason === null ? undefined : line`: ${titled(reason)}`
  return line`lease_lost: ${how === 'force' ? owner : own('sync')} ended your lease on #${number} (fence ${fence})${why}; stop working on it`
}

const ANY_NOTICE = 'SELECT 1 FROM lease_notice WHERE agent_id = ?'

export function createNoticeReader(sql: SqlReader) {
  return {
    async hasNotices(agentId: AgentId): Promise<boolean> {
      return (await sql.get(ANY_NOTICE, [agentId])) !== undefined
    },

    /** What an agent has not been told yet, oldest first. */
    async noticesFor(agentId: AgentId): Promise<LeaseNotice[]> {
      return await sql.all<LeaseNotice>(
        // With the number of today.
        `SELECT agent_id AS agentId, task_id AS taskId, fence, at, how, reason, ended_by AS "by",
            coalesce((SELECT number FROM entity WHERE id = task_id), number) AS number
          FROM lease_notice WHERE agent_id = ? ORDER BY at, task_id`,
        [agentId],
      )
    },
  }
}

export function createNotices(sql: Sql) {
  return {
    /** Leaves a notice for the holder of a lease that was ended. */
    async leaveNotice(notice: LeaseNotice): Promise<void> {
      const { agentId, taskId, fence, number, at, how, by, reason } = notice
      await sql.send(
        `INSERT INTO lease_notice (agent_id, task_id, fence, number, at, how, ended_by, reason)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?)
          ON CONFLICT (agent_id, task_id, fence) DO NOTHING`,
        [agentId, taskId, fence, number, at, how, by, reason],
      )
    },

    /** Removes a notice that the former holder has got. */
    async removeNotice({ agentId, taskId, fence }: LeaseNotice): Promise<void> {
      await sql.send('DELETE FROM lease_notice WHERE agent_id = ? AND task_id = ? AND fence = ?', [
        agentId,
        taskId,
        fence,
      ])
    },
  }
}
