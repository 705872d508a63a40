import { describeReceived, showProvenance } from '../agent/trust-text.ts'
import type { Trust } from '../agent/trust.ts'
import {
  type Block,
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
} from '../core/show.ts'
import type { Linked } from '../entity/linked/linked.ts'
import { showLinkedToAgent } from '../entity/linked/show.ts'
import type { MessageView } from '../message/view.ts'
import { toTitle } from '../support/text/visible-text.ts'
import type { Reservation } from './lock/locks.ts'
import type { TaskLabel, TaskSummary, TaskView } from './view.ts'

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
  next_cursor,
}: {
  readonly tasks: readonly TaskSummary[]
  readonly next_cursor?: string | undefined
}): readonly Block[] {
  return [...tasks.map(showRow), ...field('next cursor', next_cursor)]
}

/** Waiting tasks, each with the tasks that it waits for. */
export function showBlockedToAgent({
  tasks,
}: {
  readonly tasks: readonly (TaskSummary & { readonly blockers: readonly TaskLabel[] })[]
}): readonly Block[] {
  return tasks.map((task) => {
    const blockers = joined(task.blockers.map(describeTask), '; ')
    const isSaid = task.blockers.length === 0 && task.status === 'blocked'
    const why = isSaid ? own('its status says so') : fact('blocked by', blockers)
    return joined([showRow(task), why], ' · ')
  })
}

export function showQueueToAgent({
  tasks,
}: {
  readonly tasks: readonly TaskSummary[]
}): readonly Block[] {
  return tasks.length === 0 ? [line`nothing is ready`] : tasks.map(showRow)
}

/** A changed task, and the tasks that the change made ready. */
export function showChangeToAgent({
  task,
  newly_ready = [],
  ready_to_close = [],
}: {
  readonly task: TaskSummary
  readonly newly_ready?: readonly TaskLabel[]
  readonly ready_to_close?: readonly TaskLabel[]
}): readonly Block[] {
  return [
    showRow(task),
    ...field('ready now', joined(newly_ready.map(describeTask))),
    ...field('ready to close', joined(ready_to_close.map(describeTask))),
  ]
}

interface Claimed {
  readonly task: TaskView
  readonly overlaps: readonly Reservation[]
  readonly handoff?: MessageView | undefined
  readonly unread_messages: number
}

export function showClaimToAgent({
  task,
  overlaps,
  handoff,
  unread_messages: unread,
}: Claimed): readonly Block[] {
  return [
    line`claimed: ${showHead(task)}`,
    ...showFields(task),
    ...textField('handoff', handoff?.body),
    ...overlaps.map((one) => line`careful: ${describeReservation(one)}`),
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
  const { lease, received, created_by, depends_on } = task
  const source = received && describeReceived(received).join(', ')
  return joined(
    [
      showHead(task),
      fact('due', titled(task.due_date)),
      fact('not before', titled(task.defer_until)),
      fact('for', titled(task.assignee)),
      titled(source),
      source === undefined
        ? fact('by', titled(created_by))
        : fact('says it is by', titled(created_by)),
      fact('needs', depends_on.map(({ number }) => `#${number}`).join(' ')),
      fact('held by', titled(lease?.agent_name ?? lease?.agent_id)),
      task.parked === true ? own('set aside') : undefined,
    ],
    ' · ',
  )
}

function fact(name: string, value: Value): Line {
  const text = line`${value}`
  return text.length === 0 ? [] : line`${own(name)} ${text}`
}

function showFields(task: WholeTask): readonly Block[] {
  const { lease, received, parked, verified } = task
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
    ...field('lease_until', lease?.expires_at),
    ...field('received', received && describeReceived(received).join(', ')),
    ...textField('created_by', task.created_by),
    ...field('acceptance_criteria', titles(task.acceptance_criteria)),
    ...field('locks', titles(task.locks)),
    ...textField('task_type', task.task_type),
    ...textField('close_reason', task.close_reason),
    ...textField('completed_by', task.completed_by),
    ...field('completed_at', task.completed_at),
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
