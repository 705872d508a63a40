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

/** Enough of a task to name it. */
export interface TaskReference {
  readonly id: string
  readonly number: number
  readonly key: string | null
}

/** Which tasks, of those that match the filter. */
export type QueueState =
  /** Everything still open is closed, cancelled or waited for; nothing stands in the way of these. */
  | 'ready'
  /** Ready, held by nobody and not set aside. */
  | 'claimable'
  | 'blocked'
  | 'any'

export interface QueueQuery extends TaskFilter {
  readonly state: QueueState
  /** Milliseconds since 1970, to judge what is deferred and which leases have run out. */
  readonly now: number
  readonly includeDeferred?: boolean
  readonly after?: QueuePosition | undefined
  readonly limit: number
  readonly offset?: number
}

export interface TaskPage {
  readonly tasks: EntityRow[]
  readonly total: number
}

export interface TaskReader {
  /** One page in the order of the queue. */
  queue(query: QueueQuery): Promise<TaskPage>
  byKey(key: string): Promise<EntityRow[]>
  byExternalRef(reference: string): Promise<EntityRow | undefined>
  /** Whether an unresolved task stands in its way, or in the way of one that it is a part of. */
  isBlocked(id: string): Promise<boolean>
  /** The unresolved tasks that block this one directly. */
  blockersOf(id: string): Promise<EntityRow[]>
  /** The tasks that block each of these, resolved or not, by the task that depends on them. */
  dependenciesOf(ids: readonly string[]): Promise<ReadonlyMap<string, TaskReference[]>>
  /** The live tasks at the other end of edges of this type. */
  related(id: string, type: string, direction: 'from' | 'to'): Promise<EntityRow[]>
  /** The open tasks that nothing blocks any more now that this one is resolved, parts of such tasks included. */
  freedBy(id: string): Promise<EntityRow[]>
  counts(): Promise<ReadonlyMap<string, number>>
  /** Done, but still in the way of others until somebody verifies them. */
  countUnverified(): Promise<number>
}

const POSITION = 't.priority, t.due, t.number'
const COLUMNS = ENTITY_COLUMNS.replaceAll(/\w+/g, 'e.$&')

