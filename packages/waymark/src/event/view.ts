import * as z from 'zod'
import { time, toTime } from '../entity/view.ts'
import type { EventRow } from './store.ts'

export const eventView = z.object({
  id: z.int(),
  type: z.string(),
  subject: z.string().describe('Id of what it happened to'),
  at: time,
  agent: z.string().optional().describe('Name of the agent that caused it'),
  agent_id: z.string().optional().describe('Its id, by which agents of one name differ'),
  about: z.string().optional().describe('What it is about in words, at the command line'),
  data: z.record(z.string(), z.unknown()),
})
export type EventView = z.output<typeof eventView>

export function toEventView(
  { id, type, subject, at, agent, agentId, data }: EventRow,
  about?: string,
): EventView {
  return {
    id,
    type,
    subject,
    at: toTime(at),
    ...(agent !== null && { agent }),
    ...(agentId !== undefined && { agent_id: agentId }),
    ...(about !== undefined && { about }),
    data,
  }
}
