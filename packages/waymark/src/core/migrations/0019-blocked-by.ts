import type { Migration } from '../store/migrations.ts'

/**
 * `task.blocked` says why a task is not to be worked on: 0 nothing, 1 an unresolved task blocks it or one of its
 * ancestors, 2 its status is blocked, 3 it has open parts.
 */
export const blockedBy: Migration = {
  version: 19,
  sqlite: [
    `UPDATE task SET blocked = CASE
      WHEN blocked = 1 THEN 1
      WHEN status = 'blocked' THEN 2
      WHEN EXISTS (
        SELECT 1 FROM relation AS r CROSS JOIN task AS p ON p.id = r.source_id AND p.closed = 0
          WHERE r.target_id = task.id AND r.type = 'subtask_of' AND r.deleted_at IS NULL) THEN 3
      ELSE 0 END`,
    `UPDATE task_facet SET blocked = (SELECT t.blocked FROM task AS t WHERE t.id = task_facet.id)
      WHERE id IN (SELECT id FROM task WHERE blocked > 1)`,
    'DROP INDEX task_blocked',
    `CREATE INDEX task_blocked ON task (priority, due, number)
      WHERE closed = 0 AND blocked IN (1, 2)`,
    'DROP INDEX task_facet_blocked',
    `CREATE INDEX task_facet_blocked ON task_facet (facet, value, priority, due, number)
      WHERE closed = 0 AND blocked IN (1, 2)`,
    // The agent that released it with a reason; until then it is offered to others only.
    'ALTER TABLE lease ADD COLUMN withheld_from TEXT',
    'ALTER TABLE lease ADD COLUMN withheld_until INTEGER',
    `CREATE INDEX lease_withheld ON lease (withheld_from, withheld_until)
      WHERE withheld_from IS NOT NULL`,
  ],
}
