import { type Attempts, attemptsExhausted, KEPT_LONG_MS, WITHHELD_MS } from './lease.ts'
import { createNoticeReader, createNotices } from './notices.ts'
import {
  type Grant,
  isOwned,
  LEASE_COLUMNS,
  type LeaseRecord,
  toGranted,
  toLease,
} from './lease-record.ts'
import type { Elsewhere } from './elsewhere/holders.ts'
import { createShared, createSharedReader } from './shared/store.ts'
import type { Sql, SqlReader, SqlValue } from '../../core/store/sql.ts'
import type { AgentId } from '../../agent/agent.ts'
import type { EntityId } from '../../entity/entity-id.ts'

/** Who holds a task, or held it last. There is one row for each task that was ever claimed. */
export interface LeaseRow extends Attempts {
  readonly taskId: EntityId
  /** Fencing token, incremented with each grant: a writer with an older one has lost the task. */
  readonly fence: number
  readonly agentId: AgentId | null
  /** As the holder calls itself. */
  readonly agentName: string | null
  readonly grantedAt: number
  readonly expiresAt: number
  /** How often it passed to a successor of its holder since it was granted, each time with the next fence. */
  readonly inherited: number
  /** The claim put the task in progress, so its end without a result puts it back. */
  readonly started: boolean
  /** Parked after too many unfinished claims. */
  readonly parkedAt: number | null
  /** Who gave the task back last, and why; forgotten when it is closed or opened afresh. */
  readonly lastRelease: Release | null
  /** The agent that it is not offered to for now, because it released it with a reason. */
  readonly withheld: { readonly agentId: AgentId; readonly until: number } | null
  /** How the last lease was taken from its holder, if it was. */
  readonly ended: LeaseEnd | null
}

export interface LeaseEnd {
  /** `sync`: the task was closed or deleted elsewhere. `elsewhere`: another clone holds it. `force`: a person took it. */
  readonly how: 'sync' | 'elsewhere' | 'force'
  /** Name of the one who did it. */
  readonly by: string | null
  readonly reason: string | null
}

interface Release {
  readonly at: number
  readonly agentId: AgentId
  /** As that agent calls itself. */
  readonly agentName: string | null
  readonly reason: string | null
}

export type HeldLeaseRow = LeaseRow & { readonly agentId: AgentId }

interface Holder {
  readonly agentId: AgentId
  /** The number that the writer was given with its grant, if it names one. */
  readonly fence?: number | undefined
}

type FencedHolder = Pick<HeldLeaseRow, 'agentId' | 'fence'>

interface FencedState {
  readonly now: number
  readonly isClosed: boolean
}

interface Goodbye {
  readonly now: number
  readonly reason: string | undefined
  /** Whether the leases that were lost before no longer count. */
  readonly forgetsLost: boolean
  /** Whether the task is not offered to this agent again for now. */
  readonly withholds: boolean
}

interface Clearing {
  readonly keepsFence: boolean
  readonly to: 'closed' | 'open'
  readonly now: number
}

interface Extension {
  readonly now: number
  readonly expiresAt: number
}

/** The start of the project's id, which each clone has made for itself. */
export const OWN_CLONE = '(SELECT substr(id, 1, 8) FROM project)'

export type LeaseReader = ReturnType<typeof createLeaseReader>

export function createLeaseReader(sql: SqlReader) {
  const shared = createSharedReader(sql)
  return {
    ...createNoticeReader(sql),
    /** What other clones hold, through the register at the remote. */
    shared,

    async of(taskId: EntityId): Promise<LeaseRow | undefined> {
      const record = await sql.get<LeaseRecord>(
        `SELECT ${LEASE_COLUMNS} FROM lease WHERE task_id = ?`,
        [taskId],
      )
      return record && toLease(record)
    },

    /** How this clone is called in `holders`. */
    async ownClone(): Promise<string> {
      const row = await sql.get<{ clone: string }>(`SELECT ${OWN_CLONE} AS clone`)
      return row?.clone ?? ''
    },

    /** What tells who holds a task in other clones. */
    async elsewhere(now: number): Promise<Elsewhere> {
      const [foreign, clones] = [await shared.foreign(now), await shared.clones()]
      return { ownClone: await this.ownClone(), now, foreign, clones }
    },

    /** By task. */
    async ofAll(taskIds: readonly string[]): Promise<ReadonlyMap<string, LeaseRow>> {
      const records = await sql.all<LeaseRecord>(
        `SELECT ${LEASE_COLUMNS} FROM lease WHERE task_id IN (${taskIds.map(() => '?').join(', ')})`,
        taskIds,
      )
      return new Map(records.map((record) => [record.taskId, toLease(record)]))
    },

    /** All that have not run out, or those of one agent. */
    async held(now: number, agentId?: AgentId): Promise<HeldLeaseRow[]> {
      const of = agentId === undefined ? '' : 'AND agent_id = ?'
      const records = await sql.all<LeaseRecord>(
        `SELECT ${LEASE_COLUMNS} FROM lease WHERE agent_id IS NOT NULL AND expires_at > ? ${of}
          ORDER BY granted_at, task_id`,
        agentId === undefined ? [now] : [now, agentId],
      )
      return records.map(toLease).filter(isOwned)
    },

    /** Those of these tasks that have not run out. */
    async heldAmong(taskIds: readonly string[], now: number): Promise<HeldLeaseRow[]> {
      const records = await sql.all<LeaseRecord>(
        `SELECT ${LEASE_COLUMNS} FROM lease WHERE task_id IN (SELECT value FROM json_each(?))
            AND agent_id IS NOT NULL AND expires_at > ?
          ORDER BY task_id`,
        [JSON.stringify(taskIds), now],
      )
      return records.map(toLease).filter(isOwned)
    },

    /** Those that have run out and are not yet swept. */
    async expired(now: number): Promise<HeldLeaseRow[]> {
      const records = await sql.all<LeaseRecord>(
        `SELECT ${LEASE_COLUMNS} FROM lease WHERE agent_id IS NOT NULL AND expires_at <= ?
          ORDER BY expires_at, task_id`,
        [now],
      )
      return records.map(toLease).filter(isOwned)
    },

    /** When the next one runs out that has not yet been swept. */
    async nextExpiry(): Promise<number | undefined> {
      const row = await sql.get<{ at: number | null }>(
        'SELECT min(expires_at) AS at FROM lease WHERE agent_id IS NOT NULL',
      )
      return row?.at ?? undefined
    },

    async countHeld(now: number): Promise<number> {
      const row = await sql.get<{ count: number }>(
        'SELECT count(*) AS count FROM lease WHERE agent_id IS NOT NULL AND expires_at > ?',
        [now],
      )
      return row?.count ?? 0
    },
  }
}

