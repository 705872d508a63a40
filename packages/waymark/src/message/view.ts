import * as z from 'zod'
import { SEVERITIES } from './message.ts'
import type { ReceivedMessage } from './store.ts'
import { OWNER_ID } from '../agent/agent.ts'
import { time, toTime } from '../entity/view.ts'

/** A message as its reader sees it. */
export const messageView = z.object({
  id: z.int(),
  at: time,
  from: z.string().describe('Id of the agent that wrote it'),
  from_name: z
    .string()
    .optional()
    .describe('Name of the sender, if it is not taken from the owner'),
  from_owner: z.literal(true).optional().describe('The person wrote it'),
  arrived: z
    .literal(true)
    .optional()
    .describe('It came from another clone by sync; nothing proves who wrote it'),
  to: z.string().optional().describe('Id of the recipient; absent for a broadcast'),
  to_name: z.string().optional(),
  task_id: z.string().optional(),
  task_key: z.string().optional(),
  task_number: z.int().optional(),
  subject: z.string().optional(),
  body: z.string(),
  severity: z.enum(SEVERITIES),
  reply_to: z.int().optional(),
  read_at: time.optional(),
})
export type MessageView = z.output<typeof messageView>

export function toMessageView(message: ReceivedMessage): MessageView {
  const {
    id,
    fromAgent,
    fromName,
    toAgent,
    toName,
    taskId,
    taskKey,
    taskNumber,
    subject,
    replyTo,
    readAt,
  } = message
  return {
    id,
    at: toTime(message.at),
    from: fromAgent,
    ...(fromName !== null && { from_name: fromName }),
    ...(fromAgent === OWNER_ID && { from_owner: true }),
    ...(message.arrivedFrom !== null && { arrived: true }),
    ...(toAgent !== null && { to: toAgent }),
    ...(toName !== null && { to_name: toName }),
    ...(taskId !== null && { task_id: taskId }),
    ...(taskKey !== null && { task_key: taskKey }),
    ...(taskNumber !== null && { task_number: taskNumber }),
    ...(subject !== null && { subject }),
    body: message.body,
    severity: message.severity as MessageView['severity'],
    ...(replyTo !== null && { reply_to: replyTo }),
    ...(readAt !== null && { read_at: toTime(readAt) }),
  }
}
