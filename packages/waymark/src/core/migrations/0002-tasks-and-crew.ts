export const tasksAndCrew = {
  version: 2,
  sqlite: [
    // What the queue sorts and filters by, of every live task. All of it follows from entity and relation and is
    // brought up to date in the transaction that changes them, so that finding work does not read every task.
    `CREATE TABLE task (
      id TEXT NOT NULL PRIMARY KEY REFERENCES entity (id),
      number INTEGER NOT NULL,
      key TEXT,
      external_ref TEXT,
      status TEXT NOT NULL,
      task_type TEXT,
      assignee TEXT,
      priority INTEGER NOT NULL,
      -- A day after all days when there is none: tasks with a date come first.
      due TEXT NOT NULL,
      defer_until INTEGER,
      -- Done or cancelled.
      closed INTEGER NOT NULL,
      -- Holds up nobody any more.
      resolved INTEGER NOT NULL,
      -- An unresolved task blocks it, or one that it is a part of.
      blocked INTEGER NOT NULL
    ) STRICT`,
    `INSERT INTO task
      SELECT id, number, properties ->> 'key', properties ->> 'external_ref', status,
        properties ->> 'task_type', properties ->> 'assignee', properties ->> 'priority',
        coalesce(properties ->> 'due_date', '9999-99-99'), NULL,
        status IN ('done', 'cancelled'), status IN ('done', 'cancelled'), 0
      FROM entity WHERE type = 'task' AND deleted_at IS NULL`,
    `UPDATE task SET blocked = EXISTS (
      SELECT 1 FROM relation AS r JOIN task AS b ON b.id = r.source_id
        WHERE r.target_id = task.id AND r.type = 'blocks' AND r.deleted_at IS NULL
          AND b.resolved = 0)`,
    `CREATE INDEX task_by_urgency ON task (priority, due, number)`,
    // With the time, so that the ready ones can be counted without looking at each.
    `CREATE INDEX task_ready ON task (priority, due, number, defer_until)
      WHERE closed = 0 AND blocked = 0`,
    `CREATE INDEX task_blocked ON task (priority, due, number) WHERE closed = 0 AND blocked = 1`,
    `CREATE INDEX task_by_status ON task (status, priority, due, number)`,
    `CREATE INDEX task_by_key ON task (key) WHERE key IS NOT NULL`,
    `CREATE INDEX task_by_external_ref ON task (external_ref) WHERE external_ref IS NOT NULL`,

    // One row for each task that was ever claimed. It outlives the lease: the fence must never be given twice.
    `CREATE TABLE lease (
      task_id TEXT NOT NULL PRIMARY KEY REFERENCES entity (id),
      fence INTEGER NOT NULL,
      agent_id TEXT,
      granted_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      -- The claim put the task in progress, so its end without a result puts it back.
      started INTEGER NOT NULL,
      -- How many leases in a row ran out without a word from their holder.
      lost INTEGER NOT NULL,
      parked_at INTEGER
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX lease_by_expiry ON lease (expires_at) WHERE agent_id IS NOT NULL`,
    `CREATE INDEX lease_by_agent ON lease (agent_id) WHERE agent_id IS NOT NULL`,
    `CREATE INDEX lease_parked ON lease (parked_at) WHERE parked_at IS NOT NULL`,

    `CREATE TABLE agent (
      id TEXT NOT NULL PRIMARY KEY,
      name TEXT,
      role TEXT,
      client TEXT,
      model TEXT,
      capabilities TEXT NOT NULL,
      lease_seconds INTEGER NOT NULL,
      joined_at INTEGER NOT NULL,
      seen_at INTEGER NOT NULL,
      left_at INTEGER
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX agent_by_seen ON agent (seen_at)`,
    `CREATE INDEX agent_by_name ON agent (name) WHERE name IS NOT NULL`,

    `CREATE TABLE message (
      id INTEGER NOT NULL PRIMARY KEY,
      at INTEGER NOT NULL,
      from_agent TEXT NOT NULL,
      -- Everybody when there is none.
      to_agent TEXT,
      task_id TEXT REFERENCES entity (id),
      subject TEXT,
      body TEXT NOT NULL,
      severity TEXT NOT NULL,
      reply_to INTEGER REFERENCES message (id)
    ) STRICT`,
    `CREATE INDEX message_by_recipient ON message (to_agent, id)`,
    `CREATE INDEX message_by_task ON message (task_id, id) WHERE task_id IS NOT NULL`,
    `CREATE TABLE message_read (
      agent_id TEXT NOT NULL,
      message_id INTEGER NOT NULL REFERENCES message (id),
      at INTEGER NOT NULL,
      PRIMARY KEY (agent_id, message_id)
    ) STRICT, WITHOUT ROWID`,

    // Stored responses of calls with an idempotency key, for retries.
    `CREATE TABLE answer (
      operation TEXT NOT NULL,
      key TEXT NOT NULL,
      request_hash TEXT NOT NULL,
      output TEXT NOT NULL,
      at INTEGER NOT NULL,
      PRIMARY KEY (operation, key)
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX answer_by_time ON answer (at)`,

    `CREATE INDEX event_by_subject ON event (subject, id)`,
    `INSERT INTO counter (name, value) VALUES ('message', 0), ('event_horizon', 0)`,
  ],
}
