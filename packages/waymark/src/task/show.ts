import { describeTrust, type TrustFacts } from '../agent/trust-text.ts'
import {
  BLANK,
  type Block,
  bold,
  type Column,
  countOf,
  due,
  field,
  joined,
  type Line,
  line,
  own,
  quote,
  table,
  when,
} from '../core/show.ts'
import type { Warning } from '../core/warning.ts'
import type { Linked } from '../entity/linked/linked.ts'
import { showLinked } from '../entity/linked/show.ts'
import { showPriority, showStatus } from '../entity/status-color.ts'
import { displayId, label } from '../entity/view.ts'
import type { MessageView } from '../message/view.ts'
import { holder, showLease } from './lease/show.ts'
import type { Reservation } from './lock/locks.ts'
import { isClosed } from './task.ts'
import type { TaskLabel, TaskSummary, TaskView } from './view.ts'

/** A task as any operation returns it: a summary, or a view with some or all of its fields. */
type ShownTask = TaskSummary &
  Partial<Omit<TaskView, keyof TaskSummary>> & {
    readonly trust?: TrustFacts
    readonly linked?: Linked
  }

/** Effects of an operation besides the task itself. */
interface Effects {
  readonly changed?: boolean
  readonly newly_ready?: readonly TaskLabel[]
  readonly ready_to_close?: readonly TaskLabel[]
  readonly suggested_next?: TaskLabel | null
  readonly handoff?: MessageView | undefined
  readonly overlaps?: readonly Reservation[]
  readonly warnings?: readonly Warning[] | undefined
}

/** The result of an operation on one task. */
export function showTaskResult({
  task,
  ...effects
}: Effects & { readonly task: ShownTask | null }): readonly Block[] {
  return task === null ? [line`nothing is ready`] : showTask(task, effects)
}

export function showTask(task: ShownTask, effects: Effects): readonly Block[] {
  return [
    ...showFields(task),
    ...showLinked(task.linked ?? {}, task),
    ...showEffects(effects),
    ...(task.content === undefined ? [] : [BLANK, ...quote(task.content)]),
  ]
}

function showFields(task: ShownTask): readonly Line[] {
  const { lease, trust } = task
  const heading = line`${bold(displayId(task))} ${showState(task)}: ${bold(task.title)}`
  const held = lease && showLease(lease)
  return [
    heading,
    ...field('key', task.key),
    ...field('priority', showPriority(task.priority)),
    ...field('task_type', task.task_type),
    ...field('due_date', showDue(task)),
    ...field('defer_until', when(task.defer_until)),
    ...field('assignee', task.assignee),
    ...field('labels', joined(task.labels)),
    ...field('locks', joined(task.locks ?? [])),
    ...field('acceptance_criteria', joined(task.acceptance_criteria ?? [])),
    ...field('close_reason', task.close_reason),
    ...field('held by', held),
    ...field('held elsewhere', task.held_elsewhere && showElsewhere(task.held_elsewhere)),
    ...field('given back', task.last_release && showRelease(task.last_release)),
    ...field('waits for', labels(task.blockers)),
    ...field('blocks', labels(task.blocks)),
    ...field('part of', labels(task.parents)),
    ...field('parts', labels(task.subtasks)),
    ...field('found during', labels(task.discovered_from)),
    ...field('says the same as', labels(task.duplicates)),
    ...field('said again by', labels(task.duplicated_by)),
    ...field('created', trust && joined([when(task.created_at), task.created_by], ' by ')),
    ...field('updated', when(task.updated_at)),
    ...field('trust', joined(describeTrust(trust ?? task.received ?? {}))),
  ]
}

function labels(tasks: readonly TaskLabel[] = []): Line {
  return joined(tasks.map(label))
}

function showState({
  status,
  verified,
  parked,
}: Pick<ShownTask, 'status' | 'verified' | 'parked'>): Line {
  const checked = verified === true ? ', verified' : ', not verified'
  const shown = status === 'done' && verified !== undefined ? checked : ''
  return line`${showStatus(status)}${own(shown)}${own(parked === true ? ', set aside' : '')}`
}

