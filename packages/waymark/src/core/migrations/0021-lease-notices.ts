import type { Migration } from '../store/migrations.ts'

export const leaseNotices: Migration = {
  version: 21,
  sqlite: [
    // Why the lease was taken from its holder.
    `ALTER TABLE lease ADD COLUMN ended_reason TEXT`,
    // Leases that were taken from their holders, until the holders have been told.
    `CREATE TABLE lease_notice (
      agent_id TEXT NOT NULL,
      task_id TEXT NOT NULL REFERENCES entity (id),
      fence INTEGER NOT NULL,
      number INTEGER NOT NULL,
      at INTEGER NOT NULL,
      how TEXT NOT NULL,
      ended_by TEXT,
      reason TEXT,
      PRIMARY KEY (agent_id, task_id, fence)
    ) STRICT, WITHOUT ROWID`,
  ],
}
