import { parseMoment } from '../domain/moment.ts'
import type { TaskProperties } from '../domain/task-fields.ts'
import { isClosed, isResolved } from '../domain/task.ts'
import type { Entities, EntityRow } from './entities.ts'
import type { RelationKey, Relations } from './relations.ts'
import type { Sql } from './sql.ts'

/** Sorts after every date. */
export const NO_DUE_DATE = '9999-99-99'

/**
 * The same entities and relations, with the `task` table kept true beside them. Whoever changes a task or an edge
 * between tasks, by whatever operation, goes through here.
 */
export function withTaskIndex<T extends { entities: Entities; relations: Relations }>(
  sql: Sql,
  { entities, relations }: T,
): { entities: Entities; relations: Relations } {
  const reconsider = async ({ sourceId, type, targetId }: RelationKey): Promise<void> => {
    if (type === 'blocks') await refreshBlocked(sql, targetId)
    if (type === 'subtask_of') await refreshBlocked(sql, sourceId)
  }
  return {
    entities: {
      ...entities,
      async insert(entity) {
        const row = await entities.insert(entity)
        if (row.type === 'task') await put(sql, row)
        return row
      },
      async update(id, changes, stamp) {
        const row = await entities.update(id, changes, stamp)
        if (row?.type === 'task' && (await put(sql, row))) await refreshDependants(sql, id)
        return row
      },
      async remove(id, stamp) {
        const removed = await entities.remove(id, stamp)
        if (removed && (await sql.run('DELETE FROM task WHERE id = ?', [id])) > 0) {
          // The row stays: should the task come back, its fences must go on from here.
          await sql.run('UPDATE lease SET agent_id = NULL WHERE task_id = ?', [id])
          await refreshDependants(sql, id)
        }
        return removed
      },
    },
    relations: {
      ...relations,
      async insert(relation) {
        const inserted = await relations.insert(relation)
        if (inserted) await reconsider(relation)
        return inserted
      },
      async remove(key, stamp) {
        const removed = await relations.remove(key, stamp)
        if (removed) await reconsider(key)
        return removed
      },
      async removeAllOf(entityId, stamp) {
        const removed = await relations.removeAllOf(entityId, stamp)
        for (const relation of removed) await reconsider(relation)
        return removed
      },
    },
  }
}

/** Writes the row of a task. Answers whether it now weighs differently on other tasks, as one does that came back. */
async function put(sql: Sql, row: EntityRow): Promise<boolean> {
  const task = row.properties as TaskProperties
  const before = await sql.get<{ closed: number; resolved: number }>(
    'SELECT closed, resolved FROM task WHERE id = ?',
    [row.id],
  )
  const closed = Number(isClosed(task))
  const resolved = Number(isResolved(task))
  await sql.run(
    `INSERT INTO task (id, number, key, external_ref, status, task_type, assignee, priority, due,
        defer_until, closed, resolved, blocked)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)
      ON CONFLICT (id) DO UPDATE SET number = excluded.number, key = excluded.key,
        external_ref = excluded.external_ref, status = excluded.status,
        task_type = excluded.task_type, assignee = excluded.assignee,
        priority = excluded.priority, due = excluded.due, defer_until = excluded.defer_until,
        closed = excluded.closed, resolved = excluded.resolved`,
    [
      row.id,
      row.number,
      task.key ?? null,
      task.external_ref ?? null,
      task.status,
      task.task_type ?? null,
      task.assignee ?? null,
      task.priority,
      task.due_date ?? NO_DUE_DATE,
      task.defer_until === undefined ? null : (parseMoment(task.defer_until) ?? null),
      closed,
      resolved,
    ],
  )
  return before?.closed !== closed || before.resolved !== resolved
}

/** Looks again at what this task may hold up: the tasks it blocks, its parts, and theirs. */
async function refreshDependants(sql: Sql, id: string): Promise<void> {
  const targets = await sql.all<{ id: string }>(
    `SELECT target_id AS id FROM relation
      WHERE source_id = ? AND type = 'blocks' AND deleted_at IS NULL`,
    [id],
  )
  for (const target of [{ id }, ...targets]) await refreshBlocked(sql, target.id)
}

/**
 * Decides anew whether a task and all its parts are blocked: by an unresolved task that blocks it, or that blocks
 * one it is a part of, as long as that one is open. Follows from the definition each time, never from the last
 * answer, so that no order of changes and no circle that a merge has made can leave a wrong one behind.
 */
async function refreshBlocked(sql: Sql, id: string): Promise<void> {
  await sql.run(
    `WITH RECURSIVE part (id) AS (
        SELECT ?
        UNION
        SELECT r.source_id FROM part JOIN relation AS r ON r.target_id = part.id
          WHERE r.type = 'subtask_of' AND r.deleted_at IS NULL)
      UPDATE task SET blocked = EXISTS (
        WITH RECURSIVE whole (id) AS (
          SELECT task.id
          UNION
          SELECT p.id FROM whole
            JOIN relation AS r ON r.source_id = whole.id AND r.type = 'subtask_of'
              AND r.deleted_at IS NULL
            JOIN task AS p ON p.id = r.target_id AND p.closed = 0)
        SELECT 1 FROM whole
          JOIN relation AS r ON r.target_id = whole.id AND r.type = 'blocks'
            AND r.deleted_at IS NULL
          JOIN task AS b ON b.id = r.source_id AND b.resolved = 0)
      WHERE id IN (SELECT id FROM part)`,
    [id],
  )
}
