import { parseMoment } from '../support/text/moment.ts'
import type { TaskProperties } from './fields.ts'
import { isClosed, isResolved } from './task.ts'
import type { RowChange } from '../core/store/after-change.ts'
import type { EntityRow } from '../entity/store.ts'
import type { RelationKey } from '../relation/store.ts'
import type { Sql, SqlReader, SqlValue } from '../core/store/sql.ts'
import type { EntityId } from '../entity/entity-id.ts'

/** Sorts after every date. */
export const NO_DUE_DATE = '9999-99-99'

/** Maintains the derived tables `task` and `task_facet`. A changed row is that of a task. */
export async function indexTask(sql: Sql, change: RowChange): Promise<void> {
  switch (change.kind) {
    case 'inserted':
      return await insert(sql, change.row, toColumns(change.row))
    case 'updated': {
      const { before, row } = change
      return await update(sql, before, row)
    }
    case 'removed':
      return await remove(sql, change.id)
    case 'purged':
      return
    case 'related':
    case 'unrelated':
      return await reconsider(sql, change.relation)
  }
}

async function update(sql: Sql, before: EntityRow, row: EntityRow): Promise<void> {
  const changed = await put(sql, row, before.tags !== row.tags)
  if (changed.has('closed') || changed.has('resolved')) await refreshDependants(sql, row.id)
  else if (isStatusBlocked(before) !== isStatusBlocked(row)) await refreshOne(sql, row.id)
  if (changed.has('closed')) await refreshWholes(sql, row.id)
}

function isStatusBlocked({ properties }: EntityRow): boolean {
  return properties['status'] === 'blocked'
}

async function remove(sql: Sql, id: EntityId): Promise<void> {
  if ((await sql.run('DELETE FROM task WHERE id = ?', [id])) === 0) return
  await sql.send('DELETE FROM task_facet WHERE id = ?', [id])
  // The row stays: if the task is restored, its fences continue from here, and no earlier one is accepted.
  await sql.send('UPDATE lease SET agent_id = NULL, fence = fence + 1 WHERE task_id = ?', [id])
  await refreshDependants(sql, id)
  await refreshWholes(sql, id)
}

async function reconsider(sql: Sql, { sourceId, type, targetId }: RelationKey): Promise<void> {
  if (type === 'blocks') await refreshWithParts(sql, targetId)
  if (type !== 'subtask_of') return
  await refreshWithParts(sql, sourceId)
  await refreshOne(sql, targetId)
}

async function insert(sql: Sql, { id, tags }: EntityRow, columns: Columns): Promise<void> {
  const values = OWN_COLUMNS.map((name) => columns[name])
  const blocked = columns.status === 'blocked' ? BLOCKED.byStatus : BLOCKED.no
  await sql.send(INSERT, [id, ...values, blocked])
  // A task that was not there has no facets yet.
  const hasFacets = tags.length > 0 || columns.assignee !== null || columns.task_type !== null
  if (hasFacets) await insertFacets(sql, id)
}

type Columns = ReturnType<typeof toColumns>

/** The columns of `task` that its entity alone decides. */
function toColumns(row: EntityRow) {
  const task = row.properties as TaskProperties
  return {
    number: row.number,
    key: task.key ?? null,
    external_ref: task.external_ref ?? null,
    status: task.status,
    task_type: task.task_type ?? null,
    assignee: task.assignee ?? null,
    priority: task.priority,
    rank: task.rank ?? 0,
    due: task.due_date ?? NO_DUE_DATE,
    defer_until: task.defer_until === undefined ? null : (parseMoment(task.defer_until) ?? null),
    closed: Number(isClosed(task)),
    resolved: Number(isResolved(task)),
  } satisfies Record<string, SqlValue>
}

const OWN_COLUMNS = [
  'number',
  'key',
  'external_ref',
  'status',
  'task_type',
  'assignee',
  'priority',
  'rank',
  'due',
  'defer_until',
  'closed',
  'resolved',
] as const satisfies readonly (keyof Columns)[]

