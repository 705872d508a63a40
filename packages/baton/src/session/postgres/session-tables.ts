/** The statements that create the tables of session stores in a schema; once released they are never changed. */
export function sessionTables(schema: string): readonly string[] {
  return [
    `CREATE TABLE ${schema}.mcp_session (
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
    `CREATE INDEX mcp_session_endpoint ON ${schema}.mcp_session (endpoint, seen_at)`,
    `CREATE TABLE ${schema}.mcp_stream (
      event_tag TEXT NOT NULL REFERENCES ${schema}.mcp_session (event_tag) ON DELETE CASCADE,
      number BIGINT NOT NULL,
      first_sequence BIGINT NOT NULL DEFAULT 1,
      last_sequence BIGINT NOT NULL DEFAULT 0,
      delivered_sequence BIGINT NOT NULL DEFAULT 0,
      bytes BIGINT NOT NULL DEFAULT 0,
      closed_at BIGINT,
      writer TEXT,
      last_will TEXT,
      PRIMARY KEY (event_tag, number))`,
    `CREATE TABLE ${schema}.mcp_event (
      event_tag TEXT NOT NULL,
      number BIGINT NOT NULL,
      sequence BIGINT NOT NULL,
      bytes BIGINT NOT NULL,
      data TEXT NOT NULL,
      PRIMARY KEY (event_tag, number, sequence),
      FOREIGN KEY (event_tag, number) REFERENCES ${schema}.mcp_stream ON DELETE CASCADE)`,
    `CREATE TABLE ${schema}.mcp_writer (id TEXT PRIMARY KEY, alive_until BIGINT NOT NULL)`,
    `CREATE TABLE ${schema}.mcp_record (
      endpoint TEXT NOT NULL,
      collection TEXT NOT NULL,
      key TEXT NOT NULL,
      owner TEXT NOT NULL,
      value TEXT NOT NULL,
      version BIGINT NOT NULL,
      expires_at BIGINT,
      PRIMARY KEY (endpoint, collection, key))`,
  ]
}
