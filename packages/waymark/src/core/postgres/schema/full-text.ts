/** The twin of the virtual tables of SQLite's migrations: terms that are already split and folded, and trigrams. */
export const FULL_TEXT_SCHEMA = [
  `CREATE TABLE document_term (
    rowid BIGINT NOT NULL PRIMARY KEY,
    terms TSVECTOR NOT NULL
  )`,
  `CREATE INDEX document_term_by_term ON document_term USING gin (terms)`,
  `CREATE TABLE word_trigram (
    rowid BIGINT NOT NULL PRIMARY KEY,
    trigrams TEXT[] NOT NULL
  )`,
  `CREATE INDEX word_trigram_by_trigram ON word_trigram USING gin (trigrams)`,
]
