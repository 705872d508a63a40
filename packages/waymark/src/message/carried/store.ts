import { OWNER_ID } from '../../agent/agent.ts'
import type { Sql, SqlReader } from '../../core/store/sql.ts'
import type { EntityId } from '../../entity/entity-id.ts'

/** A message by the clone that has it first and its id there. */
export interface Origin {
  readonly clone: string
  readonly number: number
}

/** Of this clone, with what another clone needs to know of it. */
export interface OwnMessage {
  readonly id: number
  readonly at: number
  readonly fromName: string | null
  readonly taskId: EntityId | null
  readonly subject: string | null
  readonly body: string
  readonly severity: string
}

export interface OwnAnswer extends OwnMessage {
  readonly question: Origin
}

interface Arrived {
  /** Of the message here. */
  readonly id: number
  readonly sender: string
  /** Which need not be known here yet. */
  readonly taskId: EntityId | null
}

const OWN = `m.id, m.at, m.task_id AS taskId, m.subject, m.body, m.severity,
  (SELECT name FROM agent WHERE id = m.from_agent) AS fromName`
const IS_OPEN = `m.to_agent = '${OWNER_ID}' AND NOT EXISTS (
  SELECT 1 FROM message_read AS r WHERE r.message_id = m.id AND r.agent_id = '${OWNER_ID}')`
const IS_CARRIED = 'SELECT 1 FROM carried_message AS c WHERE c.message_id = m.id'

export function createCarriedReader(sql: SqlReader) {
  return {
    /** The newest open messages to the person that began in this clone, oldest first. */
    async questions(limit: number): Promise<readonly OwnMessage[]> {
      const rows = await sql.all<OwnMessage>(
        `SELECT ${OWN} FROM message AS m WHERE ${IS_OPEN}
          AND NOT EXISTS (${IS_CARRIED} AND c.state = 'arrived') ORDER BY m.id DESC LIMIT ?`,
        [limit],
      )
      return rows.toReversed()
    },

    /** Answers of the person to questions of other clones that the remote does not have yet. */
    async answers(limit: number): Promise<readonly OwnAnswer[]> {
      const rows = await sql.all<OwnMessage & Origin>(
        `SELECT ${OWN}, q.clone, q.number FROM message AS m
          JOIN carried_message AS q ON q.message_id = m.reply_to AND q.state = 'arrived'
          WHERE m.from_agent = '${OWNER_ID}' AND NOT EXISTS (${IS_CARRIED})
          ORDER BY m.id LIMIT ?`,
        [limit],
      )
      return rows.map(({ clone, number, ...own }) => ({ ...own, question: { clone, number } }))
    },

    /** The id here of a message that arrived. */
    async arrived({ clone, number }: Origin): Promise<number | undefined> {
      const row = await sql.get<{ id: number }>(
        `SELECT message_id AS id FROM carried_message
          WHERE clone = ? AND number = ? AND state = 'arrived'`,
        [clone, number],
      )
      return row?.id
    },

    /** Whether a question or an answer of this clone is not at the remote yet, or not as it stands now. */
    async hasNews(limit: number): Promise<boolean> {
      const row = await sql.get<{ found: number }>(
        `SELECT 1 AS found FROM (SELECT m.id FROM message AS m WHERE ${IS_OPEN}
            ORDER BY m.id DESC LIMIT ?) AS m WHERE NOT EXISTS (${IS_CARRIED})
          UNION ALL SELECT 1 FROM carried_message AS c JOIN message AS m ON m.id = c.message_id
            WHERE c.state = 'sent' AND m.to_agent = '${OWNER_ID}' AND NOT (${IS_OPEN})
          UNION ALL SELECT 1 FROM message AS m
            JOIN carried_message AS q ON q.message_id = m.reply_to AND q.state = 'arrived'
            WHERE m.from_agent = '${OWNER_ID}' AND NOT EXISTS (${IS_CARRIED})
          LIMIT 1`,
        [limit],
      )
      return row !== undefined
    },
  }
}

export function createCarried(sql: Sql) {
  return {
    ...createCarriedReader(sql),

    async noteArrived({ clone, number }: Origin, { id, sender, taskId }: Arrived): Promise<void> {
      await sql.run(
        `INSERT INTO carried_message (clone, number, state, message_id, sender, task_id)
          VALUES (?, ?, 'arrived', ?, ?, ?)`,
        [clone, number, id, sender, taskId],
      )
    },

    /** For tasks that arrived after the messages about them. */
    async linkTasks(): Promise<void> {
      await sql.run(
        `UPDATE message SET task_id = (SELECT task_id FROM carried_message WHERE message_id = message.id)
          WHERE task_id IS NULL AND id IN (SELECT c.message_id FROM carried_message AS c
            JOIN entity AS e ON e.id = c.task_id AND e.type = 'task')`,
      )
    },

    /** The remote has it, or knows that it is closed. */
    async noteSent(clone: string, id: number, state: 'sent' | 'closed'): Promise<void> {
      await sql.run(
        `INSERT INTO carried_message (clone, number, state, message_id) VALUES (?, ?, ?, ?)
          ON CONFLICT (clone, number) DO UPDATE SET state = excluded.state`,
        [clone, id, state, id],
      )
    },
  }
}