const INSERT = `INSERT INTO task (id, ${OWN_COLUMNS.join(', ')}, blocked)
  VALUES (?, ${OWN_COLUMNS.map(() => '?').join(', ')}, ?)`

async function readColumns(
  sql: SqlReader,
  id: EntityId,
): Promise<Record<string, SqlValue> | undefined> {
  return await sql.get(`SELECT ${OWN_COLUMNS.join(', ')} FROM task WHERE id = ?`, [id])
}

/** What the index reads when a task is changed. */
export function readsOfIndex(sql: SqlReader, id: EntityId): Promise<unknown>[] {
  return [readColumns(sql, id), readDependants(sql, id)]
}

/** Writes the row of a task. Returns the changed columns: all of them for a restored task. */
async function put(sql: Sql, row: EntityRow, tagsChanged: boolean): Promise<ReadonlySet<string>> {
  const columns = toColumns(row)
  const names = Object.keys(columns) as (keyof Columns)[]
  const before = await readColumns(sql, row.id)
  if (before === undefined) {
    await insert(sql, row, columns)
    return new Set(names)
  }
  // Write only changed columns: each written column updates its indexes.
  const changed = names.filter((name) => before[name] !== columns[name])
  if (changed.length > 0) {
    const values = changed.map((name) => columns[name] ?? null)
    const assignments = changed.map((name) => `${name} = ?`).join(', ')
    await sql.send(`UPDATE task SET ${assignments} WHERE id = ?`, [...values, row.id])
  }
  if (tagsChanged || changed.some((name) => OF_FACETS.has(name))) await putFacets(sql, row.id)
  return new Set(changed)
}

/** The columns that the rows of `task_facet` are made of. */
const OF_FACETS: ReadonlySet<string> = new Set([
  'number',
  'task_type',
  'assignee',
  'priority',
  'rank',
  'due',
  'defer_until',
  'closed',
  'resolved',
])

const QUEUE_COLUMNS = `t.priority, t.rank, t.due, t.number, t.id, t.defer_until, t.closed, t.resolved,
  t.blocked`

/** The rows of `task_facet`, derived from `task` and `tag`. */
export const FACETS = `
  SELECT 'label' AS facet, g.tag AS value, ${QUEUE_COLUMNS}
    FROM task AS t JOIN tag AS g ON g.entity_id = t.id
  UNION ALL SELECT 'assignee', t.assignee, ${QUEUE_COLUMNS}
    FROM task AS t WHERE t.assignee IS NOT NULL
  UNION ALL SELECT 'task_type', t.task_type, ${QUEUE_COLUMNS}
    FROM task AS t WHERE t.task_type IS NOT NULL`

export const FACET_COLUMNS = `facet, value, ${QUEUE_COLUMNS.replaceAll('t.', '')}`

async function putFacets(sql: Sql, id: EntityId): Promise<void> {
  await sql.send('DELETE FROM task_facet WHERE id = ?', [id])
  await insertFacets(sql, id)
}

async function insertFacets(sql: Sql, id: EntityId): Promise<void> {
  await sql.send(
    `INSERT INTO task_facet (${FACET_COLUMNS})
      SELECT ${FACET_COLUMNS} FROM (${FACETS}) AS f WHERE f.id = ?`,
    [id],
  )
}

/** What the column `blocked` says: why a task is not to be worked on now. Where several hold, the first. */
export const BLOCKED = {
  no: 0,
  /** An unresolved task blocks it, or a task that it is a part of. */
  byTask: 1,
  /** Its own status is `blocked`. */
  byStatus: 2,
  /** It has open parts, and those are the work. */
  byParts: 3,
} as const
export type Blocked = (typeof BLOCKED)[keyof typeof BLOCKED]

