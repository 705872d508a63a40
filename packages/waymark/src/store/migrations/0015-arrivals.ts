export const arrivals = {
  version: 15,
  sqlite: [
    // The newest message when the agent joined; broadcasts up to this id are not delivered to it. An id and not a
    // time, because clocks are set.
    `ALTER TABLE agent ADD COLUMN joined_after INTEGER NOT NULL DEFAULT 0`,
    `UPDATE agent SET joined_after =
      (SELECT coalesce(max(id), 0) FROM message WHERE at < agent.joined_at)`,
  ],
}
