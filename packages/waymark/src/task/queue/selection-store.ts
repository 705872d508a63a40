import { SILENT_AFTER_MS } from '../lease/elsewhere/holders.ts'
import { ATTEMPTS_ALLOWED, LOST_LEASES_ALLOWED } from '../lease/lease.ts'
import { ASKED_FOR_MS } from '../lease/shared/store.ts'
import { OWN_CLONE } from '../lease/store.ts'
import { isClosed, type TaskStatus } from '../task.ts'
import type { SqlValue } from '../../core/store/sql.ts'
import { NO_DUE_DATE } from '../index-store.ts'

export interface TaskFilter {
  readonly statuses?: readonly TaskStatus[] | undefined
  readonly labels?: readonly string[] | undefined
  readonly taskType?: string | undefined
  readonly assignee?: string | undefined
  /** Whether it still holds up others. */
  readonly resolved?: boolean | undefined
  /** Only parts of this task, at any depth. */
  readonly partOf?: string | undefined
  /** The most and the least urgent priority wanted. */
  readonly priorities?: readonly [number, number] | undefined
  /** All of these words in the title or the text, case-insensitive. */
  readonly words?: readonly string[] | undefined
  /** Milliseconds since 1970. */
  readonly createdSince?: number | undefined
  /** A date; what is due on it does not count. */
  readonly dueBefore?: string | undefined
}

/** Which tasks, of those that match the filter. */
type QueueState =
  /** Open, not blocked, without open parts, and in progress neither at another assignee nor in another clone. */
  | 'ready'
  /** Ready, not held, not parked, and not released with a reason by this agent just now. */
  | 'claimable'
  /** Claimable, and not assigned to others, unless their tasks are asked for. */
  | 'offered'
  /** An unresolved task blocks it, or its status says so. */
  | 'blocked'
  /** Open, and not that. */
  | 'not_blocked'
  /** Open, and no open task blocks it directly: the whole rule in specifications that have no other. */
  | 'unblocked'
  /** The opposite: an open task blocks it directly. */
  | 'waiting'
  | 'open'
  | 'any'

/** The agent that asks: what is offered to it may differ from what is offered to others. */
export interface QueueAgent {
  readonly id?: string | undefined
  readonly name?: string | null | undefined
  /** Names of the agent and its person, in lower case. */
  readonly assignedAs?: readonly string[] | undefined
}

/** Which tasks are wanted, of which state. */
export interface QueueSelection extends TaskFilter {
  readonly state: QueueState
  /** Milliseconds since 1970, to judge what is deferred and which leases have run out. */
  readonly now: number
  readonly includeDeferred?: boolean
  readonly agent?: QueueAgent | undefined
}

/** What many tasks share and some are looked for by; `task_facet` has a row for each that a task has. */
export interface Facet {
  readonly facet: 'label' | 'assignee' | 'task_type'
  readonly value: string
}

export function toFacets({ labels = [], assignee, taskType }: TaskFilter): readonly Facet[] {
  const facets: Facet[] = labels.map((value) => ({ facet: 'label', value }))
  if (assignee !== undefined) facets.push({ facet: 'assignee', value: assignee })
  if (taskType !== undefined) facets.push({ facet: 'task_type', value: taskType })
  return facets
}

/**
 * `t` is the driving table: `task`, or the tasks of one facet, with the same order and columns. Facet rows are read
 * before any join. If all texts must be read anyway, they are scanned in storage order.
 */
export function tablesFor(where: string): string {
  const tables = [where.includes('t.facet = ') ? 'task_facet AS t' : 'task AS t']
  if (/\bs\./.test(where)) tables.push('CROSS JOIN task AS s ON s.id = t.id')
  const isWhole = tables[0] === 'task AS t'
  if (/\be\./.test(where)) {
    tables.push(`${isWhole ? 'JOIN' : 'CROSS JOIN'} entity AS e ON e.id = t.id`)
  }
  return tables.join(' ')
}

/** What blocks one of its parts, or is done and not verified, has `t.blocked = 1` too. */
const HAS_OPEN_BLOCKER = `EXISTS (SELECT 1 FROM relation AS r
    CROSS JOIN task AS b ON b.id = r.source_id AND b.closed = 0
    WHERE r.target_id = t.id AND r.type = 'blocks' AND r.deleted_at IS NULL)`

/** These match the WHERE clauses of the partial indexes literally, or SQLite does not use them. */
const STATE_CONDITIONS: Readonly<Partial<Record<QueueState, string>>> = {
  ready: 't.closed = 0 AND t.blocked = 0',
  claimable: 't.closed = 0 AND t.blocked = 0',
  offered: 't.closed = 0 AND t.blocked = 0',
  blocked: 't.closed = 0 AND t.blocked IN (1, 2)',
  not_blocked: 't.closed = 0 AND t.blocked IN (0, 3)',
  unblocked: `t.resolved = 0 AND t.closed = 0 AND (t.blocked <> 1 OR NOT ${HAS_OPEN_BLOCKER})`,
  waiting: `t.closed = 0 AND t.blocked IN (1, 2) AND t.blocked = 1 AND ${HAS_OPEN_BLOCKER}`,
  open: 't.resolved = 0 AND t.closed = 0',
}

