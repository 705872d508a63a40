export const logSegments = {
  version: 10,
  sqlite: [
    // Whether the segment was in the log when that was last written: one that has gone since may have taken with it
    // what nobody has written anywhere else. Of those from before it is not known; the next sync looks.
    `ALTER TABLE segment ADD COLUMN in_log INTEGER NOT NULL DEFAULT 0`,
    `UPDATE segment SET in_log = 1`,
  ],
}
