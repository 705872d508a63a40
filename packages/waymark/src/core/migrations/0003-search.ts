export const search = {
  version: 3,
  sqlite: [
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
      UNIQUE (kind, ref)
    ) STRICT`,

    // Fed with terms that are already split and folded, so the tokenizer only has to cut at blanks. Without content
    // of its own: the text is in document.
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

    // The version of the rules by which the index was made; 0 asks for it to be made from what is already there.
    `INSERT INTO counter (name, value)
      SELECT 'search_index', CASE WHEN EXISTS (SELECT 1 FROM entity) THEN 0 ELSE 1 END`,
  ],
}
