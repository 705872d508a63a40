export const SEARCH = [
  // Everything that can be searched, from all tables and git refs. The text is duplicated here so that snippets and
  // a reindex need no code of the other nouns.
  `CREATE TABLE document (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    ref TEXT NOT NULL,
    type TEXT NOT NULL,
    status TEXT,
    title TEXT NOT NULL,
    body TEXT NOT NULL,
    tags TEXT NOT NULL,
    author TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    text_hash TEXT NOT NULL,
    -- Grows with every change of a text, so that each model keeps its position in the queue of texts to embed.
    position INTEGER NOT NULL DEFAULT 0,
    UNIQUE (kind, ref)
  ) STRICT`,
  `CREATE INDEX document_by_position ON document (position)`,

  // Gets terms that are already split and folded, so the tokenizer only splits at blanks. Contentless: the text is in
  // document.
  `CREATE VIRTUAL TABLE document_term USING fts5(
    title, body, tags, facets,
    content = '', contentless_delete = 1, tokenize = 'ascii', prefix = '2 3 4'
  )`,

  // Every indexed word and its trigrams, for spelling corrections.
  `CREATE TABLE word (
    id INTEGER PRIMARY KEY,
    word TEXT NOT NULL UNIQUE
  ) STRICT`,
  `CREATE VIRTUAL TABLE word_trigram USING fts5(
    word, content = '', contentless_delete = 1, tokenize = 'trigram'
  )`,

  // Ids are never reused: a process that has read up to an id resumes there.
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
]
