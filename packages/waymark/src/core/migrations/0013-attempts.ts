export const attempts = {
  version: 13,
  sqlite: [
    // How often the task was begun since it was last closed or reopened, so that none is begun for ever.
    `ALTER TABLE lease ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0`,
  ],
}
