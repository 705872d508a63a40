import * as z from 'zod'
import { type HeldElsewhere, heldElsewhere } from './lease/elsewhere/holders.ts'
import { isHeld } from './lease/lease.ts'
import { asTask, prd } from './fields.ts'
import { TASK_STATUSES } from './task.ts'
import type { LeaseReader, LeaseRow } from './lease/store.ts'
import type { TaskNeighbour, TaskReader } from './store.ts'
import { time, toTime } from '../entity/view.ts'
import { toReceived } from '../sync/arrival.ts'
import { received } from '../sync/received.ts'
import type { EntityRow } from '../entity/store.ts'
import { toTitle } from '../support/text/visible-text.ts'
import type { AgentId } from '../agent/agent.ts'

/** Enough of a task to recognise it and to see where it stands. */
export const taskLabel = z.object({
  id: z.string().brand<'EntityId'>(),
  number: z.int(),
  key: z.string().optional(),
  title: z.string(),
  status: z.enum(TASK_STATUSES),
  priority: z.int(),
})
export type TaskLabel = z.output<typeof taskLabel>

const taskReference = taskLabel.pick({ id: true, number: true, key: true })

export const leaseView = z.object({
  agent_id: z.string(),
  agent_name: z.string().optional(),
  fence: z.int().describe('Name it with every write for this task'),
  granted_at: time,
  expires_at: time,
  seconds_left: z.int().describe('From now until it expires'),
})
export type LeaseView = z.output<typeof leaseView>

export const releaseView = z.object({
  agent_id: z.string(),
  agent_name: z.string().optional(),
  at: time,
  reason: z.string().optional(),
})

const elsewhereView = z.object({
  by: z.array(z.string()).describe('Names, with the person whose clone it is'),
  since: time.describe('Last change of the task, or when it was claimed'),
  silent: z.literal(true).optional().describe('No change for a day: it is offered again'),
  until: time.optional().describe('When the lease ends there, which the remote has granted'),
  closed: z.literal(true).optional().describe('Closed there, which has not arrived here yet'),
})

/** A task in a list. */
export const taskSummary = taskLabel.extend({
  task_type: z.string().optional(),
  due_date: z.string().optional(),
  defer_until: z.string().optional(),
  assignee: z.string().optional(),
  labels: z.array(z.string()),
  verified: z.boolean().optional().describe('Only of tasks that need verification'),
  depends_on: z.array(taskReference).describe('Tasks that block it, resolved or not'),
  lease: leaseView.optional().describe('Who holds it now'),
  held_elsewhere: elsewhereView.optional().describe('Who holds it in other clones'),
  parked: z.literal(true).optional().describe('Set aside: too many agents lost it; reopen it'),
  created_by: z.string().optional(),
  received: received.optional(),
  created_at: time,
  updated_at: time,
})
export type TaskSummary = z.output<typeof taskSummary>

/** Everything about a task. */
export const taskView = taskSummary.extend({
  content: z.string().optional(),
  acceptance_criteria: z.array(z.string()),
  locks: z.array(z.string()),
  needs_verification: z.boolean(),
  completed_at: z.string().optional(),
  completed_by: z.string().optional(),
  verified_at: z.string().optional(),
  verified_by: z.string().optional(),
  close_reason: z.string().optional(),
  last_release: releaseView.optional().describe('Who gave it back last, and why'),
  external_ref: z.string().optional(),
  prd: prd().optional(),
  blockers: z.array(taskLabel).describe('Unresolved tasks that block it'),
  blocks: z.array(taskLabel).describe('Tasks that it blocks'),
  parents: z.array(taskLabel).describe('Tasks that it is a part of'),
  subtasks: z.array(taskLabel),
  discovered_from: z.array(taskLabel),
  duplicates: z.array(taskLabel).describe('Tasks that say the same, of which this is one too many'),
  duplicated_by: z.array(taskLabel),
  revision: z.int(),
})
export type TaskView = z.output<typeof taskView>

/** Where a view is read from: the store, or a transaction that has just changed it. */
export interface TaskSource {
  readonly tasks: TaskReader
  readonly leases: LeaseReader
}

export function toTaskLabel(row: EntityRow): TaskLabel {
  const { key, status, priority } = asTask(row)
  const { id, number, title } = row
  return { id, number, ...(key !== undefined && { key }), title, status, priority }
}

/** What may be stored about a purged task: no user text. */
export function toRemains({ id, number, status, priority }: TaskLabel): TaskLabel {
  return { id, number, title: '', status, priority }
}

export async function toTaskSummaries(
  { tasks, leases }: TaskSource,
  rows: readonly EntityRow[],
  now: number,
): Promise<TaskSummary[]> {
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const dependencies = await tasks.dependenciesOf(ids)
  const leasesById = await leases.ofAll(ids)
  const elsewhere = await leases.elsewhere(now)
  return rows.map((row) => ({
    ...toOwnSummary(row),
    depends_on: (dependencies.get(row.id) ?? []).map(({ id, number, key }) => ({
      id,
      number,
      ...(key !== null && { key }),
    })),
    ...toLeaseFields(leasesById.get(row.id), now),
    ...toElsewhereFields(heldElsewhere(row, elsewhere)),
  }))
}

export async function toTaskSummary(
  source: TaskSource,
  row: EntityRow,
  now: number,
): Promise<TaskSummary> {
  const [summary] = await toTaskSummaries(source, [row], now)
  return summary as TaskSummary
}

