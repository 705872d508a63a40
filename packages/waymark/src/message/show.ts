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
  when,
} from '../core/show.ts'
import { OWNER_ID } from '../agent/agent.ts'
import type { Inbox } from './inbox.ts'
import type { OpenQuestion } from './questions.ts'
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
  const { id, at, to, task_number, subject, severity, body } = message
  const facts = [
    when(at),
    line`from ${senderOf(message)}`,
    to === undefined ? line`to all agents` : line`to ${recipientOf(message)}`,
    task_number === undefined ? undefined : line`about #${task_number}`,
    severity === 'info' ? undefined : severity,
  ]
  return [
    line`${bold(line`m${id}`)}${subject === undefined ? undefined : line` ${bold(subject)}`}`,
    dim(joined(facts)),
    ...quote(body),
  ]
}

/** The owner is named in our own words, which no name of an agent can imitate. */
function senderOf({ from, from_name, from_owner, arrived }: MessageView): Line {
  if (from_owner === true) return ownerCalled(from_name)
  return line`${from_name ?? from}${arrived === true ? ARRIVED : undefined}`
}

const ARRIVED = own(' (arrived by sync, sender not proved)')

function recipientOf({ to, to_name }: MessageView): Line {
  return to === OWNER_ID ? ownerCalled(to_name) : line`${to_name ?? to}`
}

function ownerCalled(name: string | undefined): Line {
  return name === undefined ? own('the owner') : line`the owner (${name})`
}

/** What waits for the person, with the command that settles it; for an agent, its unread messages. */
export function showInboxBlocks({
  questions,
  notes,
  proposed,
  messages,
  unread,
}: Inbox): readonly Block[] {
  if (questions.length + notes.length + proposed.length + messages.length === 0) {
    return [line`nothing waits for you`]
  }
  const titled = (title: string, blocks: readonly Block[]): readonly Block[] =>
    blocks.length === 0 ? [] : [bold(own(title)), ...blocks]
  return paragraphs([
    titled('Questions to you: waymark answer <number> "…"', [
      ...questions.flatMap(showMessage),
      ...notes.map(showWaiting),
    ]),
    titled('Proposed: waymark update <number> --status accepted', proposed.map(showWaiting)),
    titled('Messages', messages.flatMap(showMessage)),
    [dim(line`${unread} unread; waymark message ack --id <number> marks a message as read`)],
  ])
}

function showWaiting({ number, type, title, by }: Inbox['notes'][number]): Line {
  const author = by === undefined ? undefined : dim(line` by ${by}`)
  return line`${bold(line`#${number}`)} ${type}: ${title}${author}`
}

/** Open questions on a screen of the person, one line each. */
export function showQuestions(questions: readonly OpenQuestion[]): readonly Block[] {
  if (questions.length === 0) return []
  return [
    line`${bold(own(`Questions to you (${questions.length})`))} ${dim(own('waymark answer <number> "…"'))}`,
    ...questions.map(({ id, number, text, from }) => {
      const name = id === undefined ? `#${number}` : `m${id}`
      return line`  ${own(name)} ${from === undefined ? undefined : line`${from}: `}${text}`
    }),
  ]
}

interface Answer {
  readonly message?: MessageView | undefined
  readonly note?: number | undefined
  readonly open: number
}

export function showAnswer({ message, note, open }: Answer): readonly Block[] {
  const sent = message && line`sent m${message.id} to ${recipientOf(message)}`
  const added = note === undefined ? undefined : line`added to #${note}`
  return [line`answered: ${joined([added, sent])}; ${counted(open, 'question')} open`]
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
  const { id, severity, from, from_name, from_owner, at, reply_to, task_number, subject } = message
  const arrived = message.arrived === true ? ARRIVED : undefined
  const sender =
    from_owner === true ? own('the owner') : line`${titled(from_name ?? from)}${arrived}`
  const answer = reply_to === undefined ? undefined : line` (answers ${reply_to})`
  const task = task_number === undefined ? undefined : line` about #${task_number}`
  const about = subject === undefined ? undefined : line` ${titled(subject)}`
  return line`${id} ${severity} from ${sender} ${at}${task}${answer}:${about}`
}

interface Sent {
  readonly message: MessageView
  readonly delivered_to: readonly string[]
  readonly delivered_names: readonly string[]
  readonly note?: string | undefined
}

export function showSentToAgent({ message, delivered_names, note }: Sent): readonly Block[] {
  if (message.to === OWNER_ID) {
    return [line`sent ${message.id} to the owner; the answer will be in your inbox and brief`]
  }
  const to = message.to === undefined ? own('all agents') : titled(message.to_name ?? message.to)
  const online = message.to === undefined && joined(delivered_names.map(titled))
  const end = note ?? (online && line`online: ${online}`)
  return [line`sent ${message.id} to ${to}${end === false ? undefined : line`; ${end}`}`]
}

export function showSent({ message, delivered_names, note }: Sent): readonly Block[] {
  const to = message.to === undefined ? own('all agents') : recipientOf(message)
  const online = message.to === undefined && joined(delivered_names)
  const end = note ?? (online && line`online: ${online}`)
  return [line`sent m${message.id} to ${to}${end === false ? undefined : line`; ${end}`}`]
}
