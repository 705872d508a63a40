export const AGENTS = [
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
    left_at INTEGER,
    -- The newest message when the agent joined; broadcasts up to this id are not delivered to it. An id and not a
    -- time, because clocks are set.
    joined_after INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID`,
  `CREATE INDEX agent_by_seen ON agent (seen_at)`,
  `CREATE INDEX agent_by_name ON agent (name) WHERE name IS NOT NULL`,

  `CREATE TABLE message (
    id INTEGER NOT NULL PRIMARY KEY,
    at INTEGER NOT NULL,
    from_agent TEXT NOT NULL,
    -- Null for a broadcast.
    to_agent TEXT,
    task_id TEXT REFERENCES entity (id),
    subject TEXT,
    body TEXT NOT NULL,
    severity TEXT NOT NULL,
    reply_to INTEGER REFERENCES message (id)
  ) STRICT`,
  `CREATE INDEX message_by_recipient ON message (to_agent, id)`,
  `CREATE INDEX message_by_task ON message (task_id, id) WHERE task_id IS NOT NULL`,
  // Ids and times both increase, so this finds the first message since a time.
  `CREATE INDEX message_by_time ON message (at)`,
  `CREATE TABLE message_read (
    agent_id TEXT NOT NULL,
    message_id INTEGER NOT NULL REFERENCES message (id),
    at INTEGER NOT NULL,
    PRIMARY KEY (agent_id, message_id)
  ) STRICT, WITHOUT ROWID`,
  // The message up to which an agent has read everything that was addressed to it.
  `CREATE TABLE message_mark (
    agent_id TEXT NOT NULL PRIMARY KEY,
    up_to INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`,

  // The last event that a viewer's brief reported. Local to this machine, never replicated.
  `CREATE TABLE look (
    viewer TEXT NOT NULL PRIMARY KEY,
    event_id INTEGER NOT NULL,
    at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`,

  // Stored responses of calls with an idempotency key, for retries.
  `CREATE TABLE answer (
    operation TEXT NOT NULL,
    key TEXT NOT NULL,
    request_hash TEXT NOT NULL,
    output TEXT NOT NULL,
    at INTEGER NOT NULL,
    agent_id TEXT,
    -- For a server that restarts under another agent id: a hash of its name and of the key, and the process that
    -- made the call.
    lineage TEXT,
    process TEXT,
    PRIMARY KEY (operation, key)
  ) STRICT, WITHOUT ROWID`,
  `CREATE INDEX answer_by_time ON answer (at)`,
  `CREATE INDEX answer_by_lineage ON answer (operation, lineage) WHERE lineage IS NOT NULL`,
]