export function isDeferrable(state: QueueState): boolean {
  return hasExceptions(state) || state === 'unblocked'
}

/** In progress at an assignee who is not the agent. */
const isAssigned = (task: string): string =>
  `${task}.status = 'in_progress' AND ${task}.assignee IS NOT NULL AND ${task}.assignee NOT IN (?, ?)`

/** In progress in another clone, and changed lately. The remote knows all leases of the clones that claim through it. */
const isElsewhere = (task: string, entity: string): string =>
  `${task}.status = 'in_progress' AND abs(${entity}.updated_at - ?) < ${SILENT_AFTER_MS}
    AND CASE WHEN json_valid(${entity}.properties) THEN EXISTS (
      SELECT 1 FROM json_each(${entity}.properties, '$.holders') AS h
        WHERE h.value LIKE '% @________' AND h.value NOT LIKE '% @' || ${OWN_CLONE}
          AND NOT EXISTS (SELECT 1 FROM live_clone AS c WHERE h.value LIKE '% @' || c.clone)) END`

const ASSIGNED = `SELECT b.id FROM task AS b WHERE ${isAssigned('b')}`

/** In progress in another clone; or held or closed there, as the remote knows it. */
const ELSEWHERE = `SELECT task_id FROM live_lease WHERE closed = 1 OR held_until > ?
  UNION ALL SELECT b.id FROM task AS b CROSS JOIN entity AS n ON n.id = b.id
  WHERE ${isElsewhere('b', 'n')}`

/** Its leases have run out so often that it is parked as soon as the end of this one is recorded. */
const IS_NEARLY_PARKED = `(lost + 1 >= ${LOST_LEASES_ALLOWED} OR attempts >= ${ATTEMPTS_ALLOWED})`

/** Held, or being claimed by another agent, or parked, or parked as soon as the end of its lease is recorded. */
const TAKEN = `SELECT task_id FROM lease WHERE agent_id IS NOT NULL AND expires_at > ?
  UNION ALL SELECT task_id FROM lease WHERE parked_at IS NOT NULL
  UNION ALL SELECT task_id FROM lease WHERE agent_id IS NOT NULL AND expires_at <= ?
    AND ${IS_NEARLY_PARKED}
  UNION ALL SELECT task_id FROM shared_lease WHERE state = 'asked' AND agent_id <> ? AND at > ?`

/** Released with a reason by the agent, a short time ago. */
const WITHHELD = `SELECT task_id FROM lease
  WHERE withheld_from IS NOT NULL AND withheld_from = ? AND withheld_until > ?`

/** Assigned to others, of the ready ones. */
function forOthers({ state, assignee, agent: { assignedAs = [''] } = {} }: QueueSelection) {
  if (state !== 'offered' || assignee !== undefined) return undefined
  const marks = assignedAs.map(() => '?').join(', ')
  return {
    where: `SELECT f.id FROM task_facet AS f WHERE f.facet = 'assignee' AND f.closed = 0
      AND f.blocked = 0 AND lower(f.value) NOT IN (${marks})`,
    values: assignedAs,
  }
}

/**
 * A query of the ids that are not offered, although the index has them among the ready ones, to subtract them from a
 * count. Undefined if there are none in this state.
 */
export function exceptionsOf(selection: QueueSelection): Condition | undefined {
  const { state, now, agent = {} } = selection
  if (!hasExceptions(state)) return undefined
  const { id = '', name } = agent
  const values = [id, name ?? '', now, now]
  if (state === 'ready') return { where: `${ASSIGNED} UNION ALL ${ELSEWHERE}`, values }
  const others = forOthers(selection)
  return {
    where: [ASSIGNED, ELSEWHERE, TAKEN, WITHHELD, ...(others ? [others.where] : [])].join(
      ' UNION ALL ',
    ),
    values: [...values, now, now, id, now - ASKED_FOR_MS, id, now, ...(others?.values ?? [])],
  }
}

/**
 * Looked up for one task after the other. Without the offset PostgreSQL would join the whole table, evaluating what it
 * filters by for all rows, to find the first task.
 */
const notExists = (query: string): string => `NOT EXISTS (${query} LIMIT 1 OFFSET 0)`

/** TAKEN and WITHHELD of one task, by the keys of their tables. */
const IS_FREE = `${notExists(`SELECT 1 FROM lease WHERE task_id = t.id AND (
      (agent_id IS NOT NULL AND (expires_at > ? OR ${IS_NEARLY_PARKED}))
      OR parked_at IS NOT NULL OR (withheld_from = ? AND withheld_until > ?))`)}
    AND ${notExists(`SELECT 1 FROM shared_lease
      WHERE task_id = t.id AND state = 'asked' AND agent_id <> ? AND at > ?`)}`