/** Every change names in its WHERE what must still be true, and answers undefined or false if it is not. */
export type Leases = ReturnType<typeof createLeases>

export function createLeases(sql: Sql) {
  const reader = createLeaseReader(sql)
  const shared = createShared(sql)
  return {
    ...reader,
    ...createNotices(sql),
    shared,

    /** Grants a lease with the next fence, if the task is neither held nor parked. */
    async grant(taskId: EntityId, grant: Grant): Promise<LeaseRow | undefined> {
      const { agentId, now, expiresAt, started, fence = 1 } = grant
      const statement = `INSERT INTO lease (task_id, fence, agent_id, granted_at, expires_at, started, attempts, lost)
          VALUES (?, ?, ?, ?, ?, ?, 1, 0)
          ON CONFLICT (task_id) DO UPDATE SET fence = max(lease.fence + 1, excluded.fence), attempts = lease.attempts + 1,
            agent_id = excluded.agent_id, granted_at = excluded.granted_at,
            expires_at = excluded.expires_at, started = excluded.started, inherited = 0,
            withheld_from = NULL, ended_how = NULL, ended_by = NULL, ended_reason = NULL
          WHERE lease.parked_at IS NULL AND (lease.agent_id IS NULL OR lease.expires_at <= ?)`
      const values = [taskId, fence, agentId, now, expiresAt, Number(started), now]
      if (sql.remembers !== true) {
        const record = await sql.get<LeaseRecord>(`${statement} RETURNING ${LEASE_COLUMNS}`, values)
        return record && toLease(record)
      }
      // No other transaction can change the row meanwhile, so its next state is known without waiting for it.
      const granted = toGranted(taskId, await reader.of(taskId), grant)
      if (granted !== undefined) await sql.send(statement, values)
      return granted
    },

    /**
     * Extends the lease, if this holder still has it, and at most for as long as the remote grants it. Resets the count of
     * lost leases after a long hold.
     */
    async renew(
      taskId: EntityId,
      holder: Holder,
      { now, expiresAt }: Extension,
    ): Promise<LeaseRow | undefined> {
      const { where, values } = heldBy(holder, now)
      const record = await sql.get<LeaseRecord>(
        `UPDATE lease SET lost = CASE WHEN granted_at <= ? THEN 0 ELSE lost END,
            expires_at = min(?, coalesce((SELECT s.expires_at FROM shared_lease AS s
              WHERE s.task_id = lease.task_id AND s.state = 'held'), ?))
          WHERE task_id = ? AND ${where}
          RETURNING ${LEASE_COLUMNS}`,
        [now - KEPT_LONG_MS, expiresAt, expiresAt, taskId, ...values],
      )
      return record && toLease(record)
    },

    /** Transfers a lease to its holder's successor, with the same fence. */
    async handOver(
      taskId: EntityId,
      { agentId, fence }: FencedHolder,
      to: AgentId,
    ): Promise<boolean> {
      const moved = await sql.run(
        'UPDATE lease SET agent_id = ? WHERE task_id = ? AND agent_id = ? AND fence = ?',
        [to, taskId, agentId, fence],
      )
      return moved > 0
    },

    /**
     * Passes the leases of an agent to the session that continues as it, with the next fence. After a crash this counts
     * as an attempt, and a lease whose attempts are exhausted runs out at once. Returns how many passed.
     */
    async inherit(
      agentId: AgentId,
      { now, crashed }: { readonly now: number; readonly crashed: boolean },
    ): Promise<number> {
      let passed = 0
      for (const { taskId, ...lease } of await reader.held(now, agentId)) {
        const runsOut = crashed && attemptsExhausted(lease)
        await sql.send(
          `UPDATE lease SET fence = fence + 1, inherited = inherited + 1, attempts = attempts + ?,
              expires_at = CASE WHEN ? THEN ? ELSE expires_at END
            WHERE task_id = ?`,
          [Number(crashed), Number(runsOut), now, taskId],
        )
        if (!runsOut) passed += 1
      }
      return passed
    },

    /** Counts an attempt of a holder that restarted. */
    async countRestart(taskId: EntityId): Promise<void> {
      await sql.send('UPDATE lease SET attempts = attempts + 1 WHERE task_id = ?', [taskId])
    },

    /** Ends it, if this holder still has it. */
    async release(
      taskId: EntityId,
      holder: Holder,
      { now, reason, forgetsLost, withholds }: Goodbye,
    ): Promise<boolean> {
      const { where, values } = heldBy(holder, now)
      const released = await sql.run(
        `UPDATE lease SET agent_id = NULL, released_at = ?, released_by = agent_id,
            release_reason = ?, withheld_from = CASE WHEN ? THEN agent_id END, withheld_until = ?,
            lost = CASE WHEN ? THEN 0 ELSE lost END
          WHERE task_id = ? AND ${where}`,
        [
          now,
          reason ?? null,
          Number(withholds),
          now + WITHHELD_MS,
          Number(forgetsLost),
          taskId,
          ...values,
        ],
      )
      return released > 0
    },

    /**
     * Whether a write in the name of a lease is admitted: true if the writer holds the task with this fence. On a closed
     * task also the fence that closed it counts, so that the call can be repeated.
     */
    async admits(
      taskId: EntityId,
      { agentId, fence }: FencedHolder,
      { now, isClosed }: FencedState,
    ): Promise<boolean> {
      const lease = await reader.of(taskId)
      // A task that was never claimed has no row, and no agent can have been given a fence of it.
      if (lease?.fence !== fence) return false
      return lease.agentId === null ? isClosed : lease.agentId === agentId && lease.expiresAt > now
    },

    /** The lease of an agent other than this one that holds the task now, if there is one. */
    async heldAgainst(
      agentId: AgentId,
      taskId: EntityId,
      now: number,
    ): Promise<HeldLeaseRow | undefined> {
      const record = await sql.get<LeaseRecord>(
        `SELECT ${LEASE_COLUMNS} FROM lease
          WHERE task_id = ? AND agent_id IS NOT NULL AND agent_id <> ? AND expires_at > ?`,
        [taskId, agentId, now],
      )
      const lease = record && toLease(record)
      return lease !== undefined && isOwned(lease) ? lease : undefined
    },

    /** Offers these tasks again to the agents that released them, because what they waited for is done. */
    async offerAgain(taskIds: readonly string[]): Promise<void> {
      if (taskIds.length === 0) return
      await sql.send(
        `UPDATE lease SET withheld_from = NULL
          WHERE withheld_from IS NOT NULL AND task_id IN (SELECT value FROM json_each(?))`,
        [JSON.stringify(taskIds)],
      )
    },

    /**
     * Ends the lease, if any, and resets the counters when the task is closed or reopened. The last fence stays valid only
     * if `keepsFence`.
     */
    async clear(taskId: EntityId, { keepsFence, to, now }: Clearing): Promise<void> {
      await shared.noteEnd(taskId, { to, now })
      await sql.send(
        `UPDATE lease SET agent_id = NULL, fence = fence + ?, started = 0, attempts = 0, lost = 0,
            parked_at = NULL, released_at = NULL, released_by = NULL, release_reason = NULL,
            withheld_from = NULL
          WHERE task_id = ?`,
        [Number(!keepsFence), taskId],
      )
    },

    /** Revokes the lease and invalidates its fence. */
    async end(taskId: EntityId, { how, by, reason }: LeaseEnd): Promise<void> {
      await sql.send(
        `UPDATE lease SET agent_id = NULL, fence = fence + 1, started = 0, ended_how = ?, ended_by = ?,
            ended_reason = ?
          WHERE task_id = ?`,
        [how, by, reason, taskId],
      )
    },

    /** Ends every expired lease and returns them as they were. */
    async sweep(now: number): Promise<HeldLeaseRow[]> {
      const expired = await reader.expired(now)
      if (expired.length > 0) {
        await sql.send(
          `UPDATE lease SET agent_id = NULL, lost = lost + 1
            WHERE agent_id IS NOT NULL AND expires_at <= ?`,
          [now],
        )
      }
      return expired
    },

    async park(taskId: EntityId, at: number): Promise<void> {
      await sql.send('UPDATE lease SET parked_at = ? WHERE task_id = ?', [at, taskId])
    },
  }
}

function heldBy({ agentId, fence }: Holder, now: number): { where: string; values: SqlValue[] } {
  const where = 'agent_id = ? AND expires_at > ?'
  if (fence === undefined) return { where, values: [agentId, now] }
  return { where: `${where} AND fence = ?`, values: [agentId, now, fence] }
}
