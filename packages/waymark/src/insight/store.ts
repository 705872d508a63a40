import { OWNER_ID } from '../agent/agent.ts'
import type { SqlReader } from '../core/store/sql.ts'

interface NamedRow {
  readonly number: number
  readonly title: string
}

interface FinishedRow extends NamedRow {
  readonly createdAt: number
  readonly completedAt: string
  readonly verifiedAt: string | null
  readonly needsVerification: number
}

interface WaitingRow extends NamedRow {
  readonly createdAt: number
}

interface UnblockingRow extends NamedRow {
  readonly waiting: number
}

interface QuestionRow {
  readonly id: number
  readonly at: number
  readonly answeredAt: number | null
  readonly number: number | null
  readonly title: string | null
}

/** Rows that figures about the flow of work are made of. */
export function createInsightReader(sql: SqlReader) {
  return {
    /** Tasks that were finished since a time, the last changed first. */
    async finished(since: number, limit: number): Promise<FinishedRow[]> {
      return await sql.all<FinishedRow>(
        `SELECT number, title, created_at AS createdAt, properties ->> '$.completed_at' AS completedAt,
            properties ->> '$.verified_at' AS verifiedAt,
            CASE WHEN CAST(properties ->> '$.needs_verification' AS TEXT) IN ('1', 'true') THEN 1 ELSE 0 END
              AS needsVerification
          FROM entity WHERE type = 'task' AND status = 'done' AND deleted_at IS NULL AND updated_at >= ?
            AND properties ->> '$.completed_at' IS NOT NULL
          ORDER BY updated_at DESC LIMIT ?`,
        [since, limit],
      )
    },

    /** Open tasks that wait for others, the oldest first. */
    async waitingLongest(limit: number): Promise<WaitingRow[]> {
      return await sql.all<WaitingRow>(
        `SELECT e.number, e.title, e.created_at AS createdAt
          FROM task AS t CROSS JOIN entity AS e ON e.id = t.id
          WHERE t.closed = 0 AND t.blocked IN (1, 2) ORDER BY e.created_at, e.number LIMIT ?`,
        [limit],
      )
    },

    /** Open tasks by how many open ones wait for them directly. */
    async unblocksMost(limit: number): Promise<UnblockingRow[]> {
      return await sql.all<UnblockingRow>(
        `SELECT e.number, e.title, count(*) AS waiting
          FROM relation AS r CROSS JOIN task AS s ON s.id = r.source_id AND s.resolved = 0
            CROSS JOIN task AS w ON w.id = r.target_id AND w.closed = 0
            CROSS JOIN entity AS e ON e.id = s.id
          WHERE r.type = 'blocks' AND r.deleted_at IS NULL
          GROUP BY e.number, e.title ORDER BY waiting DESC, e.number LIMIT ?`,
        [limit],
      )
    },

    /** What agents asked the person since a time, with the time of the first answer. */
    async questions(since: number, limit: number): Promise<QuestionRow[]> {
      return await sql.all<QuestionRow>(
        `SELECT m.id, m.at, (SELECT min(a.at) FROM message AS a WHERE a.reply_to = m.id) AS answeredAt,
            e.number, e.title
          FROM message AS m LEFT JOIN entity AS e ON e.id = m.task_id
          WHERE m.to_agent = ? AND m.at >= ? AND m.reply_to IS NULL
          ORDER BY m.at DESC LIMIT ?`,
        [OWNER_ID, since, limit],
      )
    },
  }
}
