import * as z from 'zod'
import { time, toTime } from '../entity/view.ts'
import type { EventRow } from './store.ts'

export const eventView = z.object({
  id: z.int(),
  type: z.string(),
  subject: z.string().describe('Id of what it happened to'),
  at: time,
  agent: z.string().optional().describe('Name of the agent that caused it'),
  about: z.string().optional().describe('What it is about in words, at the command line'),
  data: z.record(z.string(), z.unknown()),
})
export type EventView = z.output<typeof eventView>

export function toEventView(
  { id, type, subject, at, agent, data }: EventRow,
  about?: string,
): EventView {
  return {
    id,
    type,
    subject,
    at: toTime(at),
    ...(agent !== null && { agent }),
    ...(about !== undefined && { about }),
    data,
  }
}
