export const largeProjects = {
  version: 11,
  sqlite: [
    // A row for each label of a task, its assignee and its kind, in the order of the queue: a page of a large queue is
    // read from where it begins, and counted without looking at any task. Follows from task and tag, and has the names
    // of the columns of task, so that a question to the queue can be put to either.
    `CREATE TABLE task_facet (
      facet TEXT NOT NULL,
      value TEXT NOT NULL,
      priority INTEGER NOT NULL,
      due TEXT NOT NULL,
      number INTEGER NOT NULL,
      id TEXT NOT NULL,
      defer_until INTEGER,
      closed INTEGER NOT NULL,
      resolved INTEGER NOT NULL,
      blocked INTEGER NOT NULL,
      PRIMARY KEY (facet, value, priority, due, number, id)
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX task_facet_by_task ON task_facet (id, facet, value)`,
    `CREATE INDEX task_facet_ready ON task_facet (facet, value, priority, due, number, defer_until)
      WHERE closed = 0 AND blocked = 0`,
    `CREATE INDEX task_facet_blocked ON task_facet (facet, value, priority, due, number)
      WHERE closed = 0 AND blocked = 1`,
    `INSERT INTO task_facet
      SELECT f.facet, f.value, t.priority, t.due, t.number, t.id, t.defer_until, t.closed,
        t.resolved, t.blocked
      FROM task AS t JOIN (
        SELECT entity_id AS id, 'label' AS facet, tag AS value FROM tag
        UNION ALL SELECT id, 'assignee', assignee FROM task WHERE assignee IS NOT NULL
        UNION ALL SELECT id, 'task_type', task_type FROM task WHERE task_type IS NOT NULL
      ) AS f ON f.id = t.id`,

    `CREATE INDEX task_ready_by_status ON task (status, priority, due, number, defer_until)
      WHERE closed = 0 AND blocked = 0`,
    `CREATE INDEX task_unresolved ON task (priority, due, number) WHERE resolved = 0`,
    // Done, and to be verified.
    `CREATE INDEX task_unverified ON task (priority, due, number) WHERE closed = 1 AND resolved = 0`,
    `CREATE INDEX task_by_due ON task (due) WHERE due < '9999-99-99'`,
    `CREATE INDEX entity_by_creation ON entity (created_at)`,

    // The last release of the task and its reason, shown to the next holder.
    `ALTER TABLE lease ADD COLUMN released_at INTEGER`,
    `ALTER TABLE lease ADD COLUMN released_by TEXT`,
    `ALTER TABLE lease ADD COLUMN release_reason TEXT`,

    // Ids and times both increase, so this finds the first message since a time.
    `CREATE INDEX message_by_time ON message (at)`,
    // Up to which message an agent has read everything that was for it.
    `CREATE TABLE message_mark (
      agent_id TEXT NOT NULL PRIMARY KEY,
      up_to INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
  ],
}