/** A task that is closed is no longer late. */
function showDue({ status, due_date }: Pick<TaskSummary, 'status' | 'due_date'>): Line {
  return isClosed({ status }) ? when(due_date) : due(due_date)
}

function showElsewhere(elsewhere: NonNullable<TaskSummary['held_elsewhere']>): Line {
  const { by, since, silent, until, closed } = elsewhere
  if (closed === true)
    return line`closed by ${joined(by, ' and ')} in another clone; run waymark sync`
  if (until !== undefined) {
    return line`by ${joined(by, ' and ')} in another clone, claimed ${when(since)}, free ${when(until)} at the latest`
  }
  const offered = silent === true ? ', offered again because it is silent' : ''
  return line`by ${joined(by, ' and ')} in another clone, changed ${when(since)}${own(offered)}`
}

function showRelease(release: NonNullable<TaskView['last_release']>): Line {
  const { at, reason } = release
  return line`by ${holder(release)} ${when(at)}${reason === undefined ? undefined : line`: ${reason}`}`
}

function showEffects(effects: Effects): readonly Line[] {
  const { changed, newly_ready = [], ready_to_close = [], suggested_next } = effects
  const { handoff, overlaps = [] } = effects
  return [
    ...(changed === false ? [line`nothing was changed`] : []),
    ...newly_ready.map((task) => line`ready now: ${label(task)}`),
    ...ready_to_close.map((task) => line`ready to close: ${label(task)}`),
    ...(suggested_next ? [line`next: ${label(suggested_next)}`] : []),
    ...(handoff === undefined
      ? []
      : [line`${handoff.from_name ?? handoff.from} says: ${handoff.body}`]),
    ...overlaps.map((one) => {
      return line`careful: ${holder(one)} has reserved ${one.pattern} for #${one.task.number} ${one.task.title}`
    }),
    ...showWarnings(effects.warnings),
  ]
}

export function showWarnings(warnings: readonly Warning[] = []): readonly Line[] {
  return warnings.map(({ message }) => line`careful: ${message}`)
}

type Row = TaskSummary & { readonly blockers?: readonly TaskLabel[] }

const COLUMNS: readonly Column<Row>[] = [
  { head: 'ID', value: displayId },
  { head: 'TITLE', value: ({ title }) => title, isMain: true },
  { head: 'STATUS', value: showState },
  {
    head: 'HELD BY',
    value: ({ lease, held_elsewhere: elsewhere }) =>
      joined([lease && holder(lease), elsewhere && line`${joined(elsewhere.by)}, other clone`]),
  },
  { head: 'WAITS FOR', value: showWait },
  { head: 'PRIORITY', value: ({ priority }) => showPriority(priority) },
  { head: 'DUE', value: showDue },
  { head: 'LABELS', value: ({ labels }) => joined(labels) },
  { head: 'KEY', value: ({ key }) => key },
]

/** The tasks that it waits for, with titles. Only where blockers were looked up may the status be the one reason. */
function showWait({ blockers, status }: Row): Line {
  if (blockers?.length === 0 && status === 'blocked') return own('its status says so')
  return joined((blockers ?? []).map(({ number, title }) => line`#${number} ${title}`))
}

export function showTasks({
  tasks,
  total = tasks.length,
}: {
  readonly tasks: readonly Row[]
  readonly total?: number
}): readonly Block[] {
  if (tasks.length === 0)
    return [total === 0 ? line`no tasks` : line`nothing here; ${total} in all`]
  return [table(tasks, COLUMNS, { isSparse: true }), ...countOf(tasks.length, total)]
}

export function showReservations({
  path,
  reserved_by,
}: {
  readonly path: string
  readonly reserved_by: readonly Reservation[]
}): readonly Block[] {
  if (reserved_by.length === 0) return [line`${path} is free`]
  return reserved_by.map(
    (one) =>
      line`${path} is reserved by ${holder(one)}, lease ends ${when(one.expires_at)}: ${one.pattern} for ${label(one.task)}`,
  )
}
