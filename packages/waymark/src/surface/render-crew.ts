import picocolors from 'picocolors'
import {
  type Column,
  type Fields,
  holder,
  isFields,
  label,
  multiline,
  plain,
  type Style,
  table,
} from './cells.ts'
import { renderTask, renderTaskTable } from './render-task.ts'

/** What operations on tasks, agents, messages and events answer, as a person reads it; undefined if it is none of that. */
export async function renderCrew(output: Fields, style: Style): Promise<string | undefined> {
  if (Array.isArray(output['suggestions'])) return renderStatus(output)
  if (Array.isArray(output['agents'])) return await renderAgents(output, style)
  if (Array.isArray(output['messages'])) return renderMessages(output, style)
  if (Array.isArray(output['events'])) return await renderEvents(output, style)
  if (Array.isArray(output['reserved_by'])) return renderReservations(output)
  if (Array.isArray(output['obstacles'])) return renderExplanation(output)
  if (Array.isArray(output['acknowledged'])) {
    return `${output['acknowledged'].length} marked as read, ${plain(output['unread'])} unread\n`
  }
  if (isFields(output['message']) && 'delivered_to' in output) return renderSent(output)
  if (isFields(output['agent'])) return renderAgent(output)
  if (typeof output['found'] === 'number' && 'remarks' in output) return renderImport(output)
  if (typeof output['text'] === 'string' && 'format' in output) return output['text']
  if (Array.isArray(output['tasks'])) return await renderTaskTable(output, style)
  return renderTask(output, style)
}

function renderStatus(output: Fields): string {
  const tasks = Object.entries(output['tasks'] as Fields)
    .filter(([, count]) => count !== 0)
    .map(([status, count]) => `${plain(count)} ${status}`)
  const lines = [
    plain(output['name']),
    `tasks: ${tasks.length === 0 ? 'none' : tasks.join(', ')}`,
    `ready: ${plain(output['ready'])} (${plain(output['claimable'])} to be had), blocked: ${plain(output['blocked'])}`,
    `agents: ${plain(output['agents_online'])}, holding ${plain(output['active_leases'])} tasks`,
    ...(output['suggestions'] as string[]).map((text) => `→ ${plain(text)}`),
  ]
  return `${lines.join('\n')}\n`
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
  return `${bold(`#${plain(message['id'])}`)}${subject}\n${dim(facts.join(', '))}\n${multiline(message['body'])}`
}

function renderSent(output: Fields): string {
  const readers = (output['delivered_to'] as string[]).map(plain)
  const { id } = output['message'] as Fields
  return `sent #${plain(id)} to ${readers.length === 0 ? 'nobody: nobody else is here' : readers.join(', ')}\n`
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

function renderReservations(output: Fields): string {
  const reserved = output['reserved_by'] as (Fields & { readonly task: Fields })[]
  if (reserved.length === 0) return `${plain(output['path'])} is free\n`
  const lines = reserved.map(
    (reservation) =>
      `${plain(output['path'])} is reserved by ${holder(reservation)} until ${plain(reservation['expires_at'])}: ` +
      `${plain(reservation['pattern'])} for ${label(reservation.task)}`,
  )
  return `${lines.join('\n')}\n`
}

function renderExplanation(output: Fields): string {
  const obstacles = output['obstacles'] as Fields[]
  const name = label(output['task'] as Fields)
  if (obstacles.length === 0) return `${name} can be claimed\n`
  return `${[name, ...obstacles.map(({ message }) => `- ${plain(message)}`)].join('\n')}\n`
}

function renderImport(output: Fields): string {
  const would = output['dry_run'] === true ? 'would be ' : ''
  const counts = `${plain(output['found'])} found in ${plain(output['path'])}: ${plain(output['created'])} ${would}created, ${plain(output['updated'])} ${would}updated, ${plain(output['unchanged'])} unchanged, ${plain(output['left_out'])} left out`
  return `${[counts, ...(output['remarks'] as string[]).map((text) => `- ${plain(text)}`)].join('\n')}\n`
}
