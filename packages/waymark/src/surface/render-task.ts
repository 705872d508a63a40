import picocolors from 'picocolors'
import {
  type Column,
  displayId,
  type Fields,
  holder,
  isFields,
  label,
  multiline,
  plain,
  type Style,
  table,
} from './cells.ts'

const COLUMNS: readonly Column[] = [
  { head: 'ID', value: displayId },
  { head: 'KEY', value: (row) => plain(row['key']) },
  { head: 'PRIORITY', value: (row) => plain(row['priority']) },
  { head: 'STATUS', value: toStatus },
  { head: 'DUE', value: (row) => plain(row['due_date']) },
  { head: 'TITLE', value: (row) => plain(row['title']) },
  { head: 'LABELS', value: (row) => ((row['labels'] ?? []) as string[]).map(plain).join(', ') },
  { head: 'HELD BY', value: ({ lease }) => (isFields(lease) ? holder(lease) : '') },
  {
    head: 'WAITS FOR',
    value: ({ blockers }) => ((blockers ?? []) as Fields[]).map(displayId).join(', '),
  },
]

/** A list of tasks; a column that is empty for all of them is left out on a screen. */
export async function renderTaskTable(output: Fields, style: Style): Promise<string> {
  const rows = output['tasks'] as readonly Fields[]
  const total = Number(output['total'] ?? rows.length)
  if (rows.length === 0) return total === 0 ? 'no tasks\n' : `nothing here; ${total} in all\n`
  const filled = COLUMNS.filter(({ value }) => rows.some((row) => value(row) !== ''))
  const shown = await table(rows, style.interactive ? filled : COLUMNS, style)
  return rows.length < total ? `${shown}${rows.length} of ${total}\n` : shown
}

/** One task, and what was done with it; undefined if there is none in the output. */
export function renderTask(output: Fields, style: Style): string | undefined {
  if (output['claimed'] === null || output['task'] === null) return 'nothing is ready\n'
  if (isFields(output['claimed'])) return renderTask(output['claimed'], style)
  const task = isFields(output['task']) ? output['task'] : output
  if (!Array.isArray(task['labels']) || typeof task['number'] !== 'number') return undefined
  const lines = [...describe(task, style), ...consequences(output)]
  const text = task['content'] === undefined ? [] : ['', multiline(task['content'])]
  return `${[...lines, ...text].join('\n')}\n`
}

const SHOWN = [
  'key',
  'priority',
  'task_type',
  'due_date',
  'defer_until',
  'assignee',
  'labels',
  'locks',
  'acceptance_criteria',
  'close_reason',
] as const

const NEIGHBOURS = {
  blockers: 'waits for',
  blocks: 'blocks',
  parents: 'part of',
  subtasks: 'parts',
  discovered_from: 'found during',
  duplicates: 'says the same as',
  duplicated_by: 'said again by',
}

function describe(task: Fields, { colors }: Style): string[] {
  const { bold, dim } = picocolors.createColors(colors)
  const field = (name: string, value: string) =>
    value === '' ? [] : [`${dim(`${name}:`)} ${value}`]
  const lease = task['lease'] as Fields | undefined
  return [
    `${bold(displayId(task))} ${toStatus(task)}: ${bold(plain(task['title']))}`,
    ...SHOWN.flatMap((name) => field(name, list(task[name]))),
    ...(lease === undefined
      ? []
      : field(
          'held by',
          `${holder(lease)} until ${plain(lease['expires_at'])}, fence ${plain(lease['fence'])}`,
        )),
    ...Object.entries(NEIGHBOURS).flatMap(([name, words]) =>
      field(words, ((task[name] ?? []) as Fields[]).map(label).join(', ')),
    ),
    ...field('updated', plain(task['updated_at'])),
  ]
}

/** What an operation did besides. */
function consequences(output: Fields): string[] {
  const lines: string[] = []
  const { handoff, suggested_next } = output
  if (output['changed'] === false) lines.push('nothing was changed')
  for (const task of (output['newly_ready'] ?? []) as Fields[])
    lines.push(`ready now: ${label(task)}`)
  if (isFields(suggested_next)) lines.push(`next: ${label(suggested_next)}`)
  if (isFields(handoff)) lines.push(`${plain(handoff['from'])} says: ${plain(handoff['body'])}`)
  for (const reservation of (output['overlaps'] ?? []) as Fields[]) {
    lines.push(`careful: ${holder(reservation)} has reserved ${plain(reservation['pattern'])}`)
  }
  for (const { message } of (output['warnings'] ?? []) as Fields[])
    lines.push(`careful: ${plain(message)}`)
  return lines
}

function toStatus(task: Fields): string {
  const unverified = task['status'] === 'done' && task['verified'] === false ? ', not verified' : ''
  return `${plain(task['status'])}${unverified}${task['parked'] === true ? ', set aside' : ''}`
}

function list(value: unknown): string {
  return Array.isArray(value) ? value.map(plain).join(', ') : plain(value)
}