export function createTaskReader(sql: SqlReader): TaskReader {
  const all = async (statement: string, values: readonly SqlValue[]): Promise<EntityRow[]> =>
    (await sql.all<EntityRecord>(statement, values)).map(toEntity)

  return {
    async queue(query) {
      const { where, values } = toCondition(query)
      const page = toPage(query)
      const joined = 'task AS t JOIN entity AS e ON e.id = t.id'
      const tasks = await all(
        `SELECT ${COLUMNS} FROM ${joined}
          WHERE ${where} ${page.where} ORDER BY ${POSITION} LIMIT ? OFFSET ?`,
        [...values, ...page.values, query.limit, query.offset ?? 0],
      )
      const count = await sql.get<{ total: number }>(
        `SELECT count(*) AS total FROM ${where.includes('e.') ? joined : 'task AS t'} WHERE ${where}`,
        values,
      )
      return { tasks, total: count?.total ?? 0 }
    },

    byKey: (key) =>
      all(
        `SELECT ${COLUMNS} FROM task AS t JOIN entity AS e ON e.id = t.id
          WHERE t.key = ? ORDER BY t.number`,
        [key],
      ),

    async byExternalRef(reference) {
      const [found] = await all(
        `SELECT ${COLUMNS} FROM task AS t JOIN entity AS e ON e.id = t.id
          WHERE t.external_ref = ? ORDER BY t.number LIMIT 1`,
        [reference],
      )
      return found
    },

    async isBlocked(id) {
      const row = await sql.get<{ blocked: number }>('SELECT blocked FROM task WHERE id = ?', [id])
      return row?.blocked === 1
    },

    blockersOf: (id) =>
      all(
        `SELECT ${COLUMNS} FROM relation AS r
          JOIN task AS t ON t.id = r.source_id AND t.resolved = 0
          JOIN entity AS e ON e.id = t.id
          WHERE r.target_id = ? AND r.type = 'blocks' AND r.deleted_at IS NULL
          ORDER BY ${POSITION}`,
        [id],
      ),

    async dependenciesOf(ids) {
      const rows = await sql.all<TaskReference & { dependant: string }>(
        `SELECT r.target_id AS dependant, t.id, t.number, t.key FROM relation AS r
          JOIN task AS t ON t.id = r.source_id
          WHERE r.target_id IN (${placeholders(ids)}) AND r.type = 'blocks'
            AND r.deleted_at IS NULL
          ORDER BY t.number`,
        ids,
      )
      const found = new Map<string, TaskReference[]>()
      for (const { dependant, ...task } of rows) {
        found.set(dependant, [...(found.get(dependant) ?? []), task])
      }
      return found
    },

    related(id, type, direction) {
      const [here, there] =
        direction === 'from' ? ['source_id', 'target_id'] : ['target_id', 'source_id']
      return all(
        `SELECT ${COLUMNS} FROM relation AS r JOIN task AS t ON t.id = r.${there}
          JOIN entity AS e ON e.id = t.id
          WHERE r.${here} = ? AND r.type = ? AND r.deleted_at IS NULL ORDER BY ${POSITION}`,
        [id, type],
      )
    },

    freedBy: (id) =>
      all(
        `WITH RECURSIVE dependant (id) AS (
            SELECT target_id FROM relation
              WHERE source_id = ? AND type = 'blocks' AND deleted_at IS NULL
            UNION
            SELECT r.source_id FROM dependant AS d
              JOIN task AS p ON p.id = d.id AND p.closed = 0
              JOIN relation AS r ON r.target_id = d.id
                AND r.type = 'subtask_of' AND r.deleted_at IS NULL)
          SELECT ${COLUMNS} FROM dependant AS d
            JOIN task AS t ON t.id = d.id AND t.closed = 0 AND t.blocked = 0
            JOIN entity AS e ON e.id = t.id
            ORDER BY ${POSITION}`,
        [id],
      ),

    async counts() {
      const rows = await sql.all<{ status: string; count: number }>(
        'SELECT status, count(*) AS count FROM task GROUP BY status ORDER BY status',
      )
      return new Map(rows.map(({ status, count }) => [status, count]))
    },

    async countUnverified() {
      const row = await sql.get<{ count: number }>(
        "SELECT count(*) AS count FROM task WHERE status = 'done' AND resolved = 0",
      )
      return row?.count ?? 0
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

interface Condition {
  readonly where: string
  readonly values: readonly SqlValue[]
}

function toCondition(query: QueueQuery): Condition {
  const conditions: string[] = []
  const values: SqlValue[] = []
  const demand = (condition: string, ...given: SqlValue[]): void => {
    conditions.push(condition)
    values.push(...given)
  }
  const { state, now, statuses, labels = [], taskType, assignee, partOf, priorities } = query
  const { words = [], createdSince, dueBefore } = query
  // The words of the partial indexes, so that SQLite knows them again.
  if (state === 'blocked') demand('t.closed = 0 AND t.blocked = 1')
  if (state === 'ready' || state === 'claimable') {
    demand('t.closed = 0 AND t.blocked = 0')
    if (query.includeDeferred !== true) {
      demand('(t.defer_until IS NULL OR t.defer_until <= ?)', now)
    }
  }
  if (state === 'claimable') {
    demand(
      `NOT EXISTS (SELECT 1 FROM lease AS l WHERE l.task_id = t.id
        AND (l.parked_at IS NOT NULL OR (l.agent_id IS NOT NULL AND l.expires_at > ?)))`,
      now,
    )
  }
  if (statuses !== undefined) demand(`t.status IN (${placeholders(statuses)})`, ...statuses)
  for (const label of labels) {
    demand('EXISTS (SELECT 1 FROM tag WHERE tag = ? AND entity_id = t.id)', label)
  }
  if (taskType !== undefined) demand('t.task_type = ?', taskType)
  if (assignee !== undefined) demand('t.assignee = ?', assignee)
  if (priorities !== undefined) demand('t.priority BETWEEN ? AND ?', ...priorities)
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
  if (after === undefined) return { where: '', values: [] }
  return {
    where: `AND (${POSITION}) > (?, ?, ?)`,
    values: [after.priority, after.due, after.number],
  }
}

function placeholders(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ')
}
