import type { Migration } from '../store/migrations.ts'

export const sharedLeases: Migration = {
  version: 25,
  sqlite: [
    // Tasks of this clone that the register at the remote has to know of, until it does.
    `CREATE TABLE shared_lease (
      task_id TEXT NOT NULL PRIMARY KEY,
      -- By which this clone knows the lease at the remote as its own.
      nonce TEXT NOT NULL,
      -- asked, held, provisional, closed, closed_unleased, reopened
      state TEXT NOT NULL,
      -- Who asks for it.
      agent_id TEXT,
      -- Until when the remote grants it.
      expires_at INTEGER NOT NULL,
      at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
    // Leases of other clones, and tasks that they closed, as the register had them when it was last read.
    `CREATE TABLE live_lease (
      task_id TEXT NOT NULL PRIMARY KEY,
      holder TEXT NOT NULL,
      fence INTEGER NOT NULL,
      granted_at INTEGER NOT NULL,
      -- Until when it keeps this clone from the task, whichever of the two clocks is ahead.
      held_until INTEGER NOT NULL,
      closed INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
    // Clones that claim through the register.
    `CREATE TABLE live_clone (
      clone TEXT NOT NULL PRIMARY KEY,
      person TEXT NOT NULL,
      seen_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
    // What is known of the register. One row at most.
    `CREATE TABLE live_state (
      id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
      -- The highest fence that was ever seen in it.
      fence INTEGER NOT NULL,
      read_at INTEGER,
      failed_at INTEGER,
      -- Why the remote refused the ref.
      refusal TEXT
    ) STRICT`,
  ],
}
