export const ANNOTATIONS = [
  // Every table here but pending_note is a copy of Git notes, made to be searched. `tip` is the commit of the notes ref
  // that was copied, and empty while the copy is being made.
  `CREATE TABLE annotation_source (
    ref TEXT NOT NULL PRIMARY KEY,
    tip TEXT NOT NULL,
    version INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE annotation_note (
    ref TEXT NOT NULL,
    commit_id TEXT NOT NULL,
    blob TEXT NOT NULL,
    unreadable INTEGER NOT NULL,
    PRIMARY KEY (ref, commit_id)
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE annotation (
    id INTEGER PRIMARY KEY,
    ref TEXT NOT NULL,
    commit_id TEXT NOT NULL,
    record_id TEXT NOT NULL,
    record TEXT NOT NULL,
    UNIQUE (ref, commit_id, record_id)
  ) STRICT`,
  `CREATE INDEX annotation_by_record ON annotation (record_id)`,
  `CREATE INDEX annotation_by_commit ON annotation (commit_id)`,

  // The code that an annotation is about: a region, a dependency of a region, a concern of many places.
  `CREATE TABLE annotation_place (
    annotation_id INTEGER NOT NULL,
    role TEXT NOT NULL,
    path TEXT NOT NULL,
    leaf TEXT NOT NULL,
    content_hash TEXT NOT NULL
  ) STRICT`,
  `CREATE INDEX annotation_place_by_annotation ON annotation_place (annotation_id)`,
  `CREATE INDEX annotation_place_by_path ON annotation_place (path, role, leaf)`,
  `CREATE INDEX annotation_place_by_content ON annotation_place (content_hash)
    WHERE content_hash <> ''`,

  // The entities that an annotation belongs to, so that they can be compared with the code.
  `CREATE TABLE annotation_link (
    entity_id TEXT NOT NULL,
    annotation_id INTEGER NOT NULL,
    PRIMARY KEY (entity_id, annotation_id)
  ) STRICT, WITHOUT ROWID`,
  `CREATE INDEX annotation_link_by_annotation ON annotation_link (annotation_id)`,

  // Notes taken before a commit, which become part of its annotation. Each working tree has its own.
  `CREATE TABLE pending_note (
    id INTEGER PRIMARY KEY,
    worktree TEXT NOT NULL,
    kind TEXT NOT NULL,
    content TEXT NOT NULL,
    at INTEGER NOT NULL,
    author TEXT
  ) STRICT`,
  `CREATE INDEX pending_note_by_worktree ON pending_note (worktree, id)`,
]
