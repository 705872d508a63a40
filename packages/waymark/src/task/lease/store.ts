import { type Attempts, attemptsExhausted, KEPT_LONG_MS } from './lease.ts'
import type { Sql, SqlReader, SqlValue } from '../../core/store/sql.ts'

/** Who holds a task, or held it last. There is one row for each task that was ever claimed. */
export interface LeaseRow extends Attempts {
  readonly taskId: string
  /** Fencing token, incremented with each grant: a writer with an older one has lost the task. */
  readonly fence: number
  readonly agentId: string | null
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
  /** How the last lease was taken from its holder, if it was. */
  readonly ended: LeaseEnd | null
}

export interface LeaseEnd {
  /** `sync`: the task was closed or deleted elsewhere. `force`: a person took it. */
  readonly how: 'sync' | 'force'
  /** Name of the one who did it. */
  readonly by: string | null
}

interface Release {
  readonly at: number
  readonly agentId: string
  /** As that agent calls itself. */
  readonly agentName: string | null
  readonly reason: string | null
}

export type HeldLeaseRow = LeaseRow & { readonly agentId: string }

export interface LeaseReader {
  of(taskId: string): Promise<LeaseRow | undefined>
  /** By task. */
  ofAll(taskIds: readonly string[]): Promise<ReadonlyMap<string, LeaseRow>>
  /** All that have not run out, or those of one agent. */
  held(now: number, agentId?: string): Promise<HeldLeaseRow[]>
  /** Those of these tasks that have not run out. */
  heldAmong(taskIds: readonly string[], now: number): Promise<HeldLeaseRow[]>
  /** When the next one runs out that has not yet been swept. */
  nextExpiry(): Promise<number | undefined>
  countHeld(now: number): Promise<number>
}

interface Holder {
  readonly agentId: string
  /** The number that the writer was given with its grant, if it names one. */
  readonly fence?: number | undefined
}

type FencedHolder = Pick<HeldLeaseRow, 'agentId' | 'fence'>

interface FencedState {
  readonly now: number
  readonly isClosed: boolean
}

/** Every change names in its WHERE what must still be true, and answers undefined or false if it is not. */
export interface Leases extends LeaseReader {
  /** Grants a lease with the next fence, if the task is neither held nor parked. */
  grant(taskId: string, grant: Grant): Promise<LeaseRow | undefined>
  /** Extends the lease, if this holder still has it. Resets the count of lost leases after a long hold. */
  renew(taskId: string, holder: Holder, until: Extension): Promise<LeaseRow | undefined>
  /** Transfers a lease to its holder's successor, with the same fence. */
  handOver(taskId: string, from: FencedHolder, to: string): Promise<boolean>
  /**
   * Passes the leases of an agent to the session that continues as it, with the next fence. After a crash this counts
   * as an attempt, and a lease whose attempts are exhausted runs out at once. Returns how many passed.
   */
  inherit(
    agentId: string,
    options: { readonly now: number; readonly crashed: boolean },
  ): Promise<number>
  /** Counts an attempt of a holder that restarted. */
  countRestart(taskId: string): Promise<void>
  /** Ends it, if this holder still has it. */
  release(taskId: string, holder: Holder, release: Goodbye): Promise<boolean>
  /**
   * Locks the row for a write in the name of a lease. True if the writer holds the task with this fence. On a closed
   * task also the fence that closed it counts, so that the call can be repeated.
   */
  admits(taskId: string, holder: FencedHolder, state: FencedState): Promise<boolean>
  /** The lease of an agent other than this one that holds the task now, if there is one. */
  heldAgainst(agentId: string, taskId: string, now: number): Promise<HeldLeaseRow | undefined>
  /**
   * Ends the lease, if any, and resets the counters when the task is closed or reopened. The last fence stays valid only
   * if `keepsFence`.
   */
  clear(taskId: string, options: { readonly keepsFence: boolean }): Promise<void>
  /** Revokes the lease and invalidates its fence. */
  end(taskId: string, end: LeaseEnd): Promise<void>
  /** Ends every expired lease and returns them as they were. */
  sweep(now: number): Promise<HeldLeaseRow[]>
  park(taskId: string, at: number): Promise<void>
}

interface Grant {
  readonly agentId: string
  readonly now: number
  readonly expiresAt: number
  readonly started: boolean
}

interface Goodbye {
  readonly now: number
  readonly reason: string | undefined
  /** Whether the leases that were lost before no longer count. */
  readonly forgetsLost: boolean
}

interface Extension {
  readonly now: number
  readonly expiresAt: number
}

