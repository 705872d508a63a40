export const vectors = {
  version: 4,
  sqlite: [
    // Grows with every change of a text, so that each model can keep its place in the queue of what to embed.
    `ALTER TABLE document ADD COLUMN position INTEGER NOT NULL DEFAULT 0`,
    `UPDATE document SET position = id`,
    `CREATE INDEX document_by_position ON document (position)`,
    `INSERT INTO counter (name, value) SELECT 'document', coalesce(max(id), 0) FROM document`,

    // Never reused ids: a process that has read up to one of them reads on from there.
    `CREATE TABLE vector (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      model TEXT NOT NULL,
      document_id INTEGER NOT NULL,
      text_hash TEXT NOT NULL,
      vector BLOB NOT NULL,
      UNIQUE (document_id, model)
    ) STRICT`,
    `CREATE INDEX vector_by_model ON vector (model)`,

    `CREATE TABLE embedding_progress (
      model TEXT NOT NULL PRIMARY KEY,
      position INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
  ],
}
