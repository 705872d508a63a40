import * as z from 'zod'

export const finding = z.object({
  name: z.string(),
  status: z.enum(['ok', 'warning', 'failed']),
  message: z.string(),
  fix: z.string().optional().describe('What to do about it'),
})
export type Finding = z.output<typeof finding>

/** Results of jobs, as far as they tell of problems. */
const result = z.object({
  error: z.string().optional(),
  checks: z.array(finding).optional(),
  problems_total: z.int().optional(),
})

/** What a job found that is not as it should be. */
export function findings(text: string | null): Finding[] {
  const { error, checks = [], problems_total = 0 } = result.parse(JSON.parse(text ?? '{}'))
  const found = checks.filter(({ status }) => status !== 'ok')
  if (error !== undefined) found.push({ name: 'error', status: 'failed', message: error })
  if (problems_total > 0) {
    const message = `${problems_total} reasons no longer match their code`
    found.push({ name: 'annotations', status: 'warning', message, fix: 'waymark code verify' })
  }
  return found
}
