export const TASKS = [
  // The columns that the queue sorts and filters by, for every live task. Derived from entity and relation in the
  // transaction that changes them, so that the queue does not read every task.
  `CREATE TABLE task (
    id TEXT NOT NULL PRIMARY KEY REFERENCES entity (id),
    number INTEGER NOT NULL,
    key TEXT,
    external_ref TEXT,
    status TEXT NOT NULL,
    task_type TEXT,
    assignee TEXT,
    priority INTEGER NOT NULL,
    -- 9999-99-99 without a due date: tasks with a date come first.
    due TEXT NOT NULL,
    defer_until INTEGER,
    -- Done or cancelled.
    closed INTEGER NOT NULL,
    -- Blocks no other task any more.
    resolved INTEGER NOT NULL,
    -- An unresolved task blocks it or one of its ancestors.
    blocked INTEGER NOT NULL
  ) STRICT`,
  `CREATE INDEX task_by_urgency ON task (priority, due, number)`,
  // With defer_until, so that ready tasks are counted from the index alone.
  `CREATE INDEX task_ready ON task (priority, due, number, defer_until)
    WHERE closed = 0 AND blocked = 0`,
  `CREATE INDEX task_ready_by_status ON task (status, priority, due, number, defer_until)
    WHERE closed = 0 AND blocked = 0`,
  // Few tasks are deferred: with an index of their own, the others are not read one by one.
  `CREATE INDEX task_deferred ON task (defer_until)
    WHERE closed = 0 AND blocked = 0 AND defer_until IS NOT NULL`,
  `CREATE INDEX task_blocked ON task (priority, due, number) WHERE closed = 0 AND blocked = 1`,
  `CREATE INDEX task_unresolved ON task (priority, due, number) WHERE resolved = 0`,
  // Done, and to be verified.
  `CREATE INDEX task_unverified ON task (priority, due, number) WHERE closed = 1 AND resolved = 0`,
  `CREATE INDEX task_by_status ON task (status, priority, due, number)`,
  `CREATE INDEX task_by_due ON task (due) WHERE due < '9999-99-99'`,
  `CREATE INDEX task_by_key ON task (key) WHERE key IS NOT NULL`,
  `CREATE INDEX task_by_external_ref ON task (external_ref) WHERE external_ref IS NOT NULL`,

  // A row for each label of a task, its assignee and its type, in the order of the queue: a page of a large queue is
  // read from where it begins, and counted from the index. Derived from task and tag, with the column names of task, so
  // that the same query runs on either table.
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

  // One row for each task that was ever claimed. It outlives the lease: a fence is never given twice.
  `CREATE TABLE lease (
    task_id TEXT NOT NULL PRIMARY KEY REFERENCES entity (id),
    fence INTEGER NOT NULL,
    agent_id TEXT,
    granted_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    -- The claim put the task in progress, so its end without a result puts it back.
    started INTEGER NOT NULL,
    -- Consecutive leases that expired without a sign of life from their holder.
    lost INTEGER NOT NULL,
    parked_at INTEGER,
    -- The last release of the task and its reason, shown to the next holder.
    released_at INTEGER,
    released_by TEXT,
    release_reason TEXT,
    -- How often the task was begun since it was last closed or reopened.
    attempts INTEGER NOT NULL DEFAULT 0,
    -- How and by which agent the lease was taken from its holder, which is told on its next call.
    ended_how TEXT,
    ended_by TEXT
  ) STRICT, WITHOUT ROWID`,
  `CREATE INDEX lease_by_expiry ON lease (expires_at) WHERE agent_id IS NOT NULL`,
  `CREATE INDEX lease_by_agent ON lease (agent_id) WHERE agent_id IS NOT NULL`,
  `CREATE INDEX lease_parked ON lease (parked_at) WHERE parked_at IS NOT NULL`,
]
