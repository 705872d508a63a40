import * as z from 'zod'
import { SEVERITIES } from '../../message/message.ts'
import type { MessageView } from '../../message/view.ts'
import { ackMessages, listMessages, sendMessage, threadMessages } from '../../message/operations.ts'
import type { DialectTool, Fields } from '../dialect.ts'
import { route, when } from '../tool.ts'
import { limitOf, shorten } from './budget.ts'
import {
  count,
  define,
  defineCore,
  lines,
  maxTokens,
  pick,
  plain,
  quotation,
  titled,
} from './define-tool.ts'

const text = z.string().optional()

export function messageTools(): readonly DialectTool[] {
  return [sendTool(), inboxTool()]
}

function sendTool(): DialectTool {
  return define({
    name: 'message_send',
    description: 'Tell another agent what it must know, hand over or ask. Without to: all agents.',
    input: z.object({
      body: z.string(),
      to: text.describe('agent id or name'),
      task: text,
      severity: z.enum(SEVERITIES).optional(),
      reply_to: count.optional(),
    }),
    operation: sendMessage,
    toInput: (args) => args,
    toResult: ({ message, delivered_to, note }) => ({
      id: message.id,
      delivered_to: delivered_to.length,
      ...(note !== undefined && { note }),
    }),
    toText: ({ id, delivered_to, note }) =>
      `sent ${id} to ${delivered_to} agents${note === undefined ? '' : `; ${plain(note)}`}`,
  })
}

function inboxTool(): DialectTool {
  const listing = {
    name: 'inbox',
    description:
      'Read messages to you, unread only unless all; task: what was said about it. ack: ids you have dealt with.',
    input: z.object({
      ack: z.array(count).optional(),
      task: text,
      all: z.boolean().optional(),
      after_id: count.optional(),
      limit: count.optional(),
      max_tokens: maxTokens,
    }),
  }
  return defineCore(listing, [
    route({
      operation: listMessages,
      toInput: (args) => ({ ...pageOf(args), unread_only: args['all'] !== true }),
      toResult: toInbox,
      toText: inboxLines,
    }),
    when(
      ({ ack }) => ack !== undefined,
      route({
        operation: ackMessages,
        toInput: ({ ack }) => ({ ids: ack }),
        toResult: (output) => output,
        toText: ({ acknowledged, unread }) =>
          lines(`acknowledged: ${plain(acknowledged)}`, `unread: ${unread}`),
      }),
    ),
    when(
      ({ task }) => task !== undefined,
      route({
        operation: threadMessages,
        toInput: (args) => ({ ...pageOf(args), task: args['task'] }),
        toResult: toInbox,
        toText: inboxLines,
      }),
    ),
  ])
}

function pageOf(args: Fields) {
  return { after_id: args['after_id'], limit: limitOf(args, { perRow: 100, most: 20 }) }
}

type Messages = z.output<typeof listMessages.output>

function toInbox({ messages, ...rest }: Messages, args: Fields) {
  return { messages: shorten(messages.map(toRow), args), ...rest }
}

function inboxLines({ messages, unread, next_after_id }: ReturnType<typeof toInbox>): string {
  return lines(
    ...messages.map(messageLine),
    `unread: ${unread}`,
    next_after_id === undefined ? '' : `next after_id: ${next_after_id}`,
  )
}

export function toRow(message: MessageView) {
  return pick(message, ['id', 'from', 'severity', 'at', 'task_key', 'subject', 'body', 'reply_to'])
}

export function messageLine(message: ReturnType<typeof toRow>): string {
  const { id, from, severity, at, subject, body, reply_to } = message
  const answer = reply_to === undefined ? '' : ` (answers ${reply_to})`
  const head = subject === undefined ? '' : ` ${titled(subject)}`
  const line = `${plain(id)} ${plain(severity)} from ${titled(from)} ${plain(at)}${answer}:${head}`
  return [line, ...quotation(body)].join('\n')
}
