import { describeReceived, showProvenance } from '../agent/trust-text.ts'
import type { Trust } from '../agent/trust.ts'
import type { Warning } from '../core/warning.ts'
import {
  type Block,
  countOf,
  field,
  joined,
  type Line,
  line,
  own,
  quote,
  textField,
  titled,
  titles,
  type Value,
  when,
} from '../core/show.ts'
import type { Linked } from '../entity/linked/linked.ts'
import { showLinkedToAgent } from '../entity/linked/show.ts'
import type { MessageView } from '../message/view.ts'
import { toTitle } from '../support/text/visible-text.ts'
import type { Reservation } from './lock/locks.ts'
import type { LeaseView, TaskLabel, TaskSummary, TaskView } from './view.ts'

// Tasks for a model: named by number, one line each in a list, every field with its name in a whole task.

/** Fields with other tasks. */
export const NEIGHBOURS = [
  'blockers',
  'subtasks',
  'parents',
  'blocks',
  'discovered_from',
  'duplicates',
  'duplicated_by',
] as const

type WholeTask = TaskView & { readonly trust?: Trust; readonly linked?: Linked }

export function showTasksToAgent({
  tasks,
  total = tasks.length,
  next_cursor,
  warnings = [],
}: {
  readonly tasks: readonly TaskSummary[]
  readonly total?: number
  readonly next_cursor?: string | undefined
  readonly warnings?: readonly Warning[]
}): readonly Block[] {
  return [
    ...(tasks.length === 0 ? [line`no task matches`] : tasks.map(showRow)),
    ...countOf(tasks.length, total),
    ...field('next cursor', next_cursor),
    ...warnings.map(({ message }) => line`careful: ${message}`),
  ]
}

/** Waiting tasks, each with the tasks that it waits for. */
export function showBlockedToAgent({
  tasks,
  total,
}: {
  readonly tasks: readonly (TaskSummary & { readonly blockers: readonly TaskLabel[] })[]
  readonly total: number
}): readonly Block[] {
  if (tasks.length === 0) return [line`nothing is blocked`]
  const rows = tasks.map((task) => {
    const blockers = joined(task.blockers.map(describeTask), '; ')
    const isSaid = task.blockers.length === 0 && task.status === 'blocked'
    const why = isSaid ? own('its status says so') : fact('blocked by', blockers)
    return joined([showRow(task), why], ' · ')
  })
  return [...rows, ...countOf(tasks.length, total)]
}

export function showQueueToAgent({
  tasks,
  total,
}: {
  readonly tasks: readonly TaskSummary[]
  readonly total: number
}): readonly Block[] {
  if (tasks.length === 0) return [line`nothing is ready`]
  return [...tasks.map(showRow), ...countOf(tasks.length, total)]
}

/** A changed task, and the tasks that the change made ready. */
export function showChangeToAgent({
  task,
  changed,
  lease,
  newly_ready = [],
  ready_to_close = [],
  suggested_next: next,
}: ChangedTask): readonly Block[] {
  const isNamed = newly_ready.some(({ number }) => number === next?.number)
  return [
    showRow(task),
    ...(changed === false ? [line`it was so before`] : []),
    ...field('fence', lease?.fence),
    ...field('lease_until', when(lease?.expires_at)),
    ...field('ready now', joined(newly_ready.map(describeTask))),
    ...field('ready to close', joined(ready_to_close.map(describeTask))),
    ...field('next', next && !isNamed ? describeTask(next) : undefined),
  ]
}

/** What an operation says about a task that it has changed. */
export interface ChangedTask {
  readonly task: TaskSummary
  readonly changed?: boolean | undefined
  readonly lease?: LeaseView | undefined
  readonly newly_ready?: readonly TaskLabel[] | undefined
  readonly ready_to_close?: readonly TaskLabel[] | undefined
  readonly suggested_next?: TaskLabel | null | undefined
}

interface Claimed {
  readonly task: TaskView
  readonly overlaps: readonly Reservation[]
  readonly handoff?: MessageView | undefined
  readonly unread_messages: number
  readonly warnings?: readonly Warning[] | undefined
}

export function showClaimToAgent({
  task,
  overlaps,
  handoff,
  unread_messages: unread,
  warnings = [],
}: Claimed): readonly Block[] {
  return [
    line`claimed: ${showHead(task)}`,
    ...showFields(task),
    ...textField('handoff', handoff?.body),
    ...overlaps.map((one) => line`careful: ${describeReservation(one)}`),
    ...warnings.map(({ message }) => line`careful: ${message}`),
    ...field('unread_messages', unread > 0 ? unread : undefined),
    ...quote(task.content),
  ]
}

