/** What became of a job; the last three are for ever. */
export type JobStatus = 'pending' | 'running' | 'complete' | 'failed' | 'cancelled'

/** Background work. */
export interface Job {
  readonly id: string
  readonly tool: string
  readonly status: JobStatus
  /** All that the work depends on; with it the work can begin again and give the same. */
  readonly input: unknown
  readonly progress: { readonly done: number; readonly total: number } | undefined
  readonly result: unknown
  readonly error: string | undefined
  /** How often it was begun. */
  readonly attempts: number
  readonly createdAt: number
  readonly startedAt: number | undefined
  readonly completedAt: number | undefined
}

/** Tells whether nothing will change any more. */
export function isOver({ status }: Pick<Job, 'status'>): boolean {
  return status === 'complete' || status === 'failed' || status === 'cancelled'
}
