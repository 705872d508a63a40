import * as z from 'zod'
import { SEVERITIES } from '../../message/message.ts'
import type { MessageView } from '../../message/view.ts'
import { ackMessages, listMessages, sendMessage, threadMessages } from '../../message/operations.ts'
import type { DialectTool, Fields } from '../dialect.ts'
import { when } from '../tool.ts'
import { limitOf, shortenRows } from './budget.ts'
import { calling, count, define, defineCore, maxTokens, pick } from './define-tool.ts'

const text = z.string().optional()

export function messageTools(): readonly DialectTool[] {
  return [sendTool(), inboxTool()]
}

function sendTool(): DialectTool {
  return define({
    name: 'message_send',
    description:
      'Tell, ask or hand over. Without to: all agents; to "owner": asks the person; end with a list to offer answers.',
    input: z.object({
      body: z.string(),
      to: text.describe('agent name'),
      task: text,
      severity: z.enum(SEVERITIES).optional(),
      reply_to: count.optional(),
    }),
    operation: sendMessage,
    toInput: (args) => args,
    toResult: ({ message, delivered_names, note }) => ({
      id: message.id,
      delivered_to: delivered_names,
      ...(note !== undefined && { note }),
    }),
  })
}

function inboxTool(): DialectTool {
  const listing = {
    name: 'inbox',
    description:
      'Read messages to you, unread unless all; task: what was said about it. ack: ids you dealt with.',
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
    calling({
      operation: listMessages,
      toInput: (args) => ({ ...pageOf(args), unread_only: args['all'] !== true }),
      toResult: toInbox,
      toFitting,
    }),
    when(
      ({ ack }) => ack !== undefined,
      calling({
        operation: ackMessages,
        toInput: ({ ack }) => ({ ids: ack }),
        toResult: (output) => output,
      }),
    ),
    when(
      ({ task }) => task !== undefined,
      calling({
        operation: threadMessages,
        toInput: (args) => ({ ...pageOf(args), task: args['task'] }),
        toResult: toInbox,
        toFitting,
      }),
    ),
  ])
}

function pageOf(args: Fields) {
  return { after_id: args['after_id'], limit: limitOf(args, { perRow: 100, most: 20 }) }
}

type Messages = z.output<typeof listMessages.output>

function toFitting(page: Messages, args: Fields): Messages {
  return { ...page, messages: shortenRows(page.messages, args, toRow) }
}

function toInbox({ messages, ...rest }: Messages) {
  return { messages: messages.map(toRow), ...rest }
}

export function toRow({ from, from_name = from, ...message }: MessageView) {
  const fields = ['severity', 'at', 'task_key', 'subject', 'body', 'reply_to'] as const
  return { id: message.id, from: from_name, ...pick(message, ['from_owner', ...fields]) }
}
