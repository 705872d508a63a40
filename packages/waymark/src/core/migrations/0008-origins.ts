export const origins = {
  version: 8,
  sqlite: [
    // How a text came to be here, as JSON: through which surface, by which agent and model, from which other tool.
    `ALTER TABLE entity ADD COLUMN origin TEXT`,

    // Which entities an annotation belongs to, so that those can be held against the code.
    `CREATE TABLE annotation_link (
      entity_id TEXT NOT NULL,
      annotation_id INTEGER NOT NULL,
      PRIMARY KEY (entity_id, annotation_id)
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX annotation_link_by_annotation ON annotation_link (annotation_id)`,
  ],
}
