import { ENTITY_COLUMNS, type EntityRecord, type EntityRow, toEntity } from './entities.ts'
import type { SqlReader, SqlValue } from './sql.ts'
import { NO_DUE_DATE } from './task-index.ts'

/** A task's place in the queue: by urgency, then by date with those that have none last, then by number. */
export interface QueuePosition {
  readonly priority: number
  readonly due: string
  readonly number: number
}

export interface TaskFilter {
  readonly statuses?: readonly string[] | undefined
  readonly labels?: readonly string[] | undefined
  readonly taskType?: string | undefined
  readonly assignee?: string | undefined
  /** Whether it still holds up others. */
  readonly resolved?: boolean | undefined
  /** Only parts of this task, at any depth. */
  readonly partOf?: string | undefined
  /** The most and the least urgent priority wanted. */
  readonly priorities?: readonly [number, number] | undefined
  /** All of these words in the title or the text, whatever their case. */
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
  /** Ready, held by nobody and not set aside. */
  | 'claimable'
  | 'blocked'
  | 'any'

/** Which tasks are wanted, of which state. */
interface QueueSelection extends TaskFilter {
  readonly state: QueueState
  /** Milliseconds since 1970, to judge what is deferred and which leases have run out. */
  readonly now: number
  readonly includeDeferred?: boolean
}

/** One page of them. */
export interface QueueQuery extends QueueSelection {
  readonly after?: QueuePosition | undefined
  readonly limit: number
  readonly offset?: number
}

export interface TaskQueue {
  /** In the order of the queue. */
  queue(query: QueueQuery): Promise<EntityRow[]>
  /** How many there are in all. */
  count(selection: QueueSelection): Promise<number>
}

export const POSITION = 't.priority, t.due, t.number'
export const TASK_COLUMNS = ENTITY_COLUMNS.replaceAll(/\w+/g, 'e.$&')

/** Held by somebody, or set aside. Few compared to the tasks, so they are looked up once and not for each task. */
const TAKEN = `SELECT task_id FROM lease WHERE agent_id IS NOT NULL AND expires_at > ?
  UNION ALL SELECT task_id FROM lease WHERE parked_at IS NOT NULL`

export function createTaskQueue(sql: SqlReader): TaskQueue {
  const count = async ({ where, values }: Condition): Promise<number> => {
    const row = await sql.get<{ total: number }>(
      `SELECT count(*) AS total FROM ${tablesFor(where)} WHERE ${where}`,
      values,
    )
    return row?.total ?? 0
  }

  return {
    async queue(query) {
      const conditions = [toCondition(query), toPage(query)]
      if (query.state === 'claimable') {
        conditions.push({ where: `t.id NOT IN (${TAKEN})`, values: [query.now] })
      }
      const { where, values } = allOf(conditions)
      const records = await sql.all<EntityRecord>(
        // The page is chosen by the small rows of the queue; the texts are read of what is on it.
        `SELECT ${TASK_COLUMNS} FROM (
            SELECT t.id, ${POSITION} FROM ${tablesFor(where)} WHERE ${where}
              ORDER BY ${POSITION} LIMIT ? OFFSET ?) AS t
          JOIN entity AS e ON e.id = t.id ORDER BY ${POSITION}`,
        [...values, query.limit, query.offset ?? 0],
      )
      return records.map(toEntity)
    },

    async count(selection) {
      const condition = toCondition(selection)
      const total = await count(condition)
      if (selection.state !== 'claimable') return total
      // The ready ones are counted in their index; only those that are taken need to be looked at.
      const taken = { where: `t.id IN (${TAKEN})`, values: [selection.now] }
      return total - (await count(allOf([condition, taken])))
    },
  }
}

/** The place of a task in the queue, for the page that begins after it. */
export function toPosition({ number, properties }: EntityRow): QueuePosition {
  const { priority, due_date: due = NO_DUE_DATE } = properties as {
    priority: number
    due_date?: string
  }
  return { priority, due, number }
}

function tablesFor(where: string): string {
  return where.includes('e.') ? 'task AS t JOIN entity AS e ON e.id = t.id' : 'task AS t'
}

interface Condition {
  readonly where: string
  readonly values: readonly SqlValue[]
}

function allOf(conditions: readonly Condition[]): Condition {
  return {
    where: conditions.map(({ where }) => where).join(' AND '),
    values: conditions.flatMap(({ values }) => values),
  }
}

function toCondition(query: QueueSelection): Condition {
  const conditions: string[] = []
  const values: SqlValue[] = []
  const demand = (condition: string, ...given: SqlValue[]): void => {
    conditions.push(condition)
    values.push(...given)
  }
  const { state, now, statuses, labels = [], taskType, assignee, partOf, priorities } = query
  const { words = [], createdSince, dueBefore, resolved } = query
  // The words of the partial indexes, so that SQLite knows them again.
  if (state === 'blocked') demand('t.closed = 0 AND t.blocked = 1')
  if (state === 'ready' || state === 'claimable') {
    demand('t.closed = 0 AND t.blocked = 0')
    if (query.includeDeferred !== true) {
      demand('(t.defer_until IS NULL OR t.defer_until <= ?)', now)
    }
  }
  if (statuses !== undefined)
    demand(`t.status IN (${statuses.map(() => '?').join(', ')})`, ...statuses)
  for (const label of labels) {
    demand('t.id IN (SELECT entity_id FROM tag WHERE tag = ?)', label)
  }
  if (taskType !== undefined) demand('t.task_type = ?', taskType)
  if (assignee !== undefined) demand('t.assignee = ?', assignee)
  if (priorities !== undefined) demand('t.priority BETWEEN ? AND ?', ...priorities)
  if (resolved !== undefined) demand('t.resolved = ?', Number(resolved))
  if (dueBefore !== undefined) demand('t.due < ?', dueBefore)
  if (createdSince !== undefined) demand('e.created_at >= ?', createdSince)
  for (const word of words) {
    const pattern = `%${word.replaceAll(/[\\%_]/g, '\\$&')}%`
    demand(`(e.title LIKE ? ESCAPE '\\' OR e.content LIKE ? ESCAPE '\\')`, pattern, pattern)
  }
  if (partOf !== undefined) {
    demand(
      `t.id IN (WITH RECURSIVE part (id) AS (
          SELECT source_id FROM relation
            WHERE target_id = ? AND type = 'subtask_of' AND deleted_at IS NULL
          UNION
          SELECT r.source_id FROM part JOIN relation AS r ON r.target_id = part.id
            WHERE r.type = 'subtask_of' AND r.deleted_at IS NULL)
        SELECT id FROM part)`,
      partOf,
    )
  }
  return { where: conditions.length === 0 ? 'TRUE' : conditions.join(' AND '), values }
}

function toPage({ after }: QueueQuery): Condition {
  if (after === undefined) return { where: 'TRUE', values: [] }
  return {
    where: `(${POSITION}) > (?, ?, ?)`,
    values: [after.priority, after.due, after.number],
  }
}
