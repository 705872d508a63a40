export const SYNC = [
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
    -- A Loro document, or a first change in a compact form; null when the entity was purged.
    document BLOB,
    -- The version of the document that the log has.
    logged BLOB,
    -- The document has changes that the log does not have.
    dirty INTEGER NOT NULL,
    -- Incremented each time the document is written.
    revision INTEGER NOT NULL
  ) STRICT`,
  `CREATE INDEX replica_dirty ON replica (entity_id) WHERE dirty = 1`,
  `CREATE INDEX replica_purged ON replica (entity_id) WHERE document IS NULL`,

  // Log lines that wait for a dependency.
  `CREATE TABLE stray (
    hash TEXT NOT NULL PRIMARY KEY,
    entity_id TEXT NOT NULL,
    line TEXT NOT NULL,
    -- Signature check of the commit that brought the line.
    verification TEXT
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
  `CREATE TABLE segment (
    name TEXT NOT NULL PRIMARY KEY,
    -- Whether the last written log contained the segment. A segment that is missing since then may have held the only
    -- copy of its lines.
    in_log INTEGER NOT NULL DEFAULT 0,
    -- Signer of the segment's commit: own, other, or null for none.
    signer TEXT
  ) STRICT, WITHOUT ROWID`,

  // Quarantined log lines and segments, which were not merged. Their text stays in the log.
  `CREATE TABLE set_aside (
    -- Of the line; of a segment the id of its blob.
    hash TEXT NOT NULL PRIMARY KEY,
    entity_id TEXT,
    -- Empty where the segment of the line is unknown.
    segment TEXT NOT NULL,
    reason TEXT NOT NULL,
    -- The number of lines that the row stands for.
    lines INTEGER NOT NULL,
    -- The version of the limits by which it was refused; 0 asks for a retry.
    limits INTEGER NOT NULL,
    first_seen INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`,
  `CREATE INDEX set_aside_by_segment ON set_aside (segment)`,

  // Entities whose number differs from that in their document, until the import is complete.
  `CREATE TABLE number_claim (
    id INTEGER NOT NULL PRIMARY KEY,
    entity_id TEXT NOT NULL UNIQUE,
    wanted INTEGER NOT NULL,
    -- The number that the entity had here before; 0 if it was not here.
    former INTEGER NOT NULL
  ) STRICT`,

  // Purges that another clone requested, and their state here: waiting, deleted, kept.
  `CREATE TABLE purge_request (
    entity_id TEXT NOT NULL PRIMARY KEY,
    state TEXT NOT NULL,
    remote TEXT,
    first_seen INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`,
]
