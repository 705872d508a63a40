import picocolors from 'picocolors'
import { describeTrust } from '../agent/trust-text.ts'
import {
  type Column,
  displayId,
  type Fields,
  holder,
  isFields,
  label,
  block,
  messagesOf,
  plain,
  type Render,
  type Style,
  table,
} from '../surfaces/terminal/cells.ts'

export const RENDERERS: Readonly<Record<string, Render>> = {
  'task.create': renderTask,
  'task.get': renderTask,
  'task.update': renderTask,
  'task.next': renderTask,
  'task.claim': renderTask,
  'task.take': renderTask,
  'task.renew': renderTask,
  'task.release': renderTask,
  'task.complete': renderTask,
  'task.cancel': renderTask,
  'task.reopen': renderTask,
  'task.verify': renderTask,
  'task.reschedule': renderTask,
  'task.defer': renderTask,
  'task.delete': (task) => `deleted task ${label(task)}\n`,
  'task.create_many': renderTaskTable,
  'task.get_many': renderTaskTable,
  'task.list': renderTaskTable,
  'task.ready': renderTaskTable,
  'task.blocked': renderTaskTable,
  'task.edit': renderEdits,
  'task.check_edit': renderReservations,
  'task.explain': renderExplanation,
  'task.context': renderContext,
  'task.import': renderImport,
}

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
async function renderTaskTable(output: Fields, style: Style): Promise<string> {
  const rows = output['tasks'] as readonly Fields[]
  const total = Number(output['total'] ?? rows.length)
  if (rows.length === 0) return total === 0 ? 'no tasks\n' : `nothing here; ${total} in all\n`
  const filled = COLUMNS.filter(({ value }) => rows.some((row) => value(row) !== ''))
  const shown = await table(rows, style.interactive ? filled : COLUMNS, style)
  return rows.length < total ? `${shown}${rows.length} of ${total}\n` : shown
}

/** One task, and what was done with it. */
function renderTask(output: Fields, style: Style): string {
  if (output['claimed'] === null || output['task'] === null) return 'nothing is ready\n'
  if (isFields(output['claimed'])) return renderTask(output['claimed'], style)
  const task = isFields(output['task']) ? output['task'] : output
  const lines = [...describe(task, style), ...consequences(output)]
  const text = task['content'] === undefined ? [] : ['', block(task['content'])]
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
    ...field('given back', toRelease(task['last_release'])),
    ...Object.entries(NEIGHBOURS).flatMap(([name, words]) =>
      field(words, ((task[name] ?? []) as Fields[]).map(label).join(', ')),
    ),
    ...(isFields(task['trust']) ? field('created', toBeginning(task)) : []),
    ...field('updated', plain(task['updated_at'])),
    ...field('trust', list(describeTrust((task['trust'] ?? task['received'] ?? {}) as Fields))),
  ]
}

function toBeginning(task: Fields): string {
  return [task['created_at'], task['created_by']].filter(Boolean).map(plain).join(' by ')
}

function toRelease(release: unknown): string {
  if (!isFields(release)) return ''
  const { at, reason } = release
  const why = reason === undefined ? '' : `: ${plain(reason)}`
  return `by ${holder(release)} at ${plain(at)}${why}`
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
  for (const message of messagesOf(output['warnings'])) lines.push(`careful: ${plain(message)}`)
  return lines
}

function toStatus(task: Fields): string {
  const unverified = task['status'] === 'done' && task['verified'] === false ? ', not verified' : ''
  return `${plain(task['status'])}${unverified}${task['parked'] === true ? ', set aside' : ''}`
}

function list(value: unknown): string {
  return Array.isArray(value) ? value.map(plain).join(', ') : plain(value)
}

function renderEdits(output: Fields): string {
  const edits = output['results'] as { action: string; task?: Fields; deleted?: Fields }[]
  const lines = edits.map(
    ({ action, task, deleted }) => `${plain(action)}: ${label(task ?? deleted ?? {})}`,
  )
  return `${lines.join('\n')}\n`
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

/** What there is to know before starting on a task. */
function renderContext(output: Fields): string {
  const criteria = (output['acceptance_criteria'] as string[]).map((text) => `- ${plain(text)}`)
  const drift = (output['drift'] as { changed: boolean; details: string[] } | undefined) ?? {
    changed: false,
    details: [],
  }
  const warnings = [...(drift.changed ? drift.details : []), ...messagesOf(output['warnings'])]
  const parts = [
    label(output['task'] as Fields),
    ...(criteria.length === 0 ? [] : [criteria.join('\n')]),
    ...(output['content'] === '' ? [] : [block(output['content'])]),
    ...(output['truncated'] === true ? ['there is more; raise --max-chars'] : []),
    ...(warnings.length === 0
      ? []
      : [warnings.map((text) => `careful: ${plain(text)}`).join('\n')]),
  ]
  return `${parts.join('\n\n')}\n`
}

function renderImport(output: Fields): string {
  const would = output['dry_run'] === true ? 'would be ' : ''
  const counts = `${plain(output['found'])} found in ${plain(output['path'])}: ${plain(output['created'])} ${would}created, ${plain(output['updated'])} ${would}updated, ${plain(output['unchanged'])} unchanged, ${plain(output['left_out'])} left out`
  return `${[counts, ...(output['remarks'] as string[]).map((text) => `- ${plain(text)}`)].join('\n')}\n`
}