export async function toTaskView(
  source: TaskSource,
  row: EntityRow,
  now: number,
): Promise<TaskView> {
  const { tasks, leases } = source
  const neighbours = await tasks.neighbours(row.id)
  const summary = await toTaskSummary(source, row, now)
  return toWhole(row, { summary, neighbours, lease: await leases.of(row.id) })
}

/** The same for a task that was inserted in this transaction and has no relations: nothing else can refer to it. */
export function toNewTaskView(row: EntityRow): TaskView {
  return toWhole(row, { summary: { ...toOwnSummary(row), depends_on: [] }, neighbours: [] })
}

interface Surroundings {
  readonly summary: TaskSummary
  readonly neighbours: readonly TaskNeighbour[]
  readonly lease?: LeaseRow | undefined
}

function toWhole(row: EntityRow, { summary, neighbours, lease }: Surroundings): TaskView {
  const unresolved = neighbours.filter(({ resolved }) => resolved === 0)
  const { acceptance_criteria, locks, needs_verification, ...task } = asTask(row)
  return {
    ...summary,
    ...(row.content !== null && { content: row.content }),
    acceptance_criteria: acceptance_criteria ?? [],
    locks: locks ?? [],
    needs_verification: needs_verification ?? false,
    ...pick(task, ['completed_at', 'completed_by', 'verified_at', 'verified_by']),
    ...pick(task, ['close_reason', 'external_ref', 'prd']),
    ...toReleaseFields(lease),
    blockers: labels(unresolved, 'to', 'blocks'),
    blocks: labels(neighbours, 'from', 'blocks'),
    parents: labels(neighbours, 'from', 'subtask_of'),
    subtasks: labels(neighbours, 'to', 'subtask_of'),
    discovered_from: labels(neighbours, 'from', 'discovered_from'),
    duplicates: labels(neighbours, 'from', 'duplicates'),
    duplicated_by: labels(neighbours, 'to', 'duplicates'),
    revision: row.revision,
  }
}

function labels(
  neighbours: readonly TaskNeighbour[],
  direction: 'from' | 'to',
  type: string,
): TaskLabel[] {
  return neighbours
    .filter((task) => task.direction === direction && task.type === type)
    .map(({ id, number, key, title, status, priority }) => ({
      id,
      number,
      ...(key !== null && { key }),
      title,
      status,
      priority,
    }))
}

function toOwnSummary(
  row: EntityRow,
): Omit<TaskSummary, 'depends_on' | 'lease' | 'parked' | 'held_elsewhere'> {
  const task = asTask(row)
  return {
    ...toTaskLabel(row),
    ...pick(task, ['task_type', 'due_date', 'defer_until', 'assignee']),
    labels: [...row.tags],
    ...(task.needs_verification === true && { verified: task.verified_at !== undefined }),
    ...(row.createdBy !== null && { created_by: row.createdBy }),
    ...(row.arrival !== null && { received: toReceived(row.arrival) }),
    created_at: toTime(row.createdAt),
    updated_at: toTime(row.updatedAt),
  }
}

function toLeaseFields(
  lease: LeaseRow | undefined,
  now: number,
): Pick<TaskSummary, 'lease' | 'parked'> {
  if (isHeld(lease, now)) return { lease: toLeaseView(lease, now) }
  return typeof lease?.parkedAt === 'number' ? { parked: true } : {}
}

function toElsewhereFields(found: HeldElsewhere | undefined): Pick<TaskSummary, 'held_elsewhere'> {
  if (found === undefined) return {}
  const { by, since, isSilent, until, isClosed } = found
  return {
    held_elsewhere: {
      by: [...by],
      since: toTime(since),
      ...(isSilent && { silent: true }),
      ...(until !== undefined && { until: toTime(until) }),
      ...(isClosed === true && { closed: true }),
    },
  }
}

/** Why the previous holder released the task. */
export function toReleaseFields(lease: LeaseRow | undefined): Pick<TaskView, 'last_release'> {
  if (!lease?.lastRelease) return {}
  const { agentId, agentName, at, reason } = lease.lastRelease
  return {
    last_release: {
      agent_id: agentId,
      ...(agentName !== null && { agent_name: agentName }),
      at: toTime(at),
      ...(reason !== null && { reason }),
    },
  }
}

export function toLeaseView(
  lease: LeaseRow & { readonly agentId: AgentId },
  now: number,
): z.output<typeof leaseView> {
  return {
    agent_id: lease.agentId,
    ...(lease.agentName !== null && { agent_name: lease.agentName }),
    fence: lease.fence,
    granted_at: toTime(lease.grantedAt),
    expires_at: toTime(lease.expiresAt),
    seconds_left: Math.round((lease.expiresAt - now) / 1000),
  }
}

/** The fields that have a value: one that is absent must not be there as undefined. */
function pick<T extends object, K extends keyof T>(
  from: T,
  fields: readonly K[],
): { [P in K]?: Exclude<T[P], undefined> } {
  const picked: { [P in K]?: Exclude<T[P], undefined> } = {}
  for (const field of fields) {
    const value = from[field]
    if (isDefined(value)) picked[field] = value
  }
  return picked
}

function isDefined<T>(value: T): value is Exclude<T, undefined> {
  return value !== undefined
}

const MOST_NAMED = 5

/** `#2 Ask for the address, #3 Send the receipt and 4 more`, for a sentence. */
export function nameTasks(tasks: readonly Pick<EntityRow, 'number' | 'title'>[]): string {
  const named = tasks
    .slice(0, MOST_NAMED)
    .map(({ number, title }) => `#${number} ${toTitle(title)}`)
  const more = tasks.length - named.length
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
