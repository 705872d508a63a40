import type { Sql, SqlReader } from '../../../core/store/sql.ts'
import type { AgentId } from '../../../agent/agent.ts'
import type { EntityId } from '../../../entity/entity-id.ts'
import { PLAUSIBLE_FENCE } from '../../../sync/live/values.ts'

/**
 * What this clone wants of the register at the remote. `asked`: a claim is on its way. `held`: the remote has granted it.
 * `provisional`: claimed offline. `closed`: under a granted lease; `closed_unleased`: without one, so that another clone
 * may hold it. `reopened`: the register must forget that it was closed.
 */
type SharedState = 'asked' | 'held' | 'provisional' | 'closed' | 'closed_unleased' | 'reopened'

export interface SharedRow {
  readonly taskId: EntityId
  readonly nonce: string
  readonly state: SharedState
  readonly agentId: AgentId | null
  /** Until when the remote grants it. */
  readonly expiresAt: number
  readonly at: number
  /** The fence of the lease in this clone. */
  readonly fence: number
  readonly agentName: string | null
  /** Whether an agent of this clone holds the task now. */
  readonly isHeldHere: boolean
}

/** A lease of another clone, or a task that it closed, as the register had it when it was last read. */
export interface ForeignLease {
  readonly taskId: EntityId
  /** Agent, person and clone in one text, as `holders` of a task has it. */
  readonly holder: string
  readonly fence: number
  readonly grantedAt: number
  readonly heldUntil: number
  readonly isClosed: boolean
}

export interface LiveState {
  readonly fence: number
  readonly readAt: number | null
  readonly failedAt: number | null
  readonly refusal: string | null
}

/** A claim that has not been answered for so long was abandoned with its process. */
export const ASKED_FOR_MS = 60_000

const UNKNOWN: LiveState = { fence: 0, readAt: null, failedAt: null, refusal: null }

type ForeignRecord = Omit<ForeignLease, 'isClosed'> & { readonly closed: number }
type SharedRecord = Omit<SharedRow, 'isHeldHere'> & { readonly heldHere: number }

const SHARED = `SELECT s.task_id AS taskId, s.nonce, s.state, s.agent_id AS agentId,
    s.expires_at AS expiresAt, s.at, coalesce(l.fence, 0) AS fence,
    (SELECT name FROM agent WHERE id = coalesce(l.agent_id, s.agent_id)) AS agentName,
    CASE WHEN l.agent_id IS NOT NULL AND l.expires_at > ? THEN 1 ELSE 0 END AS heldHere
  FROM shared_lease AS s LEFT JOIN lease AS l ON l.task_id = s.task_id`
const FOREIGN = `SELECT task_id AS taskId, holder, fence, granted_at AS grantedAt,
    held_until AS heldUntil, closed FROM live_lease`

export function createSharedReader(sql: SqlReader) {
  return {
    async state(): Promise<LiveState> {
      const row = await sql.get<LiveState>(
        'SELECT fence, read_at AS readAt, failed_at AS failedAt, refusal FROM live_state',
      )
      return row ?? UNKNOWN
    },

    async rows(now: number): Promise<readonly SharedRow[]> {
      return (await sql.all<SharedRecord>(SHARED, [now])).map(toRow)
    },

    async of(taskId: EntityId, now: number): Promise<SharedRow | undefined> {
      const record = await sql.get<SharedRecord>(`${SHARED} WHERE s.task_id = ?`, [now, taskId])
      return record && toRow(record)
    },

    /** The leases of other clones that run, and the tasks that they closed, by task. */
    async foreign(now: number): Promise<ReadonlyMap<EntityId, ForeignLease>> {
      const records = await sql.all<ForeignRecord>(
        `${FOREIGN} WHERE held_until > ? OR closed = 1`,
        [now],
      )
      return new Map(records.map((record) => [record.taskId, toForeign(record)]))
    },

    async foreignOf(taskId: EntityId, now: number): Promise<ForeignLease | undefined> {
      const record = await sql.get<ForeignRecord>(
        `${FOREIGN} WHERE task_id = ? AND (held_until > ? OR closed = 1)`,
        [taskId, now],
      )
      return record && toForeign(record)
    },

    /** Clones whose leases are all in the register. */
    async clones(): Promise<ReadonlySet<string>> {
      const rows = await sql.all<{ clone: string }>('SELECT clone FROM live_clone')
      return new Set(rows.map(({ clone }) => clone))
    },

    /** Whether a lease ended, or a task was closed or reopened, and the register does not know it yet. */
    async hasEnds(now: number): Promise<boolean> {
      const row = await sql.get<{ found: number }>(
        `SELECT 1 AS found FROM shared_lease AS s WHERE s.state IN ('closed', 'closed_unleased', 'reopened')
            OR s.state = 'held' AND NOT EXISTS (SELECT 1 FROM lease AS l
              WHERE l.task_id = s.task_id AND l.agent_id IS NOT NULL AND l.expires_at > ?) LIMIT 1`,
        [now],
      )
      return row !== undefined
    },
  }
}