const COLUMNS = `task_id, fence, inherited, agent_id, granted_at, expires_at, started, attempts, lost, parked_at,
  released_at, released_by, release_reason, ended_how, ended_by,
  (SELECT name FROM agent WHERE id = lease.agent_id) AS agent_name,
  (SELECT name FROM agent WHERE id = lease.released_by) AS releaser_name`

interface LeaseRecord {
  readonly task_id: string
  readonly fence: number
  readonly inherited: number
  readonly agent_id: string | null
  readonly agent_name: string | null
  readonly granted_at: number
  readonly expires_at: number
  readonly started: number
  readonly attempts: number
  readonly lost: number
  readonly parked_at: number | null
  readonly released_at: number | null
  readonly released_by: string | null
  readonly release_reason: string | null
  readonly releaser_name: string | null
  readonly ended_how: LeaseEnd['how'] | null
  readonly ended_by: string | null
}

export function createLeaseReader(sql: SqlReader): LeaseReader {
  return {
    async of(taskId) {
      const record = await sql.get<LeaseRecord>(`SELECT ${COLUMNS} FROM lease WHERE task_id = ?`, [
        taskId,
      ])
      return record && toLease(record)
    },

    async ofAll(taskIds) {
      const records = await sql.all<LeaseRecord>(
        `SELECT ${COLUMNS} FROM lease WHERE task_id IN (${taskIds.map(() => '?').join(', ')})`,
        taskIds,
      )
      return new Map(records.map((record) => [record.task_id, toLease(record)]))
    },

    async held(now, agentId) {
      const of = agentId === undefined ? '' : 'AND agent_id = ?'
      const records = await sql.all<LeaseRecord>(
        `SELECT ${COLUMNS} FROM lease WHERE agent_id IS NOT NULL AND expires_at > ? ${of}
          ORDER BY granted_at, task_id`,
        agentId === undefined ? [now] : [now, agentId],
      )
      return records.map(toLease).filter(isOwned)
    },

    async heldAmong(taskIds, now) {
      const records = await sql.all<LeaseRecord>(
        `SELECT ${COLUMNS} FROM lease WHERE task_id IN (SELECT value FROM json_each(?))
            AND agent_id IS NOT NULL AND expires_at > ?
          ORDER BY task_id`,
        [JSON.stringify(taskIds), now],
      )
      return records.map(toLease).filter(isOwned)
    },

    async nextExpiry() {
      const row = await sql.get<{ at: number | null }>(
        'SELECT min(expires_at) AS at FROM lease WHERE agent_id IS NOT NULL',
      )
      return row?.at ?? undefined
    },

    async countHeld(now) {
      const row = await sql.get<{ count: number }>(
        'SELECT count(*) AS count FROM lease WHERE agent_id IS NOT NULL AND expires_at > ?',
        [now],
      )
      return row?.count ?? 0
    },
  }
}

