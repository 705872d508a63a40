import {
  type Block,
  bold,
  counted,
  dim,
  field,
  joined,
  type Line,
  line,
  own,
  paragraphs,
  quote,
  titled,
} from '../core/show.ts'
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
  const { id, at, from, from_name, to, to_name, task_id, task_key, subject, severity, body } =
    message
  const facts = [
    at,
    line`from ${from_name ?? from}`,
    to === undefined ? line`to everybody` : line`to ${to_name ?? to}`,
    task_id === undefined ? undefined : line`about ${task_key ?? task_id}`,
    severity === 'info' ? undefined : severity,
  ]
  return [
    line`${bold(line`#${id}`)}${subject === undefined ? undefined : line` ${bold(subject)}`}`,
    dim(joined(facts)),
    ...quote(body),
  ]
}

/** Messages for a model: who wrote each and when, then its text. */
export function showMessagesToAgent({
  messages,
  unread,
  next_after_id,
}: {
  readonly messages: readonly MessageView[]
  readonly unread: number
  readonly next_after_id?: number | undefined
}): readonly Block[] {
  return [
    ...messages.flatMap((message) => [headToAgent(message), ...quote(message.body)]),
    line`unread: ${unread}`,
    ...field('next after_id', next_after_id),
  ]
}

export function showMessageToAgent(message: MessageView): readonly Block[] {
  return [line`message ${headToAgent(message)}`, ...quote(message.body)]
}

function headToAgent(message: MessageView): Line {
  const { id, severity, from, from_name, at, reply_to, subject } = message
  const answer = reply_to === undefined ? undefined : line` (answers ${reply_to})`
  const about = subject === undefined ? undefined : line` ${titled(subject)}`
  return line`${id} ${severity} from ${titled(from_name ?? from)} ${at}${answer}:${about}`
}

interface Sent {
  readonly message: MessageView
  readonly delivered_to: readonly string[]
  readonly delivered_names: readonly string[]
  readonly note?: string | undefined
}

export function showSentToAgent({ message, delivered_to, note }: Sent): readonly Block[] {
  const end = note === undefined ? undefined : line`; ${note}`
  return [line`sent ${message.id} to ${counted(delivered_to.length, 'agent')}${end}`]
}

export function showSent({ message, delivered_names: names, note }: Sent): readonly Block[] {
  const none = line`no agent: ${note ?? own('no other agent is online')}`
  return [line`sent #${message.id} to ${names.length === 0 ? none : joined(names)}`]
}
