import { camelColumns, type Sql, type SqlReader } from '../core/store/sql.ts'

export const JOB_STATES = ['running', 'done', 'failed', 'cancelled', 'lost'] as const
export type JobState = (typeof JOB_STATES)[number]

export interface JobRow {
  /** 1, 2, 3 … in the order in which they were started. */
  readonly id: number
  readonly kind: string
  readonly state: JobState
  readonly startedBy: string | null
  /** The process that runs it. */
  readonly process: string
  readonly startedAt: number
  /** Null while it runs. */
  readonly endedAt: number | null
  readonly done: number
  readonly total: number
  readonly message: string | null
  /** Its output as JSON, or the message of a failure. */
  readonly result: string | null
}

type NewJob = Pick<JobRow, 'kind' | 'startedBy' | 'process' | 'startedAt'>
type JobEnd = Pick<JobRow, 'state' | 'result'> & { readonly at: number }
export type JobProgress = Pick<JobRow, 'done' | 'total' | 'message'>

/** Results of earlier jobs are dropped. */
const JOBS_KEPT = 100

const COLUMNS = camelColumns(
  'id, kind, state, started_by, process, started_at, ended_at, done, total, message',
)
const WITH_RESULT = `${COLUMNS}, result`
const WITHOUT_RESULT = `${COLUMNS}, NULL AS result`

export function createJobReader(sql: SqlReader) {
  return {
    async byId(id: number): Promise<JobRow | undefined> {
      return await sql.get<JobRow>(`SELECT ${WITH_RESULT} FROM job WHERE id = ?`, [id])
    },

    async isCancelled(id: number): Promise<boolean> {
      const row = await sql.get<{ isCancelled: number }>(
        'SELECT is_cancelled AS isCancelled FROM job WHERE id = ?',
        [id],
      )
      return row?.isCancelled !== 0
    },

    async running(): Promise<JobRow[]> {
      return await sql.all<JobRow>(`SELECT ${WITHOUT_RESULT} FROM job WHERE ended_at IS NULL`)
    },

    /** The newest first, without results. */
    async newest(limit: number): Promise<JobRow[]> {
      return await sql.all<JobRow>(`SELECT ${WITHOUT_RESULT} FROM job ORDER BY id DESC LIMIT ?`, [
        limit,
      ])
    },

    /** Of each kind the last one that came to its end, with its result. */
    async lastOfEachKind(): Promise<JobRow[]> {
      return await sql.all<JobRow>(
        `SELECT ${WITH_RESULT} FROM job WHERE id IN (
            SELECT max(id) FROM job WHERE state IN ('done', 'failed') GROUP BY kind)
          ORDER BY id DESC`,
      )
    },
  }
}

export function createJobs(sql: Sql) {
  return {
    ...createJobReader(sql),

    async insert({ kind, startedBy, process, startedAt }: NewJob): Promise<number> {
      const row = await sql.get<{ id: number }>(
        `INSERT INTO job (id, kind, state, started_by, process, started_at)
          VALUES ((SELECT coalesce(max(id), 0) + 1 FROM job), ?, 'running', ?, ?, ?) RETURNING id`,
        [kind, startedBy, process, startedAt],
      )
      const id = row?.id ?? 0
      await sql.run('DELETE FROM job WHERE id <= ? AND ended_at IS NOT NULL', [id - JOBS_KEPT])
      return id
    },

    /** Records how far it is. */
    async advance(id: number, { done, total, message }: JobProgress): Promise<void> {
      await sql.run(
        'UPDATE job SET done = ?, total = ?, message = ? WHERE id = ? AND ended_at IS NULL',
        [done, total, message, id],
      )
    },

    /** Asks the process that runs it to stop. False if it has ended. */
    async cancel(id: number): Promise<boolean> {
      const changed = await sql.run(
        'UPDATE job SET is_cancelled = 1 WHERE id = ? AND ended_at IS NULL',
        [id],
      )
      return changed > 0
    },

    async end(id: number, { at, state, result }: JobEnd): Promise<void> {
      await sql.run(
        'UPDATE job SET state = ?, ended_at = ?, result = ? WHERE id = ? AND ended_at IS NULL',
        [state, at, result, id],
      )
    },
  }
}
