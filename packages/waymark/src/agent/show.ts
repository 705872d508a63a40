import picocolors from 'picocolors'
import {
  type Column,
  type Fields,
  label,
  block,
  plain,
  type Render,
  type Style,
  table,
} from '../surfaces/terminal/cells.ts'

/** How agents, what they say to each other and what happens are read. */
export const RENDERERS: Readonly<Record<string, Render>> = {
  'agent.join': renderAgent,
  'agent.heartbeat': renderAgent,
  'agent.leave': renderAgent,
  'agent.list': renderAgents,
  'message.send': renderSent,
  'message.list': renderMessages,
  'message.thread': renderMessages,
  'message.search': renderMessages,
  'message.get': (message, style) => `${renderMessage(message, style)}\n`,
  'message.ack': renderAcknowledged,
  'event.list': renderEvents,
  'event.wait': renderEvents,
}

const AGENT_COLUMNS: readonly Column[] = [
  { head: 'ID', value: (row) => plain(row['id']) },
  { head: 'NAME', value: (row) => plain(row['name']) },
  { head: 'PRESENCE', value: (row) => plain(row['presence']) },
  { head: 'SEEN', value: (row) => plain(row['seen_at']) },
  {
    head: 'HOLDS',
    value: (row) =>
      ((row['held'] ?? []) as Fields[]).map(({ task }) => label(task as Fields)).join(', '),
  },
]

async function renderAgents(output: Fields, style: Style): Promise<string> {
  const agents = output['agents'] as Fields[]
  return agents.length === 0 ? 'nobody is here\n' : await table(agents, AGENT_COLUMNS, style)
}

function renderAgent(output: Fields): string {
  const agent = output['agent'] as Fields
  const name = agent['name'] === undefined ? '' : ` (${plain(agent['name'])})`
  const lines = [`${plain(agent['id'])}${name} is ${plain(agent['presence'])}`]
  for (const { task, lease } of (output['held'] ?? []) as { task: Fields; lease: Fields }[]) {
    lines.push(
      `holds ${label(task)} until ${plain(lease['expires_at'])}, fence ${plain(lease['fence'])}`,
    )
  }
  for (const task of (output['released'] ?? []) as Fields[]) lines.push(`gave back ${label(task)}`)
  if (Number(output['unread_messages'] ?? 0) > 0) {
    lines.push(`${plain(output['unread_messages'])} unread messages`)
  }
  return `${lines.join('\n')}\n`
}

function renderMessages(output: Fields, style: Style): string {
  const messages = output['messages'] as Fields[]
  const unread = `${plain(output['unread'])} unread\n`
  return messages.length === 0
    ? `no messages; ${unread}`
    : `${messages.map((message) => renderMessage(message, style)).join('\n\n')}\n\n${unread}`
}

function renderMessage(message: Fields, style: Style): string {
  const { bold, dim } = picocolors.createColors(style.colors)
  const facts = [
    plain(message['at']),
    `from ${plain(message['from'])}`,
    message['to'] === undefined ? 'to everybody' : `to ${plain(message['to'])}`,
    ...(message['task_id'] === undefined
      ? []
      : [`about ${plain(message['task_key'] ?? message['task_id'])}`]),
    ...(message['severity'] === 'info' ? [] : [plain(message['severity'])]),
  ]
  const subject = message['subject'] === undefined ? '' : ` ${bold(plain(message['subject']))}`
  return `${bold(`#${plain(message['id'])}`)}${subject}\n${dim(facts.join(', '))}\n${block(message['body'])}`
}

function renderSent(output: Fields): string {
  const readers = (output['delivered_to'] as string[]).map(plain)
  const { id } = output['message'] as Fields
  const nobody = `nobody: ${plain(output['note'] ?? 'nobody else is here')}`
  return `sent #${plain(id)} to ${readers.length === 0 ? nobody : readers.join(', ')}\n`
}

function renderAcknowledged({ acknowledged, unread }: Fields): string {
  return `${(acknowledged as number[]).length} marked as read, ${plain(unread)} unread\n`
}

const EVENT_COLUMNS: readonly Column[] = [
  { head: 'ID', value: (row) => plain(row['id']) },
  { head: 'TIME', value: (row) => plain(row['at']) },
  { head: 'EVENT', value: (row) => plain(row['type']) },
  { head: 'BY', value: (row) => plain(row['agent']) },
  { head: 'WHAT', value: describeEvent },
]

async function renderEvents(output: Fields, style: Style): Promise<string> {
  const events = output['events'] as Fields[]
  const missed = output['missed'] === true ? 'older events were dropped\n' : ''
  if (events.length === 0) return `${missed}nothing happened\n`
  return missed + (await table(events, EVENT_COLUMNS, style))
}

/** What an event is about, in one line. */
function describeEvent({ subject, data }: Fields): string {
  const facts = (data ?? {}) as Fields
  if (typeof facts['number'] === 'number') return label({ ...facts, id: subject })
  const to = facts['to'] === undefined ? '' : ` to ${plain(facts['to'])}`
  return `${plain(facts['name'] ?? subject)}${to}`
}
