import type { Migration } from '../store/migrations.ts'

export const jobs: Migration = {
  version: 28,
  sqlite: [
    // Long work that a person has started. Local to this machine, never replicated.
    `CREATE TABLE job (
      id INTEGER NOT NULL PRIMARY KEY,
      kind TEXT NOT NULL,
      state TEXT NOT NULL,
      started_by TEXT,
      -- The process that runs it, as process-identity.ts names it.
      process TEXT NOT NULL,
      started_at INTEGER NOT NULL,
      -- Null while it runs.
      ended_at INTEGER,
      done INTEGER NOT NULL DEFAULT 0,
      total INTEGER NOT NULL DEFAULT 0,
      message TEXT,
      is_cancelled INTEGER NOT NULL DEFAULT 0,
      -- The output of the operation as JSON, or of a failure its message.
      result TEXT
    ) STRICT`,
    `CREATE INDEX job_running ON job (id) WHERE ended_at IS NULL`,
  ],
}
