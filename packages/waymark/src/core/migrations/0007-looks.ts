export const looks = {
  version: 7,
  sqlite: [
    // Up to which event somebody has been told what happened. A matter of this machine: it is never replicated.
    `CREATE TABLE look (
      viewer TEXT NOT NULL PRIMARY KEY,
      event_id INTEGER NOT NULL,
      at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
  ],
}
