export const endedLeases = {
  version: 16,
  sqlite: [
    // How a lease was taken from its holder, and by whom, so that the holder can be told.
    `ALTER TABLE lease ADD COLUMN ended_how TEXT`,
    `ALTER TABLE lease ADD COLUMN ended_by TEXT`,
  ],
}
