import { type Block, bold, dim, joined, line, own, paragraphs, quote } from '../core/show.ts'
import type { MessageView } from './view.ts'

export function showMessages({
  messages,
  unread,
}: {
  readonly messages: readonly MessageView[]
  readonly unread: number
}): readonly Block[] {
  if (messages.length === 0) return [line`no messages; ${unread} unread`]
  return paragraphs([...messages.map(showMessage), [line`${unread} unread`]])
}

export function showMessage(message: MessageView): readonly Block[] {
  const { id, at, from, to, task_id, task_key, subject, severity, body } = message
  const facts = [
    at,
    line`from ${from}`,
    to === undefined ? line`to everybody` : line`to ${to}`,
    task_id === undefined ? undefined : line`about ${task_key ?? task_id}`,
    severity === 'info' ? undefined : severity,
  ]
  return [
    line`${bold(line`#${id}`)}${subject === undefined ? undefined : line` ${bold(subject)}`}`,
    dim(joined(facts)),
    ...quote(body),
  ]
}

export function showSent({
  message,
  delivered_to,
  note,
}: {
  readonly message: MessageView
  readonly delivered_to: readonly string[]
  readonly note?: string | undefined
}): readonly Block[] {
  const none = line`no agent: ${note ?? own('no other agent is online')}`
  return [line`sent #${message.id} to ${delivered_to.length === 0 ? none : joined(delivered_to)}`]
}
