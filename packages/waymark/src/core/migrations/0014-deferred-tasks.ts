/** Few tasks are put off until later: with an index of their own, the others need not be looked at one by one. */
export const deferredTasks = {
  version: 14,
  sqlite: [
    `CREATE INDEX task_deferred ON task (defer_until)
      WHERE closed = 0 AND blocked = 0 AND defer_until IS NOT NULL`,
  ],
}