export function createLeases(sql: Sql): Leases {
  const reader = createLeaseReader(sql)
  return {
    ...reader,

    async grant(taskId, { agentId, now, expiresAt, started }) {
      const record = await sql.get<LeaseRecord>(
        `INSERT INTO lease (task_id, fence, agent_id, granted_at, expires_at, started, attempts, lost)
          VALUES (?, 1, ?, ?, ?, ?, 1, 0)
          ON CONFLICT (task_id) DO UPDATE SET fence = lease.fence + 1, attempts = lease.attempts + 1,
            agent_id = excluded.agent_id, granted_at = excluded.granted_at,
            expires_at = excluded.expires_at, started = excluded.started, inherited = 0,
            ended_how = NULL, ended_by = NULL
          WHERE lease.parked_at IS NULL AND (lease.agent_id IS NULL OR lease.expires_at <= ?)
          RETURNING ${COLUMNS}`,
        [taskId, agentId, now, expiresAt, Number(started), now],
      )
      return record && toLease(record)
    },

    async renew(taskId, holder, { now, expiresAt }) {
      const { where, values } = heldBy(holder, now)
      const record = await sql.get<LeaseRecord>(
        `UPDATE lease SET expires_at = ?, lost = CASE WHEN granted_at <= ? THEN 0 ELSE lost END
          WHERE task_id = ? AND ${where}
          RETURNING ${COLUMNS}`,
        [expiresAt, now - KEPT_LONG_MS, taskId, ...values],
      )
      return record && toLease(record)
    },

    async handOver(taskId, { agentId, fence }, to) {
      const moved = await sql.run(
        'UPDATE lease SET agent_id = ? WHERE task_id = ? AND agent_id = ? AND fence = ?',
        [to, taskId, agentId, fence],
      )
      return moved > 0
    },

    async inherit(agentId, { now, crashed }) {
      let passed = 0
      for (const { taskId, ...lease } of await reader.held(now, agentId)) {
        const runsOut = crashed && attemptsExhausted(lease)
        await sql.run(
          `UPDATE lease SET fence = fence + 1, inherited = inherited + 1, attempts = attempts + ?,
              expires_at = CASE WHEN ? THEN ? ELSE expires_at END
            WHERE task_id = ?`,
          [Number(crashed), Number(runsOut), now, taskId],
        )
        if (!runsOut) passed += 1
      }
      return passed
    },

    async countRestart(taskId) {
      await sql.run('UPDATE lease SET attempts = attempts + 1 WHERE task_id = ?', [taskId])
    },

    async release(taskId, holder, { now, reason, forgetsLost }) {
      const { where, values } = heldBy(holder, now)
      const released = await sql.run(
        `UPDATE lease SET agent_id = NULL, released_at = ?, released_by = agent_id,
            release_reason = ?, lost = CASE WHEN ? THEN 0 ELSE lost END
          WHERE task_id = ? AND ${where}`,
        [now, reason ?? null, Number(forgetsLost), taskId, ...values],
      )
      return released > 0
    },

    async admits(taskId, { agentId, fence }, { now, isClosed }) {
      // A task that was never claimed has no row, and no agent can have been given a fence of it.
      const admitted = await sql.run(
        `UPDATE lease SET fence = fence
          WHERE task_id = ? AND fence = ?
            AND CASE WHEN agent_id IS NULL THEN ? ELSE agent_id = ? AND expires_at > ? END`,
        [taskId, fence, Number(isClosed), agentId, now],
      )
      return admitted > 0
    },

    async heldAgainst(agentId, taskId, now) {
      const record = await sql.get<LeaseRecord>(
        `SELECT ${COLUMNS} FROM lease
          WHERE task_id = ? AND agent_id IS NOT NULL AND agent_id <> ? AND expires_at > ?`,
        [taskId, agentId, now],
      )
      const lease = record && toLease(record)
      return lease !== undefined && isOwned(lease) ? lease : undefined
    },

    async clear(taskId, { keepsFence }) {
      await sql.run(
        `UPDATE lease SET agent_id = NULL, fence = fence + ?, started = 0, attempts = 0, lost = 0,
            parked_at = NULL, released_at = NULL, released_by = NULL, release_reason = NULL
          WHERE task_id = ?`,
        [Number(!keepsFence), taskId],
      )
    },

    async end(taskId, { how, by }) {
      await sql.run(
        `UPDATE lease SET agent_id = NULL, fence = fence + 1, started = 0, ended_how = ?, ended_by = ?
          WHERE task_id = ?`,
        [how, by, taskId],
      )
    },

    async sweep(now) {
      const records = await sql.all<LeaseRecord>(
        `SELECT ${COLUMNS} FROM lease WHERE agent_id IS NOT NULL AND expires_at <= ?
          ORDER BY expires_at, task_id`,
        [now],
      )
      if (records.length > 0) {
        await sql.run(
          `UPDATE lease SET agent_id = NULL, lost = lost + 1
            WHERE agent_id IS NOT NULL AND expires_at <= ?`,
          [now],
        )
      }
      return records.map(toLease).filter(isOwned)
    },

    async park(taskId, at) {
      await sql.run('UPDATE lease SET parked_at = ? WHERE task_id = ?', [at, taskId])
    },
  }
}

function heldBy({ agentId, fence }: Holder, now: number): { where: string; values: SqlValue[] } {
  const where = 'agent_id = ? AND expires_at > ?'
  if (fence === undefined) return { where, values: [agentId, now] }
  return { where: `${where} AND fence = ?`, values: [agentId, now, fence] }
}

function isOwned(lease: LeaseRow): lease is HeldLeaseRow {
  return lease.agentId !== null
}

function toLease(record: LeaseRecord): LeaseRow {
  return {
    taskId: record.task_id,
    fence: record.fence,
    inherited: record.inherited,
    agentId: record.agent_id,
    agentName: record.agent_name,
    grantedAt: record.granted_at,
    expiresAt: record.expires_at,
    started: record.started === 1,
    attempts: record.attempts,
    lost: record.lost,
    parkedAt: record.parked_at,
    lastRelease: toRelease(record),
    ended: record.ended_how === null ? null : { how: record.ended_how, by: record.ended_by },
  }
}

function toRelease(record: LeaseRecord): Release | null {
  const { released_at: at, released_by: agentId, releaser_name: agentName } = record
  if (at === null || agentId === null) return null
  return { at, agentId, agentName, reason: record.release_reason }
}
