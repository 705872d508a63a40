import type { Client } from '../core/postgres/pool.ts'
import { DEFAULT_ORGANISATION, TEAM_SCHEMA } from './names.ts'
import { grantTeam } from './replica-users.ts'

const T = TEAM_SCHEMA

/** One list of statements for each version, never edited once released. Replicas of the version before go on working. */
const MIGRATIONS: readonly (readonly string[])[] = [
  [
    `CREATE TABLE ${T}.project (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL UNIQUE,
      created_at BIGINT NOT NULL)`,
    `CREATE TABLE ${T}.member (
      project_id TEXT NOT NULL REFERENCES ${T}.project (id),
      subject TEXT NOT NULL,
      role TEXT NOT NULL,
      added_at BIGINT NOT NULL,
      added_by TEXT NOT NULL,
      PRIMARY KEY (project_id, subject))`,
    // Only the hash: a copy of the database holds no usable token.
    `CREATE TABLE ${T}.token (
      id TEXT PRIMARY KEY,
      kind TEXT NOT NULL,
      hash TEXT NOT NULL UNIQUE,
      project_id TEXT NOT NULL REFERENCES ${T}.project (id),
      name TEXT NOT NULL,
      role TEXT NOT NULL,
      scopes TEXT,
      created_at BIGINT NOT NULL,
      created_by TEXT NOT NULL,
      expires_at BIGINT,
      revoked_at BIGINT,
      used_at BIGINT)`,
    `CREATE INDEX token_project ON ${T}.token (project_id, created_at)`,
    `CREATE TABLE ${T}.audit (
      id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      at BIGINT NOT NULL,
      project_id TEXT,
      actor TEXT NOT NULL,
      action TEXT NOT NULL,
      subject TEXT NOT NULL,
      details TEXT NOT NULL)`,
    `CREATE INDEX audit_project ON ${T}.audit (project_id, id)`,
    `CREATE FUNCTION ${T}.refuse_change() RETURNS trigger LANGUAGE plpgsql AS
      $$BEGIN RAISE EXCEPTION 'the audit log is append-only' USING ERRCODE = '42501'; END$$`,
    `CREATE TRIGGER audit_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ${T}.audit
      FOR EACH STATEMENT EXECUTE FUNCTION ${T}.refuse_change()`,
  ],
  [
    `CREATE TABLE ${T}.organisation (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL UNIQUE,
      created_at BIGINT NOT NULL)`,
    `INSERT INTO ${T}.organisation VALUES ('${DEFAULT_ORGANISATION}', '${DEFAULT_ORGANISATION}', 0)`,
    `ALTER TABLE ${T}.project ADD COLUMN organisation_id TEXT NOT NULL
      DEFAULT '${DEFAULT_ORGANISATION}' REFERENCES ${T}.organisation (id)`,
    `CREATE TABLE ${T}.organisation_member (
      organisation_id TEXT NOT NULL REFERENCES ${T}.organisation (id),
      subject TEXT NOT NULL,
      role TEXT NOT NULL,
      added_at BIGINT NOT NULL,
      added_by TEXT NOT NULL,
      PRIMARY KEY (organisation_id, subject))`,
    `ALTER TABLE ${T}.audit ADD COLUMN organisation_id TEXT`,
    `CREATE INDEX audit_organisation ON ${T}.audit (organisation_id, id)`,
    // The subject is empty for the project as a whole and * for each of its members.
    `CREATE TABLE ${T}.quota (
      project_id TEXT NOT NULL REFERENCES ${T}.project (id),
      subject TEXT NOT NULL,
      kind TEXT NOT NULL,
      amount BIGINT NOT NULL,
      PRIMARY KEY (project_id, subject, kind))`,
    // Counts of the current minute: not worth a place in the log of the server.
    `CREATE UNLOGGED TABLE ${T}.usage (
      project_id TEXT NOT NULL,
      subject TEXT NOT NULL,
      minute BIGINT NOT NULL,
      requests BIGINT NOT NULL,
      PRIMARY KEY (project_id, subject))`,
    `CREATE TABLE ${T}.replica_user (name TEXT PRIMARY KEY)`,
  ],
  [
    `CREATE TABLE ${T}.content_ref (
      organisation_id TEXT NOT NULL REFERENCES ${T}.organisation (id),
      hash TEXT NOT NULL,
      project_id TEXT NOT NULL REFERENCES ${T}.project (id),
      size BIGINT NOT NULL,
      PRIMARY KEY (project_id, hash))`,
    `CREATE INDEX content_ref_hash ON ${T}.content_ref (organisation_id, hash)`,
  ],
  // Sessions of MCP clients, as baton's `sessionTables` describes them.
  [
    `CREATE TABLE ${T}.mcp_session (
      id TEXT PRIMARY KEY,
      endpoint TEXT NOT NULL,
      owner TEXT NOT NULL,
      event_tag TEXT NOT NULL UNIQUE,
      created_at BIGINT NOT NULL,
      seen_at BIGINT NOT NULL,
      connected_until BIGINT NOT NULL,
      last_stream BIGINT NOT NULL,
      state TEXT NOT NULL,
      notifier TEXT NOT NULL)`,
    `CREATE INDEX mcp_session_endpoint ON ${T}.mcp_session (endpoint, seen_at)`,
    `CREATE TABLE ${T}.mcp_stream (
      event_tag TEXT NOT NULL REFERENCES ${T}.mcp_session (event_tag) ON DELETE CASCADE,
      number BIGINT NOT NULL,
      first_sequence BIGINT NOT NULL DEFAULT 1,
      last_sequence BIGINT NOT NULL DEFAULT 0,
      delivered_sequence BIGINT NOT NULL DEFAULT 0,
      bytes BIGINT NOT NULL DEFAULT 0,
      closed_at BIGINT,
      writer TEXT,
      last_will TEXT,
      PRIMARY KEY (event_tag, number))`,
    `CREATE TABLE ${T}.mcp_event (
      event_tag TEXT NOT NULL,
      number BIGINT NOT NULL,
      sequence BIGINT NOT NULL,
      bytes BIGINT NOT NULL,
      data TEXT NOT NULL,
      PRIMARY KEY (event_tag, number, sequence),
      FOREIGN KEY (event_tag, number) REFERENCES ${T}.mcp_stream ON DELETE CASCADE)`,
    `CREATE TABLE ${T}.mcp_writer (id TEXT PRIMARY KEY, alive_until BIGINT NOT NULL)`,
    `CREATE TABLE ${T}.mcp_record (
      endpoint TEXT NOT NULL,
      collection TEXT NOT NULL,
      key TEXT NOT NULL,
      owner TEXT NOT NULL,
      value TEXT NOT NULL,
      version BIGINT NOT NULL,
      expires_at BIGINT,
      PRIMARY KEY (endpoint, collection, key))`,
  ],
]