export function showWholeTasksToAgent({
  tasks,
}: {
  readonly tasks: readonly WholeTask[]
}): readonly Block[] {
  return tasks.flatMap((task) => [
    showHead(task),
    ...showFields(task),
    ...showLinkedToAgent(task.linked ?? {}),
    ...quote(task.content),
  ])
}

function showHead({ number, status, priority, title }: TaskLabel): Line {
  return line`#${number} ${status} p${priority} ${titled(title)}`
}

function showRow(task: TaskSummary): Line {
  const { lease, received, created_by, depends_on, held_elsewhere: elsewhere } = task
  const source = received && describeReceived(received).join(', ')
  return joined(
    [
      showHead(task),
      fact('key', titled(task.key)),
      fact('labels', titles(task.labels)),
      fact('due', titled(task.due_date)),
      fact('not before', titled(task.defer_until)),
      fact('for', titled(task.assignee)),
      titled(source),
      source === undefined
        ? fact('by', titled(created_by))
        : fact('says it is by', titled(created_by)),
      fact('needs', depends_on.map(({ number }) => `#${number}`).join(' ')),
      fact('held by', titled(lease?.agent_name ?? lease?.agent_id)),
      fact('held in another clone by', elsewhere && titles(elsewhere.by)),
      task.verified === true ? own('verified') : undefined,
      task.parked === true ? own('set aside') : undefined,
    ],
    ' · ',
  )
}

function fact(name: string, value: Value): Line {
  // Most facts of most tasks.
  if (value === undefined || value === '') return []
  const text = typeof value === 'object' && value !== null ? value : line`${value}`
  return text.length === 0 ? [] : line`${own(name)} ${text}`
}

function showFields(task: WholeTask): readonly Block[] {
  const { lease, received, parked, verified, held_elsewhere: elsewhere } = task
  return [
    ...showProvenance(task.trust),
    ...textField('key', task.key),
    ...textField('due_date', task.due_date),
    ...textField('defer_until', task.defer_until),
    ...textField('assignee', task.assignee),
    ...field('labels', titles(task.labels)),
    ...field('verified', verified),
    ...field('parked', parked),
    ...field(
      'depends_on',
      joined(
        task.depends_on.map(({ number }) => number),
        '; ',
      ),
    ),
    ...field('holder', lease?.agent_name ?? lease?.agent_id),
    ...field('fence', lease?.fence),
    ...field('lease_until', when(lease?.expires_at)),
    ...field('held in another clone by', elsewhere && titles(elsewhere.by)),
    ...field('received', received && describeReceived(received).join(', ')),
    ...textField('created_by', task.created_by),
    ...field('acceptance_criteria', titles(task.acceptance_criteria)),
    ...field('locks', titles(task.locks)),
    ...textField('task_type', task.task_type),
    ...textField('close_reason', task.close_reason),
    ...textField('completed_by', task.completed_by),
    ...field('completed_at', when(task.completed_at)),
    ...textField('verified_by', task.verified_by),
    ...NEIGHBOURS.flatMap((name) => field(name, joined(task[name].map(describeTask), '; '))),
    ...textField('released', describeRelease(task)),
  ]
}

/** `#12 Fix the parser (todo)` */
export function describeTask({ number, title, status }: TaskLabel): string {
  return `#${number} ${toTitle(title)} (${status})`
}

/** `ada has reserved src/cart/** for #3 Rework the cart until 2026-11-15T12:15:00.000Z` */
export function describeReservation(reservation: Reservation): string {
  const { agent_id, agent_name = agent_id, pattern, task, expires_at } = reservation
  const holder = `${toTitle(agent_name)} has reserved ${toTitle(pattern)}`
  return `${holder} for #${task.number} ${toTitle(task.title)} until ${expires_at}`
}

/** The last release of the task: agent, time and reason, which is attributed to that agent. */
export function describeRelease({ last_release }: TaskView): string | undefined {
  if (last_release === undefined) return undefined
  const { agent_id, agent_name = agent_id, at, reason } = last_release
  return `by ${toTitle(agent_name)} at ${at}${reason === undefined ? '' : `: ${reason}`}`
}
