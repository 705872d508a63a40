export const replica = {
  version: 5,
  sqlite: [
    // Queue of local changes that are not yet in the documents of their entities.
    `CREATE TABLE op (
      id INTEGER NOT NULL PRIMARY KEY,
      entity_id TEXT NOT NULL,
      at INTEGER NOT NULL,
      by TEXT,
      change TEXT NOT NULL
    ) STRICT`,
    `CREATE INDEX op_by_entity ON op (entity_id, id)`,

    // The CRDT document of each entity, which clones merge.
    `CREATE TABLE replica (
      entity_id TEXT NOT NULL PRIMARY KEY,
      -- Nothing when the entity was purged: then only its id is left.
      document BLOB,
      -- The version of the document that the log has.
      logged BLOB,
      -- The document has something that the log has not.
      dirty INTEGER NOT NULL,
      -- One more each time the document is written.
      revision INTEGER NOT NULL
    ) STRICT`,
    `CREATE INDEX replica_dirty ON replica (entity_id) WHERE dirty = 1`,
    `CREATE INDEX replica_purged ON replica (entity_id) WHERE document IS NULL`,

    // Log lines that wait for a dependency.
    `CREATE TABLE stray (
      hash TEXT NOT NULL PRIMARY KEY,
      entity_id TEXT NOT NULL,
      line TEXT NOT NULL
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX stray_by_entity ON stray (entity_id)`,

    // Edges of live entities whose target is missing or deleted.
    `CREATE TABLE dangling (
      source_id TEXT NOT NULL,
      type TEXT NOT NULL,
      target_id TEXT NOT NULL,
      value TEXT NOT NULL,
      PRIMARY KEY (target_id, source_id, type)
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX dangling_by_source ON dangling (source_id)`,

    // Log files that have been read completely.
    `CREATE TABLE segment (name TEXT NOT NULL PRIMARY KEY) STRICT, WITHOUT ROWID`,

    // Existing entities are queued as if created in their present state.
    `INSERT INTO op (entity_id, at, by, change)
      SELECT id, updated_at, updated_by, json_object(
        'fields', json_object('type', type, 'number', number, 'title', title,
          'created_at', created_at, 'created_by', created_by),
        'content', content, 'tags', json(tags), 'properties', json(properties))
      FROM entity ORDER BY number`,
    `INSERT INTO op (entity_id, at, by, change)
      SELECT source_id, created_at, created_by, json_object('relations', json_object(
        type || ' ' || target_id, json_object('created_at', created_at,
          'created_by', created_by, 'properties', json(properties))))
      FROM relation WHERE deleted_at IS NULL ORDER BY created_at, source_id, type, target_id`,
    `INSERT INTO op (entity_id, at, by, change)
      SELECT id, deleted_at, deleted_by, json_object('deleted', json('true'))
      FROM entity WHERE deleted_at IS NOT NULL ORDER BY number`,
  ],
}
