import type { ErrorResult, StructuredResult } from '@waymark/baton'
import * as z from 'zod'
import { GenerationResult } from '../jobs/generation.ts'
import type { Job } from '../jobs/job.ts'

const STATUSES = ['pending', 'running', 'complete', 'failed', 'cancelled'] as const

/** A job as tools show it; times are seconds since 1970. */
export const JobInfo = z.object({
  job_id: z.string(),
  status: z.enum(STATUSES),
  tool_name: z.string(),
  message: z.string().optional(),
  progress: z.object({ done: z.number(), total: z.number() }).optional(),
  result: GenerationResult.optional(),
  error: z.string().optional(),
  attempts: z.int(),
  created_at: z.number(),
  started_at: z.number().optional(),
  completed_at: z.number().optional(),
})
export type JobInfo = z.input<typeof JobInfo>

/** A job in the result of a tool. */
export function toJobInfo(job: Job, message?: string): JobInfo {
  return {
    job_id: job.id,
    status: job.status,
    tool_name: job.tool,
    ...(message !== undefined && { message }),
    ...(job.progress && { progress: job.progress }),
    ...(job.result !== undefined && { result: GenerationResult.parse(job.result) }),
    ...(job.error !== undefined && { error: job.error }),
    attempts: job.attempts,
    created_at: toUnixSeconds(job.createdAt),
    ...(job.startedAt !== undefined && { started_at: toUnixSeconds(job.startedAt) }),
    ...(job.completedAt !== undefined && { completed_at: toUnixSeconds(job.completedAt) }),
  }
}

/** The result of a tool that has waited for a job; a failed job is a failed tool. */
export function toJobResult(job: Job): StructuredResult<JobInfo> | ErrorResult {
  const structuredContent = toJobInfo(job)
  return job.status === 'complete' ? { structuredContent } : { structuredContent, isError: true }
}

function toUnixSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000)
}
