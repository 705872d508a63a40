import * as z from 'zod'
import { SEVERITIES } from '../../message/message.ts'
import type { MessageView } from '../../message/view.ts'
import { ackMessages, listMessages, sendMessage, threadMessages } from '../../message/operations.ts'
import type { DialectTool } from '../dialect.ts'
import { limitOf, shorten } from './budget.ts'
import {
  count,
  define,
  type Fields,
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
    description: 'Tell another agent what it must know, hand over or ask. Without to: everybody.',
    input: z.object({
      body: z.string(),
      to: text.describe('agent id or name'),
      task: text,
      severity: z.enum(SEVERITIES).optional(),
      reply_to: count.optional(),
    }),
    operations: [sendMessage],
    toInput: (args) => args,
    toResult: ({ message, delivered_to, note }) => ({
      id: (message as MessageView).id,
      delivered_to: (delivered_to as string[]).length,
      ...(note !== undefined && { note }),
    }),
    toText: ({ id, delivered_to, note }) =>
      `sent ${plain(id)} to ${plain(delivered_to)} agents${note === undefined ? '' : `; ${plain(note)}`}`,
  })
}

function inboxTool(): DialectTool {
  return define({
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
    operations: [listMessages, ackMessages, threadMessages],
    toOperation: ({ ack, task }) => {
      if (ack !== undefined) return ackMessages
      return task === undefined ? listMessages : threadMessages
    },
    toInput: (args) => {
      const { ack, task, all, after_id } = args
      if (ack !== undefined) return { ids: ack }
      const page = { after_id, limit: limitOf(args, { perRow: 100, most: 20 }) }
      return task === undefined ? { ...page, unread_only: all !== true } : { ...page, task }
    },
    toResult: (output, args) => {
      const { messages, ...rest } = output
      if (messages === undefined) return rest
      return { messages: shorten((messages as MessageView[]).map(toRow), args), ...rest }
    },
    toText: ({ messages, acknowledged, unread, next_after_id }) =>
      [
        ...((messages as Fields[] | undefined) ?? []).map(messageLine),
        acknowledged === undefined ? '' : `acknowledged: ${plain(acknowledged)}`,
        `unread: ${plain(unread)}`,
        next_after_id === undefined ? '' : `next after_id: ${plain(next_after_id)}`,
      ]
        .filter((line) => line !== '')
        .join('\n'),
  })
}

export function toRow(message: MessageView): Fields {
  return pick(message, ['id', 'from', 'severity', 'at', 'task_key', 'subject', 'body', 'reply_to'])
}

export function messageLine({ id, from, severity, at, subject, body, reply_to }: Fields): string {
  const answer = reply_to === undefined ? '' : ` (answers ${plain(reply_to)})`
  const head = subject === undefined ? '' : ` ${titled(subject)}`
  const line = `${plain(id)} ${plain(severity)} from ${titled(from)} ${plain(at)}${answer}:${head}`
  return [line, ...quotation(body)].join('\n')
}
