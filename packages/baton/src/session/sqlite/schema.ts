import type { Schema } from '@waymark/sqlite'

const FIRST_TABLES = `
  CREATE TABLE session (
    id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    event_tag TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    seen_at INTEGER NOT NULL,
    connected_until INTEGER NOT NULL,
    last_stream INTEGER NOT NULL,
    state TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE stream (
    key INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES session ON DELETE CASCADE,
    number INTEGER NOT NULL,
    first_sequence INTEGER NOT NULL DEFAULT 1,
    last_sequence INTEGER NOT NULL DEFAULT 0,
    delivered_sequence INTEGER NOT NULL DEFAULT 0,
    bytes INTEGER NOT NULL DEFAULT 0,
    closed_at INTEGER,
    writer TEXT,
    last_will TEXT,
    UNIQUE (session_id, number)
  ) STRICT;

  CREATE TABLE writer (
    id TEXT PRIMARY KEY,
    alive_until INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE event (
    stream_key INTEGER NOT NULL REFERENCES stream ON DELETE CASCADE,
    sequence INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    data TEXT NOT NULL,
    UNIQUE (stream_key, sequence)
  ) STRICT;

  CREATE TABLE record (
    collection TEXT NOT NULL,
    key TEXT NOT NULL,
    owner TEXT NOT NULL,
    value TEXT NOT NULL,
    version INTEGER NOT NULL,
    expires_at INTEGER,
    PRIMARY KEY (collection, key)
  ) STRICT, WITHOUT ROWID;
  `

export const SCHEMA: Schema = {
  /** "btns" */
  applicationId: 0x62746e73,
  migrations: [[FIRST_TABLES]],
}
