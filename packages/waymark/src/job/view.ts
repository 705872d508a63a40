import * as z from 'zod'
import { time, toTime } from '../entity/view.ts'
import { JOB_STATES, type JobRow } from './store.ts'

export const jobView = z.object({
  id: z.int(),
  kind: z.string(),
  state: z.enum(JOB_STATES).describe('lost: the process that ran it has ended'),
  by: z.string().optional().describe('Who started it'),
  started_at: time,
  ended_at: time.optional(),
  done: z.int().describe('Steps so far'),
  total: z.int().describe('Steps that are known so far'),
  message: z.string().optional().describe('What it does'),
})
export type JobView = z.output<typeof jobView>

export function toJobView(row: JobRow): JobView {
  return {
    id: row.id,
    kind: row.kind,
    state: row.state,
    ...(row.startedBy !== null && { by: row.startedBy }),
    started_at: toTime(row.startedAt),
    ...(row.endedAt !== null && { ended_at: toTime(row.endedAt) }),
    done: row.done,
    total: row.total,
    ...(row.message !== null && { message: row.message }),
  }
}
