export const syncedArrivals = {
  version: 18,
  sqlite: [
    // Quarantined log lines and segments, which were not merged. Their text stays in the log.
    `CREATE TABLE set_aside (
      -- Of the line; of a segment the id of its blob.
      hash TEXT NOT NULL PRIMARY KEY,
      entity_id TEXT,
      -- Empty where it is not known which segment has the line.
      segment TEXT NOT NULL,
      reason TEXT NOT NULL,
      -- How many lines it stands for.
      lines INTEGER NOT NULL,
      -- The version of the limits by which it was refused; 0 when it is to be tried again.
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

    // Provenance of the synced parts of an entity: remote and signature; null for local entities.
    'ALTER TABLE entity ADD COLUMN arrival TEXT',
    // Entities merged before this column have only this provenance.
    `UPDATE entity SET arrival = '{"via":"sync","signature":"unsigned","parts":["author"]}'
      WHERE id IN (
        SELECT subject FROM event
          WHERE type IN ('entity.created', 'entity.updated')
            AND CASE WHEN json_valid(data) THEN data ->> '$.merged' = 1 END
      )`,
    // Who signed the commit of a segment: own, other, or null for none.
    'ALTER TABLE segment ADD COLUMN signer TEXT',
    // Signature check of the commit that brought the line.
    'ALTER TABLE stray ADD COLUMN verification TEXT',
  ],
}
