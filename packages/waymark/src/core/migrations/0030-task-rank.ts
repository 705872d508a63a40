import type { Migration } from '../store/migrations.ts'

/** A place that a person gave a task within its priority, before its due date counts. */
export const taskRank: Migration = {
  version: 30,
  sqlite: [
    'ALTER TABLE task ADD COLUMN rank INTEGER NOT NULL DEFAULT 0',
    'DROP INDEX task_by_urgency',
    'CREATE INDEX task_by_urgency ON task (priority, rank, due, number)',
    'DROP INDEX task_ready',
    `CREATE INDEX task_ready ON task (priority, rank, due, number, defer_until)
      WHERE closed = 0 AND blocked = 0`,
    'DROP INDEX task_ready_by_status',
    `CREATE INDEX task_ready_by_status ON task (status, priority, rank, due, number, defer_until)
      WHERE closed = 0 AND blocked = 0`,
    'DROP INDEX task_blocked',
    `CREATE INDEX task_blocked ON task (priority, rank, due, number)
      WHERE closed = 0 AND blocked IN (1, 2)`,
    'DROP INDEX task_unresolved',
    'CREATE INDEX task_unresolved ON task (priority, rank, due, number) WHERE resolved = 0',
    'DROP INDEX task_unverified',
    `CREATE INDEX task_unverified ON task (priority, rank, due, number)
      WHERE closed = 1 AND resolved = 0`,
    'DROP INDEX task_by_status',
    'CREATE INDEX task_by_status ON task (status, priority, rank, due, number)',
    // Its key is its order, so it is made anew.
    `CREATE TABLE ranked_facet (
      facet TEXT NOT NULL,
      value TEXT NOT NULL,
      priority INTEGER NOT NULL,
      rank INTEGER NOT NULL,
      due TEXT NOT NULL,
      number INTEGER NOT NULL,
      id TEXT NOT NULL,
      defer_until INTEGER,
      closed INTEGER NOT NULL,
      resolved INTEGER NOT NULL,
      blocked INTEGER NOT NULL,
      PRIMARY KEY (facet, value, priority, rank, due, number, id)
    ) STRICT, WITHOUT ROWID`,
    `INSERT INTO ranked_facet
      SELECT facet, value, priority, 0, due, number, id, defer_until, closed, resolved, blocked
        FROM task_facet`,
    'DROP TABLE task_facet',
    'ALTER TABLE ranked_facet RENAME TO task_facet',
    'CREATE INDEX task_facet_by_task ON task_facet (id, facet, value)',
    `CREATE INDEX task_facet_ready ON task_facet (facet, value, priority, rank, due, number, defer_until)
      WHERE closed = 0 AND blocked = 0`,
    `CREATE INDEX task_facet_blocked ON task_facet (facet, value, priority, rank, due, number)
      WHERE closed = 0 AND blocked IN (1, 2)`,
  ],
}
