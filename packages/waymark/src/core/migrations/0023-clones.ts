import type { Migration } from '../store/migrations.ts'

export const clones: Migration = {
  version: 23,
  sqlite: [
    // Fields that two clones changed before they knew of each other, until one changes the field again.
    `CREATE TABLE changed_twice (
      entity_id TEXT NOT NULL,
      field TEXT NOT NULL,
      -- 1 when only the later change stands, and a person or an agent should choose.
      contradiction INTEGER NOT NULL,
      PRIMARY KEY (entity_id, field)
    ) STRICT, WITHOUT ROWID`,
    // What is known of the last exchanges with remotes. One row at most.
    `CREATE TABLE push_state (
      id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
      -- Entities written to the log since the last push that succeeded.
      unpushed INTEGER NOT NULL,
      -- Why the last push was refused.
      refusal TEXT,
      -- 1 when a remote has, or had, the log of this clone.
      shared INTEGER NOT NULL
    ) STRICT`,
    // Numbers that entities had in this clone until a sync gave them others.
    `CREATE TABLE former_number (
      number INTEGER NOT NULL,
      entity_id TEXT NOT NULL,
      changed_at INTEGER NOT NULL,
      PRIMARY KEY (number, entity_id)
    ) STRICT, WITHOUT ROWID`,
  ],
}
