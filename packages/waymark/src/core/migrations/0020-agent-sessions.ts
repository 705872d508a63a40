import type { Migration } from '../store/migrations.ts'

export const agentSessions: Migration = {
  version: 20,
  sqlite: [
    // The session that acts as an agent, or did last. The next session of the same host, owner and worktree continues
    // as that agent after this one has ended.
    `CREATE TABLE agent_session (
      agent_id TEXT NOT NULL PRIMARY KEY,
      session TEXT NOT NULL,
      -- As the client calls itself; the name of the agent may have a number appended.
      host TEXT NOT NULL,
      name TEXT NOT NULL,
      owner TEXT NOT NULL,
      worktree TEXT NOT NULL,
      -- Null where the end of the process is not the end of the session, as over HTTP.
      process TEXT,
      -- 1 if the session gives a sign of life in short intervals.
      beats INTEGER NOT NULL,
      seen_at INTEGER NOT NULL,
      ended_at INTEGER
    ) STRICT, WITHOUT ROWID`,
    `CREATE UNIQUE INDEX agent_session_by_session ON agent_session (session)`,
    `CREATE INDEX agent_session_by_host ON agent_session (host, worktree)`,
    // How often the lease has passed to a successor since it was granted; each time the fence has grown by one.
    `ALTER TABLE lease ADD COLUMN inherited INTEGER NOT NULL DEFAULT 0`,
  ],
}