/** The table `whole`: a task and every open task that it is a part of, at any height. */
export const wholeOf = (id: string) => `whole (id) AS (
          SELECT ${id}
          UNION
          SELECT p.id FROM whole
            CROSS JOIN relation AS r ON r.source_id = whole.id AND r.type = 'subtask_of'
              AND r.deleted_at IS NULL
            CROSS JOIN task AS p ON p.id = r.target_id AND p.closed = 0)`

/**
 * The value of `blocked`, computed from status and edges, never incrementally, so that neither the order of changes nor
 * a cycle created by a merge leaves a wrong value. CROSS JOIN fixes the join order: SQLite would otherwise build an
 * index of all tasks for each edge.
 */
export const BLOCKED_BY = `CASE
      WHEN EXISTS (
        WITH RECURSIVE ${wholeOf('task.id')}
        SELECT 1 FROM whole
          CROSS JOIN relation AS r ON r.target_id = whole.id AND r.type = 'blocks'
            AND r.deleted_at IS NULL
          CROSS JOIN task AS b ON b.id = r.source_id AND b.resolved = 0)
        THEN ${BLOCKED.byTask}
      WHEN task.status = 'blocked' THEN ${BLOCKED.byStatus}
      WHEN EXISTS (
        SELECT 1 FROM relation AS r
          CROSS JOIN task AS p ON p.id = r.source_id AND p.closed = 0
          WHERE r.target_id = task.id AND r.type = 'subtask_of' AND r.deleted_at IS NULL)
        THEN ${BLOCKED.byParts}
      ELSE ${BLOCKED.no} END`

const PARTS = `WITH RECURSIVE part (id) AS (
        SELECT ?
        UNION
        SELECT r.source_id FROM part JOIN relation AS r ON r.target_id = part.id
          WHERE r.type = 'subtask_of' AND r.deleted_at IS NULL)
      SELECT id FROM part`

/** Recomputes the tasks that this one may block: itself, those it blocks, their parts, and so on. */
async function refreshDependants(sql: Sql, id: EntityId): Promise<void> {
  const targets = await readDependants(sql, id)
  for (const target of [{ id }, ...targets]) await refreshWithParts(sql, target.id)
}

function readDependants(sql: SqlReader, id: EntityId): Promise<{ id: EntityId }[]> {
  return sql.all(
    `SELECT target_id AS id FROM relation
      WHERE source_id = ? AND type = 'blocks' AND deleted_at IS NULL`,
    [id],
  )
}

/** Blockers are inherited: a task and all its parts are recomputed together. */
async function refreshWithParts(sql: Sql, id: EntityId): Promise<void> {
  await refresh(sql, PARTS, id)
}

async function refreshOne(sql: Sql, id: EntityId): Promise<void> {
  await refresh(sql, 'SELECT ?', id)
}

/** Recomputes the tasks that this one is a part of. */
async function refreshWholes(sql: Sql, id: EntityId): Promise<void> {
  const wholes = `SELECT target_id FROM relation
    WHERE source_id = ? AND type = 'subtask_of' AND deleted_at IS NULL`
  await refresh(sql, wholes, id)
}

async function refresh(sql: Sql, ids: string, id: EntityId): Promise<void> {
  const statement = `UPDATE task SET blocked = ${BLOCKED_BY}
      WHERE id IN (${ids}) AND blocked <> ${BLOCKED_BY}
      RETURNING id, blocked`
  if (sql.remembers === true) {
    // In one statement, which only a server can: then nothing has to be waited for.
    return await sql.send(
      `WITH changed AS (${statement})
        UPDATE task_facet SET blocked = changed.blocked FROM changed WHERE task_facet.id = changed.id`,
      [id],
    )
  }
  const changed = await sql.all<{ id: EntityId; blocked: number }>(statement, [id])
  for (const task of changed) {
    await sql.send('UPDATE task_facet SET blocked = ? WHERE id = ?', [task.blocked, task.id])
  }
}