export function createShared(sql: Sql) {
  const reader = createSharedReader(sql)
  const put = async (taskId: EntityId, row: Omit<SharedRow, Derived>): Promise<void> => {
    const { nonce, state, agentId, expiresAt, at } = row
    await sql.send(
      `INSERT INTO shared_lease (task_id, nonce, state, agent_id, expires_at, at) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT (task_id) DO UPDATE SET nonce = excluded.nonce, state = excluded.state,
          agent_id = excluded.agent_id, expires_at = excluded.expires_at, at = excluded.at`,
      [taskId, nonce, state, agentId, expiresAt, at],
    )
  }
  return {
    ...reader,
    put,

    /** Leases that this clone has granted on its own have to be known at the remote too. */
    async adopt(now: number): Promise<void> {
      const unknown = await sql.all<{ taskId: EntityId; agentId: AgentId }>(
        `SELECT task_id AS taskId, agent_id AS agentId FROM lease
          WHERE agent_id IS NOT NULL AND expires_at > ? AND task_id NOT IN (SELECT task_id FROM shared_lease)`,
        [now],
      )
      for (const { taskId, agentId } of unknown) {
        const row = { nonce: newNonce(), agentId, expiresAt: now, at: now }
        await put(taskId, { ...row, state: 'provisional' })
      }
    },

    /** When this clone grants claims alone again. */
    async forget(): Promise<void> {
      for (const table of ['shared_lease', 'live_lease', 'live_clone', 'live_state']) {
        await sql.send(`DELETE FROM ${table}`)
      }
    },

    /** Takes effect only while the row is the one that was read. */
    async settle(
      before: SharedRow,
      after: Pick<SharedRow, 'expiresAt'> | undefined,
    ): Promise<boolean> {
      const { taskId, nonce, state, at } = before
      const where = 'task_id = ? AND nonce = ? AND state = ? AND at = ?'
      const same = [taskId, nonce, state, at]
      const changed =
        after === undefined
          ? await sql.run(`DELETE FROM shared_lease WHERE ${where}`, same)
          : await sql.run(`UPDATE shared_lease SET state = 'held', expires_at = ? WHERE ${where}`, [
              after.expiresAt,
              ...same,
            ])
      return changed > 0
    },

    /** Gives up a claim that was never answered: its lease at the remote, if there is one, has ended. */
    async abandon(row: SharedRow, now: number): Promise<SharedRow> {
      const ended = { ...row, state: 'held', expiresAt: 0, at: now } as const
      await put(row.taskId, ended)
      return ended
    },

    /** Gives up a claim that was refused, unless it is another agent's by now. `before`: the lease that it would have ended. */
    async withdraw(taskId: EntityId, agentId: AgentId, before?: SharedRow): Promise<void> {
      const removed = await sql.run(
        `DELETE FROM shared_lease WHERE task_id = ? AND agent_id = ? AND state = 'asked'`,
        [taskId, agentId],
      )
      if (removed > 0 && before !== undefined) await put(taskId, before)
    },

    /** Records that a task is being closed or reopened, before its lease in this clone ends. */
    async noteEnd(
      taskId: EntityId,
      { to, now }: { readonly to: 'closed' | 'open'; readonly now: number },
    ): Promise<void> {
      if ((await reader.state()).readAt === null) return
      const row = await reader.of(taskId, now)
      const kept = { nonce: row?.nonce ?? newNonce(), agentId: row?.agentId ?? null, at: now }
      const expiresAt = row?.expiresAt ?? now
      if (to === 'closed') {
        const isGranted = row?.state === 'held' && row.isHeldHere && row.expiresAt > now
        await put(taskId, { ...kept, state: isGranted ? 'closed' : 'closed_unleased', expiresAt })
      } else if (row?.state === 'closed') {
        // The register still has the lease, which is over.
        await put(taskId, { ...kept, state: 'held', expiresAt })
      } else if (row === undefined) await put(taskId, { ...kept, state: 'reopened', expiresAt })
      else if (row.state === 'closed_unleased') {
        await sql.send('DELETE FROM shared_lease WHERE task_id = ?', [taskId])
      }
    },

    /** Replaces what is known of other clones. */
    async setForeign(
      leases: readonly ForeignLease[],
      clones: readonly { readonly clone: string; readonly person: string; readonly seen: number }[],
    ): Promise<void> {
      // A task that is held again after it was closed has one row.
      const byTask = new Map(leases.map((lease) => [lease.taskId, lease]))
      // Of a thousand, a few have changed.
      for (const record of await sql.all<ForeignRecord>(FOREIGN)) {
        const known = toForeign(record)
        const wanted = byTask.get(known.taskId)
        if (wanted !== undefined && isSame(known, wanted)) byTask.delete(known.taskId)
        else await sql.run('DELETE FROM live_lease WHERE task_id = ?', [known.taskId])
      }
      for (const { taskId, holder, fence, grantedAt, heldUntil, isClosed } of byTask.values()) {
        await sql.send(
          `INSERT INTO live_lease (task_id, holder, fence, granted_at, held_until, closed)
            VALUES (?, ?, ?, ?, ?, ?)`,
          [taskId, holder, fence, grantedAt, heldUntil, Number(isClosed)],
        )
      }
      await sql.send('DELETE FROM live_clone')
      for (const { clone, person, seen } of clones) {
        await sql.send('INSERT INTO live_clone (clone, person, seen_at) VALUES (?, ?, ?)', [
          clone,
          person,
          seen,
        ])
      }
    },

    async forgetForeign(taskId: string): Promise<void> {
      await sql.send('DELETE FROM live_lease WHERE task_id = ?', [taskId])
    },

    async setState(changes: Partial<LiveState>): Promise<void> {
      const { fence, readAt, failedAt, refusal } = { ...(await reader.state()), ...changes }
      const known = fence <= PLAUSIBLE_FENCE ? fence : 0
      await sql.send(
        `INSERT INTO live_state (id, fence, read_at, failed_at, refusal) VALUES (1, ?, ?, ?, ?)
          ON CONFLICT (id) DO UPDATE SET fence = max(live_state.fence, excluded.fence), read_at = excluded.read_at,
            failed_at = excluded.failed_at, refusal = excluded.refusal`,
        [known, readAt, failedAt, refusal],
      )
    },
  }
}

/** Proves to this clone alone that a lease in the register is its own. */
export function newNonce(): string {
  // Loaded here: Node's crypto takes longer to load than most commands to run.
  return process.getBuiltinModule('node:crypto').randomBytes(16).toString('hex')
}

type Derived = 'taskId' | 'fence' | 'agentName' | 'isHeldHere'

function toRow({ heldHere, ...record }: SharedRecord): SharedRow {
  return { ...record, isHeldHere: heldHere === 1 }
}

function toForeign({ closed, ...record }: ForeignRecord): ForeignLease {
  return { ...record, isClosed: closed === 1 }
}

function isSame(a: ForeignLease, b: ForeignLease): boolean {
  return (
    a.holder === b.holder &&
    a.fence === b.fence &&
    a.grantedAt === b.grantedAt &&
    a.heldUntil === b.heldUntil &&
    a.isClosed === b.isClosed
  )
}
