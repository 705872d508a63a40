import type { Schema } from '@waymark/sqlite'

const FIRST_TABLES = `
  CREATE TABLE identity (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE identity_hint (
    identity_id TEXT NOT NULL REFERENCES identity (id),
    kind TEXT NOT NULL,
    value TEXT NOT NULL,
    confidence REAL NOT NULL,
    PRIMARY KEY (kind, value)
  ) STRICT;
  CREATE TABLE identity_tag (
    identity_id TEXT NOT NULL REFERENCES identity (id),
    namespace TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (identity_id, namespace, value)
  ) STRICT;
  CREATE TABLE connection (
    id TEXT PRIMARY KEY,
    from_identity TEXT NOT NULL REFERENCES identity (id),
    from_port TEXT NOT NULL,
    to_identity TEXT NOT NULL REFERENCES identity (id),
    to_port TEXT NOT NULL,
    transport TEXT,
    created_at INTEGER NOT NULL,
    UNIQUE (from_identity, from_port, to_identity, to_port)
  ) STRICT;
  CREATE TABLE changelog (
    id INTEGER PRIMARY KEY,
    timestamp INTEGER NOT NULL,
    operation TEXT NOT NULL,
    target_kind TEXT NOT NULL,
    target_id TEXT NOT NULL,
    details TEXT NOT NULL
  ) STRICT;
  CREATE TABLE content (
    hash TEXT PRIMARY KEY,
    mime_type TEXT NOT NULL
  ) STRICT;
  CREATE TABLE artifact (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    hash TEXT NOT NULL,
    parent_id TEXT REFERENCES artifact (id),
    variation_set_id TEXT,
    variation_index INTEGER,
    creator TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    data TEXT NOT NULL
  ) STRICT;
  CREATE INDEX artifact_by_hash ON artifact (hash);
  CREATE INDEX artifact_by_creator ON artifact (creator);
  CREATE TABLE artifact_tag (
    artifact_id TEXT NOT NULL REFERENCES artifact (id),
    tag TEXT NOT NULL,
    PRIMARY KEY (artifact_id, tag)
  ) STRICT;
  CREATE INDEX artifact_by_tag ON artifact_tag (tag);
  CREATE TABLE job (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    tool_name TEXT NOT NULL,
    status TEXT NOT NULL,
    input TEXT NOT NULL,
    result TEXT,
    error TEXT,
    attempts INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    started_at INTEGER,
    completed_at INTEGER
  ) STRICT;
  `

export const SCHEMA: Schema = { migrations: [[FIRST_TABLES]] }
