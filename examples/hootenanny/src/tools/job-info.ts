import type { CallToolResult } from '@waymark/baton'
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

/** What a tool says about a job. */
export function toJobInfo(job: Job, message?: string): object {
  return {
    job_id: job.id,
    status: job.status,
    tool_name: job.tool,
    ...(message !== undefined && { message }),
    ...(job.progress && { progress: job.progress }),
    ...(job.result !== undefined && { result: job.result }),
    ...(job.error !== undefined && { error: job.error }),
    attempts: job.attempts,
    created_at: toUnixSeconds(job.createdAt),
    ...(job.startedAt !== undefined && { started_at: toUnixSeconds(job.startedAt) }),
    ...(job.completedAt !== undefined && { completed_at: toUnixSeconds(job.completedAt) }),
  }
}

/** What a tool answers that has waited for a job; a job that failed is a tool that failed. */
export function toJobResult(job: Job): CallToolResult {
  return { structuredContent: toJobInfo(job), ...(job.status !== 'complete' && { isError: true }) }
}

function toUnixSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000)
}
