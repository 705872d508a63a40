export const looks = {
  version: 7,
  sqlite: [
    // The last event that a viewer's brief reported. Local to this machine, never replicated.
    `CREATE TABLE look (
      viewer TEXT NOT NULL PRIMARY KEY,
      event_id INTEGER NOT NULL,
      at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
  ],
}
