export const ARTIFACTS = [
  // The bytes are files beside the database, named by their hash. A removed artifact keeps its row, so that artifacts
  // derived from it keep their lineage.
  `CREATE TABLE artifact (
    position INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    hash TEXT NOT NULL,
    size INTEGER NOT NULL,
    mime TEXT NOT NULL,
    name TEXT,
    creator TEXT,
    parent_id TEXT REFERENCES artifact (id),
    variation_set TEXT,
    variation_index INTEGER,
    created_at INTEGER NOT NULL,
    removed_at INTEGER,
    UNIQUE (variation_set, variation_index)
  ) STRICT`,
  `CREATE INDEX artifact_by_hash ON artifact (hash)`,
  `CREATE INDEX artifact_by_parent ON artifact (parent_id) WHERE parent_id IS NOT NULL`,
  `CREATE INDEX artifact_by_creator ON artifact (creator) WHERE creator IS NOT NULL`,

  `CREATE TABLE artifact_tag (
    artifact_id TEXT NOT NULL REFERENCES artifact (id),
    tag TEXT NOT NULL,
    PRIMARY KEY (artifact_id, tag)
  ) STRICT, WITHOUT ROWID`,
  `CREATE INDEX artifact_tag_by_tag ON artifact_tag (tag)`,

  // Not a relation of the graph: artifacts stay on this machine, and relations are synced.
  `CREATE TABLE artifact_link (
    artifact_id TEXT NOT NULL REFERENCES artifact (id),
    type TEXT NOT NULL,
    entity_id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (artifact_id, type, entity_id)
  ) STRICT, WITHOUT ROWID`,
  `CREATE INDEX artifact_link_by_entity ON artifact_link (entity_id)`,

  // Uploads in progress: contents that have no artifact row yet and must not be garbage-collected.
  `CREATE TABLE artifact_upload (
    id TEXT NOT NULL PRIMARY KEY,
    hash TEXT NOT NULL,
    at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`,
  `CREATE INDEX artifact_upload_by_hash ON artifact_upload (hash)`,
]
