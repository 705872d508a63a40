import * as z from 'zod'
import { LARGEST_MESSAGE } from '../../message/message.ts'
import { listEvents } from '../../event/operations.ts'
import { ackMessages, listMessages, sendMessage } from '../../message/operations.ts'
import { body, oneLine, oneOf } from '../../core/input/schema.ts'
import type { DialectTool } from '../dialect.ts'
import { agentId } from './agent-tools.ts'
import { define } from './define-tool.ts'
import { event, message, toEvent, toMessage } from './shapes.ts'
import { taskId } from './task-tools.ts'

const messageId = z.union([z.string(), z.int()])

/** The tools by which agents hear of each other. */
export function messageTools(): readonly DialectTool[] {
  return [
    define({
      name: 'lodestar.message.send',
      description: 'Write to another agent, or to all of them',
      operation: sendMessage,
      input: z.object({
        fromAgentId: agentId,
        toAgentId: agentId.optional().describe('All agents if absent'),
        taskId: taskId.optional(),
        subject: oneLine({ max: 200 }).optional(),
        body: body({ max: LARGEST_MESSAGE }).describe('At most 16 KB'),
        severity: oneOf(['info', 'warning', 'handoff', 'blocker']).optional(),
      }),
      output: z.object({
        ok: z.boolean(),
        messageId: z.string(),
        deliveredTo: z.array(z.string()),
      }),
      toInput: ({ fromAgentId, toAgentId, taskId, subject, body, severity }) => ({
        agent_id: fromAgentId,
        to: toAgentId,
        task: taskId,
        subject,
        body,
        severity,
      }),
      toResult: ({ message, delivered_to }) => ({
        ok: true,
        messageId: String(message.id),
        deliveredTo: delivered_to,
      }),
    }),
    define({
      name: 'lodestar.message.list',
      description: 'Read the messages to an agent, oldest first',
      operation: listMessages,
      input: z.object({
        agentId,
        unreadOnly: z.boolean().optional().describe('Default true'),
        limit: z.int().min(1).max(200).optional().describe('Default 50, at most 200'),
        sinceId: messageId.optional().describe('Only messages after this one'),
      }),
      output: z.object({ messages: z.array(message), nextCursor: z.string().optional() }),
      toInput: ({ agentId, unreadOnly, limit, sinceId }) => ({
        agent_id: agentId,
        unread_only: unreadOnly,
        limit,
        ...(sinceId !== undefined && { after_id: Number(sinceId) }),
      }),
      toResult: ({ messages, next_after_id }) => ({
        messages: messages.map(toMessage),
        ...(next_after_id !== undefined && { nextCursor: String(next_after_id) }),
      }),
    }),
    define({
      name: 'lodestar.message.ack',
      description: 'Mark messages as read',
      operation: ackMessages,
      input: z.object({ agentId, messageIds: z.array(messageId).min(1).max(200) }),
      output: z.object({ ok: z.boolean(), updated: z.int() }),
      toInput: ({ agentId, messageIds }) => ({ agent_id: agentId, ids: messageIds.map(Number) }),
      toResult: ({ acknowledged }) => ({ ok: true, updated: acknowledged.length }),
    }),
    define({
      name: 'lodestar.events.pull',
      description: 'What happened since a cursor; works where notifications do not arrive',
      operation: listEvents,
      input: z.object({
        sinceCursor: z.int().min(0).optional().describe('Default 0'),
        limit: z.int().min(1).max(1000).optional().describe('Default 200, at most 1000'),
        filterTypes: z.array(z.string()).optional().describe('Only these types'),
      }),
      output: z.object({
        events: z.array(event),
        nextCursor: z.int(),
        missed: z.boolean().describe('Older events were dropped'),
      }),
      toInput: ({ sinceCursor, limit, filterTypes }) => ({
        since: sinceCursor,
        limit,
        types: filterTypes,
      }),
      toResult: ({ events, next_cursor, missed }) => ({
        events: events.map(toEvent),
        nextCursor: next_cursor,
        missed,
      }),
    }),
  ]
}
