import type { Migration } from '../store/migrations.ts'

export const leaseSpans: Migration = {
  version: 27,
  sqlite: [
    // Every lease from its grant to its end. Events are dropped after a month, this history later.
    `CREATE TABLE lease_span (
      task_id TEXT NOT NULL REFERENCES entity (id),
      fence INTEGER NOT NULL,
      agent_id TEXT NOT NULL,
      began_at INTEGER NOT NULL,
      -- Null while it is held.
      ended_at INTEGER,
      ending TEXT NOT NULL,
      reason TEXT,
      PRIMARY KEY (task_id, fence, agent_id)
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX lease_span_by_end ON lease_span (ended_at)`,
    // What the events still tell of earlier leases: each grant ends with the next event about its task.
    `INSERT INTO lease_span (task_id, fence, agent_id, began_at, ended_at, ending)
      SELECT subject, fence, agent_id, at, CASE WHEN ending = 'held' THEN NULL ELSE next_at END, ending FROM (
        SELECT subject, at, next_at, type, agent_id, fence,
            CASE next_type WHEN 'task.done' THEN 'done' WHEN 'task.cancelled' THEN 'cancelled'
              WHEN 'entity.deleted' THEN 'cancelled' WHEN 'task.released' THEN 'released'
              WHEN 'lease.ended' THEN 'taken_back' WHEN 'lease.expired' THEN 'expired'
              WHEN 'task.claimed' THEN 'moved' WHEN 'lease.moved' THEN 'moved' ELSE 'held' END AS ending
          FROM (SELECT subject, at, type, data ->> '$.agent_id' AS agent_id,
              CAST(data ->> '$.fence' AS INTEGER) AS fence,
              lead(type) OVER (PARTITION BY subject ORDER BY id) AS next_type,
              lead(at) OVER (PARTITION BY subject ORDER BY id) AS next_at
            FROM event WHERE json_valid(data) AND type IN ('task.claimed', 'lease.moved', 'task.done', 'task.cancelled',
              'task.released', 'lease.ended', 'lease.expired', 'entity.deleted')) AS sign) AS span
        WHERE type IN ('task.claimed', 'lease.moved') AND agent_id IS NOT NULL AND fence IS NOT NULL
          AND EXISTS (SELECT 1 FROM entity AS e WHERE e.id = span.subject)
      ON CONFLICT DO NOTHING`,
  ],
}
