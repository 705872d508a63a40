export const firstTables = {
  version: 1,
  sqlite: [
    // One row; the marker file beside the database must name the same project.
    `CREATE TABLE project (
      id TEXT NOT NULL PRIMARY KEY,
      created_at INTEGER NOT NULL
    ) STRICT`,

    `CREATE TABLE counter (
      name TEXT NOT NULL PRIMARY KEY,
      value INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
    `INSERT INTO counter (name, value) VALUES ('clock', 0), ('entity', 0), ('event', 0)`,

    `CREATE TABLE entity (
      id TEXT NOT NULL PRIMARY KEY,
      number INTEGER NOT NULL UNIQUE,
      type TEXT NOT NULL,
      title TEXT NOT NULL,
      content TEXT,
      tags TEXT NOT NULL,
      status TEXT,
      properties TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      created_by TEXT,
      updated_by TEXT,
      deleted_at INTEGER,
      deleted_by TEXT,
      revision INTEGER NOT NULL
    ) STRICT`,
    `CREATE INDEX entity_by_type ON entity (type, number) WHERE deleted_at IS NULL`,
    `CREATE INDEX entity_by_status ON entity (status, number)
      WHERE deleted_at IS NULL AND status IS NOT NULL`,
    // Not partial: a deletion is a modification too.
    `CREATE INDEX entity_by_update ON entity (updated_at)`,

    // The tags of live entities once more, so that a list by tag does not read every entity.
    `CREATE TABLE tag (
      tag TEXT NOT NULL,
      entity_id TEXT NOT NULL REFERENCES entity (id),
      PRIMARY KEY (tag, entity_id)
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX tag_by_entity ON tag (entity_id)`,

    `CREATE TABLE relation (
      source_id TEXT NOT NULL REFERENCES entity (id),
      type TEXT NOT NULL,
      target_id TEXT NOT NULL REFERENCES entity (id),
      properties TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      created_by TEXT,
      deleted_at INTEGER,
      deleted_by TEXT,
      PRIMARY KEY (source_id, type, target_id)
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX relation_by_target ON relation (target_id)`,

    `CREATE TABLE event (
      id INTEGER PRIMARY KEY,
      type TEXT NOT NULL,
      subject TEXT NOT NULL,
      at INTEGER NOT NULL,
      agent TEXT,
      data TEXT NOT NULL
    ) STRICT`,
  ],
}
