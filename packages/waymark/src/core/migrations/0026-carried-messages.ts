import type { Migration } from '../store/migrations.ts'

export const carriedMessages: Migration = {
  version: 26,
  sqlite: [
    // Messages that travel between the clones of one person, by the clone that has them first and their id there.
    `CREATE TABLE carried_message (
      clone TEXT NOT NULL,
      number INTEGER NOT NULL,
      -- arrived: from another clone; sent: the remote has it; closed: the remote knows that it needs no answer any more.
      state TEXT NOT NULL,
      message_id INTEGER NOT NULL REFERENCES message (id),
      -- As it names itself; only of those that arrived.
      sender TEXT,
      -- The task that it is about, which may arrive later.
      task_id TEXT,
      PRIMARY KEY (clone, number)
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX carried_message_by_id ON carried_message (message_id)`,
  ],
}
