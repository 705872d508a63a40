import { setTimeout as sleep } from 'node:timers/promises'
import type { Server } from '@waymark/baton'
import * as z from 'zod'
import { StudioError } from '../error.ts'
import { isOver } from '../jobs/job.ts'
import type { Job } from '../jobs/job.ts'
import type { JobRunner } from '../jobs/job-runner.ts'
import type { Studio } from '../studio.ts'
import { Text } from './fields.ts'
import { JobInfo, toJobInfo } from './job-info.ts'

const LONGEST_POLL_MS = 10_000
const LONGEST_SLEEP_MS = 30_000
const READ_ONLY = { annotations: { readOnlyHint: true } }

/** Looking after work that goes on by itself. */
export function addJobTools(server: Server, { jobs }: Studio): void {
  server.tool({
    name: 'get_job_status',
    description: 'Says how far a job is, and its result once it is complete',
    inputSchema: z.strictObject({ job_id: Text }),
    outputSchema: JobInfo,
    ...READ_ONLY,
    run: ({ job_id }) => ({ structuredContent: toJobInfo(jobs.get(job_id)) }),
  })

  server.tool({
    name: 'list_jobs',
    description: 'Lists the latest jobs, the newest first',
    outputSchema: z.object({ jobs: z.array(JobInfo) }),
    ...READ_ONLY,
    run: () => ({ structuredContent: { jobs: jobs.list().map((job) => toJobInfo(job)) } }),
  })

  server.tool({
    name: 'cancel_job',
    description: 'Stops a job that is not over yet',
    inputSchema: z.strictObject({ job_id: Text }),
    outputSchema: z.object({ status: z.literal('cancelled'), job_id: z.string() }),
    annotations: { destructiveHint: true },
    run({ job_id }) {
      const { status } = jobs.cancel(job_id)
      if (status !== 'cancelled') throw new StudioError(`job ${job_id} is ${status} already`)
      return { structuredContent: { status, job_id } }
    },
  })

  server.tool({
    name: 'poll',
    description: `Waits for jobs, at most ${LONGEST_POLL_MS} ms, and reports their progress meanwhile`,
    inputSchema: z.strictObject({
      timeout_ms: z
        .int()
        .min(0)
        .describe(`More than ${LONGEST_POLL_MS} counts as ${LONGEST_POLL_MS}`),
      job_ids: z.array(Text).max(100).default([]).describe('Every job that is not over, if empty'),
      mode: z.enum(['any', 'all']).default('any').describe('Wait for one of them or for all'),
    }),
    outputSchema: z.object({
      completed: z.array(z.string()),
      pending: z.array(z.string()),
      failed: z.array(z.string()),
      elapsed_ms: z.number(),
      reason: z.enum(['job_complete', 'timeout']),
    }),
    ...READ_ONLY,
    async run({ timeout_ms, job_ids, mode }, { signal, progress }) {
      const startedAt = performance.now()
      const ids = job_ids.length > 0 ? job_ids : jobs.open()
      const timeout = AbortSignal.timeout(Math.min(timeout_ms, LONGEST_POLL_MS))
      const unwatch = jobs.watch((job) => {
        if (ids.includes(job.id) && job.progress) progress(job.progress.done, job.progress.total)
      })
      const isMet = (): boolean => {
        const { pending } = sort(jobs, ids)
        // Return at once if no job is pending.
        return pending.length === 0 || (mode === 'any' && pending.length < ids.length)
      }
      try {
        await jobs.until(isMet, AbortSignal.any([signal, timeout]))
      } catch (error) {
        if (!timeout.aborted) throw error
      } finally {
        unwatch()
      }
      const reason = isMet() ? ('job_complete' as const) : ('timeout' as const)
      const elapsed_ms = Math.round(performance.now() - startedAt)
      return { structuredContent: { ...sort(jobs, ids), elapsed_ms, reason } }
    },
  })

  server.tool({
    name: 'sleep',
    description: `Waits, at most ${LONGEST_SLEEP_MS} ms`,
    inputSchema: z.strictObject({
      milliseconds: z
        .int()
        .min(0)
        .describe(`More than ${LONGEST_SLEEP_MS} counts as ${LONGEST_SLEEP_MS}`),
    }),
    outputSchema: z.object({ slept_ms: z.number(), completed_at: z.number() }),
    annotations: { readOnlyHint: true, idempotentHint: true },
    async run({ milliseconds }, { signal }) {
      const slept_ms = Math.min(milliseconds, LONGEST_SLEEP_MS)
      await sleep(slept_ms, undefined, { signal })
      return { structuredContent: { slept_ms, completed_at: Math.floor(Date.now() / 1000) } }
    },
  })
}

/** Jobs by status; an unknown id counts as failed, because it will never complete. */
function sort(
  jobs: JobRunner,
  ids: readonly string[],
): { completed: string[]; pending: string[]; failed: string[] } {
  const jobsById = new Map(ids.map((id) => [id, jobs.find(id)]))
  const those = (isThis: (job: Job | undefined) => boolean): string[] =>
    [...jobsById].filter(([, job]) => isThis(job)).map(([id]) => id)
  return {
    completed: those((job) => job?.status === 'complete'),
    pending: those((job) => job !== undefined && !isOver(job)),
    failed: those((job) => job === undefined || (isOver(job) && job.status !== 'complete')),
  }
}
