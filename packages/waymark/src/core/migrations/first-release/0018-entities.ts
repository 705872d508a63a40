export const ENTITIES = [
  // One row; the marker file beside the database must name the same project.
  `CREATE TABLE project (
    id TEXT NOT NULL PRIMARY KEY,
    created_at INTEGER NOT NULL
  ) STRICT`,

  `CREATE TABLE counter (
    name TEXT NOT NULL PRIMARY KEY,
    value INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`,
  // search_index is the version of the rules by which the index was made; 0 asks for a reindex.
  `INSERT INTO counter (name, value) VALUES ('clock', 0), ('document', 0), ('entity', 0),
    ('event', 0), ('event_horizon', 0), ('message', 0), ('search_index', 1)`,

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
    revision INTEGER NOT NULL,
    -- Provenance of the text as JSON: surface, agent and model, the tool that it was imported from.
    origin TEXT,
    -- Provenance of the synced parts: remote and signature; null for local entities.
    arrival TEXT
  ) STRICT`,
  `CREATE INDEX entity_by_type ON entity (type, number) WHERE deleted_at IS NULL`,
  `CREATE INDEX entity_by_status ON entity (status, number)
    WHERE deleted_at IS NULL AND status IS NOT NULL`,
  `CREATE INDEX entity_by_creation ON entity (created_at)`,
  // Not partial: a deletion is a modification too.
  `CREATE INDEX entity_by_update ON entity (updated_at)`,

  // A copy of the tags of live entities, so that a list by tag does not read every entity.
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
  `CREATE INDEX event_by_subject ON event (subject, id)`,
]
