export const logSegments = {
  version: 10,
  sqlite: [
    // Whether the last written log contained the segment. A segment that is missing since then may have held the only
    // copy of its lines. Unknown for older rows, so they count as contained until the next sync checks them.
    `ALTER TABLE segment ADD COLUMN in_log INTEGER NOT NULL DEFAULT 0`,
    `UPDATE segment SET in_log = 1`,
  ],
}