export const LATEST_TEAM_VERSION = MIGRATIONS.length

/** Inside the transaction, and under the lock, of a schema change. */
export async function migrateTeam(client: Client): Promise<void> {
  await client.query(`CREATE SCHEMA IF NOT EXISTS ${T}`)
  await client.query(`CREATE TABLE IF NOT EXISTS ${T}.version (version BIGINT NOT NULL)`)
  const version = (await readTeamVersion(client)) ?? 0
  if (version < LATEST_TEAM_VERSION) await migrateFrom(client, version)
  await grantTeam(client)
}

async function migrateFrom(client: Client, version: number): Promise<void> {
  for (const statements of MIGRATIONS.slice(version))
    for (const statement of statements) await client.query(statement)
  await client.query(`DELETE FROM ${T}.version`)
  await client.query(`INSERT INTO ${T}.version VALUES ($1)`, [LATEST_TEAM_VERSION])
}

/** Undefined for a database that was not prepared for a team. */
export async function readTeamVersion(client: Client): Promise<number | undefined> {
  const { rows } = await client.query<{ found: string | null }>('SELECT to_regclass($1) AS found', [
    `${T}.version`,
  ])
  if ((rows[0]?.found ?? null) === null) return undefined
  const version = await client.query<{ version: number }>(`SELECT version FROM ${T}.version`)
  return version.rows[0]?.version
}
