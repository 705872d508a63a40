import { randomUUID } from 'node:crypto'
import type { Database } from '../store/database.ts'
import type { Job, JobStatus } from './job.ts'

interface JobRow {
  readonly id: string
  readonly tool_name: string
  readonly status: JobStatus
  readonly input: string
  readonly result: string | null
  readonly error: string | null
  readonly attempts: number
  readonly created_at: number
  readonly started_at: number | null
  readonly completed_at: number | null
}

const LISTED = 100

/** Jobs as they are on disk; each method is one step in a job's life. */
export class JobStore {
  readonly #database: Database
  readonly #now: () => number

  constructor(database: Database, now: () => number) {
    this.#database = database
    this.#now = now
  }

  create(tool: string, input: object): string {
    const id = randomUUID()
    this.#database.run(
      `INSERT INTO job (id, tool_name, status, input, attempts, created_at)
         VALUES (?, ?, 'pending', ?, 0, ?)`,
      id,
      tool,
      JSON.stringify(input),
      this.#now(),
    )
    return id
  }

  /** Makes jobs wait again that the end of a process has interrupted. */
  requeue(): void {
    this.#database.run(`UPDATE job SET status = 'pending' WHERE status = 'running'`)
  }

  /** Takes the job that waits longest. */
  takeNext(): Job | undefined {
    const row = this.#database.get<JobRow>(
      `UPDATE job SET status = 'running', attempts = attempts + 1, started_at = ?
         WHERE number = (SELECT min(number) FROM job WHERE status = 'pending') RETURNING *`,
      this.#now(),
    )
    return row && toJob(row)
  }

  /** Completes a running job together with what `record` writes; does nothing if it was cancelled meanwhile. */
  complete(id: string, record: () => object): void {
    this.#database.transaction(() => {
      if (this.get(id)?.status !== 'running') return
      this.#end(id, 'complete', { result: JSON.stringify(record()) })
    })
  }

  fail(id: string, error: string): void {
    this.#end(id, 'failed', { error })
  }

  cancel(id: string): void {
    this.#end(id, 'cancelled', {})
  }

  get(id: string): Job | undefined {
    const row = this.#database.get<JobRow>('SELECT * FROM job WHERE id = ?', id)
    return row && toJob(row)
  }

  /** The newest jobs, the latest first. */
  list(): Job[] {
    return this.#database
      .all<JobRow>('SELECT * FROM job ORDER BY number DESC LIMIT ?', LISTED)
      .map(toJob)
  }

  /** Those that are not over, however many. */
  open(): string[] {
    return this.#database
      .all<{ id: string }>(
        `SELECT id FROM job WHERE status IN ('pending', 'running') ORDER BY number`,
      )
      .map(({ id }) => id)
  }

  count(status: JobStatus): number {
    const row = this.#database.get<{ n: number }>(
      'SELECT count(*) AS n FROM job WHERE status = ?',
      status,
    )
    return row?.n ?? 0
  }

  #end(id: string, status: JobStatus, outcome: { result?: string; error?: string }): void {
    this.#database.run(
      `UPDATE job SET status = ?, result = ?, error = ?, completed_at = ?
         WHERE id = ? AND status IN ('pending', 'running')`,
      status,
      outcome.result ?? null,
      outcome.error ?? null,
      this.#now(),
      id,
    )
  }
}

function toJob(row: JobRow): Job {
  return {
    id: row.id,
    tool: row.tool_name,
    status: row.status,
    input: JSON.parse(row.input) as unknown,
    progress: undefined,
    result: row.result === null ? undefined : (JSON.parse(row.result) as unknown),
    error: row.error ?? undefined,
    attempts: row.attempts,
    createdAt: row.created_at,
    startedAt: row.started_at ?? undefined,
    completedAt: row.completed_at ?? undefined,
  }
}