/** ASSIGNED and ELSEWHERE of one task. */
const IS_OFFERED = `${notExists(`SELECT 1 FROM live_lease
      WHERE task_id = t.id AND (closed = 1 OR held_until > ?)`)}
    AND ${notExists(`SELECT 1 FROM task AS b CROSS JOIN entity AS n ON n.id = b.id
      WHERE b.id = t.id AND ((${isAssigned('b')}) OR (${isElsewhere('b', 'n')}))`)}`

/**
 * The same for one task after the other, as a page of the queue is read: a task that is not reached costs nothing,
 * however many are in progress.
 */
export function offeredOf(selection: QueueSelection): Condition | undefined {
  const { state, now, agent = {} } = selection
  if (!hasExceptions(state)) return undefined
  const { id = '', name } = agent
  const offered = { where: IS_OFFERED, values: [now, id, name ?? '', now] }
  if (state === 'ready') return offered
  const free = { where: IS_FREE, values: [now, id, now, id, now - ASKED_FOR_MS] }
  const others = forOthers(selection)
  if (others === undefined) return allOf([free, offered])
  const isOurs = { ...others, where: notExists(`${others.where} AND f.id = t.id`) }
  return allOf([free, offered, isOurs])
}

function hasExceptions(state: QueueState): boolean {
  return state === 'ready' || state === 'claimable' || state === 'offered'
}

export interface Condition {
  readonly where: string
  readonly values: readonly SqlValue[]
}

export function allOf(conditions: readonly Condition[]): Condition {
  return {
    where: conditions.map(({ where }) => where).join(' AND '),
    values: conditions.flatMap(({ values }) => values),
  }
}

interface SelectedFacets {
  /** The one whose rows are read; all tasks without it. */
  readonly first?: Facet | undefined
  readonly others: readonly Facet[]
}

export function toCondition(query: QueueSelection, { first, others }: SelectedFacets): Condition {
  const conditions: string[] = []
  const values: SqlValue[] = []
  const demand = (condition: string, ...given: SqlValue[]): void => {
    conditions.push(condition)
    values.push(...given)
  }
  const { state, now, statuses, partOf, priorities } = query
  const { words = [], createdSince, dueBefore, resolved } = query
  if (first !== undefined) demand('t.facet = ? AND t.value = ?', first.facet, first.value)
  for (const { facet, value } of others) {
    demand(
      'EXISTS (SELECT 1 FROM task_facet AS f WHERE f.id = t.id AND f.facet = ? AND f.value = ?)',
      facet,
      value,
    )
  }
  const ofState = STATE_CONDITIONS[state]
  if (ofState !== undefined) demand(ofState)
  if (isDeferrable(state) && query.includeDeferred !== true) {
    demand('(t.defer_until IS NULL OR t.defer_until <= ?)', now)
  }
  if (statuses !== undefined) {
    // Closed but unresolved tasks are done and unverified, and few: use their index, and disable the index of all done
    // tasks with the unary plus.
    const isUnverified = resolved === false && statuses.every((status) => isClosed({ status }))
    if (isUnverified) demand('t.closed = 1')
    const column = first === undefined ? 't.status' : 's.status'
    const marks = statuses.map(() => '?').join(', ')
    demand(`${isUnverified ? '+' : ''}${column} IN (${marks})`, ...statuses)
  }
  if (priorities !== undefined) demand('t.priority BETWEEN ? AND ?', ...priorities)
  if (resolved !== undefined) demand(`t.resolved = ${Number(resolved)}`)
  if (dueBefore !== undefined) demand(`t.due < '${NO_DUE_DATE}' AND t.due < ?`, dueBefore)
  if (createdSince !== undefined) {
    demand('t.id IN (SELECT id FROM entity WHERE created_at >= ?)', createdSince)
  }
  for (const word of words) {
    const pattern = `%${word.replaceAll(/[\\%_]/g, '\\$&')}%`
    demand(`(e.title LIKE ? ESCAPE '\\' OR e.content LIKE ? ESCAPE '\\')`, pattern, pattern)
  }
  if (partOf !== undefined) {
    // The unary plus keeps SQLite from building an automatic index of all such relations for each query.
    demand(
      `t.id IN (WITH RECURSIVE part (id) AS (
          SELECT source_id FROM relation
            WHERE target_id = ? AND type = 'subtask_of' AND deleted_at IS NULL
          UNION
          SELECT r.source_id FROM part CROSS JOIN relation AS r ON r.target_id = part.id
            WHERE +r.type = 'subtask_of' AND r.deleted_at IS NULL)
        SELECT id FROM part)`,
      partOf,
    )
  }
  return { where: conditions.length === 0 ? 'TRUE' : conditions.join(' AND '), values }
}
