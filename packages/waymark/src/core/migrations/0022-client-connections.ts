import type { Migration } from '../store/migrations.ts'

export const clientConnections: Migration = {
  version: 22,
  sqlite: [
    // The last connection of each client in each worktree, for people who ask whether their host talks to us.
    `CREATE TABLE client_connection (
      client TEXT NOT NULL,
      worktree TEXT NOT NULL,
      version TEXT NOT NULL,
      protocol TEXT NOT NULL,
      connected_at INTEGER NOT NULL,
      -- What it requested last, as tools/call brief.
      asked TEXT NOT NULL,
      asked_at INTEGER NOT NULL,
      PRIMARY KEY (client, worktree)
    ) STRICT, WITHOUT ROWID`,
  ],
}
