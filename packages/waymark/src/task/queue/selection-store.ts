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
  /** Everything still open is closed, cancelled or waited for; nothing stands in the way of these. */
  | 'ready'
  /** Ready, not held and not parked. */
  | 'claimable'
  | 'blocked'
  | 'any'

/** Which tasks are wanted, of which state. */
export interface QueueSelection extends TaskFilter {
  readonly state: QueueState
  /** Milliseconds since 1970, to judge what is deferred and which leases have run out. */
  readonly now: number
  readonly includeDeferred?: boolean
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

export function toCondition(
  query: QueueSelection,
  [first, ...others]: readonly Facet[],
): Condition {
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
  // Must match the WHERE clauses of the partial indexes literally, or SQLite does not use them.
  if (state === 'blocked') demand('t.closed = 0 AND t.blocked = 1')
  if (state === 'ready' || state === 'claimable') {
    demand('t.closed = 0 AND t.blocked = 0')
    if (query.includeDeferred !== true) {
      demand('(t.defer_until IS NULL OR t.defer_until <= ?)', now)
    }
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
