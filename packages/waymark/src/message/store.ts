import { OWNER_ID, type AgentId } from '../agent/agent.ts'
import { nextNumber } from '../core/store/counters.ts'
import { camelColumns, type Sql, type SqlReader, type SqlValue } from '../core/store/sql.ts'
import type { EntityId } from '../entity/entity-id.ts'

export interface MessageRow {
  /** 1, 2, 3 … in the order in which they were sent. */
  readonly id: number
  readonly at: number
  readonly fromAgent: AgentId
  /** As the sender calls itself; null if that name is the owner's. */
  readonly fromName: string | null
  /** Null for a broadcast. */
  readonly toAgent: AgentId | null
  readonly toName: string | null
  readonly taskId: EntityId | null
  /** The task's own key, if it has one. */
  readonly taskKey: string | null
  readonly taskNumber: number | null
  readonly subject: string | null
  readonly body: string
  readonly severity: string
  readonly replyTo: number | null
  /** The sender of a message that arrived from another clone, as it was named there; no proof of who it was. */
  readonly arrivedFrom: string | null
}

type SentMessage = Pick<MessageRow, 'fromAgent' | 'toAgent' | 'at' | 'severity'> & {
  /** Of the task that it is about. */
  readonly number: number | null
}

type Derived = 'taskKey' | 'taskNumber' | 'fromName' | 'toName' | 'arrivedFrom'
type NewMessage = Omit<MessageRow, 'id' | Derived>

/** A message as one reader sees it. */
export interface ReceivedMessage extends MessageRow {
  readonly readAt: number | null
}

interface UnreadAbout {
  readonly count: number
  readonly latest: MessageRow | undefined
}

export interface Reader {
  readonly agentId: AgentId
  /** Broadcasts up to this id are not delivered to this reader. */
  readonly after: number
}

interface InboxQuery {
  readonly unreadOnly?: boolean
  readonly afterId?: number
  readonly taskId?: EntityId | undefined
  readonly severity?: string | undefined
  /** Text in subject or body, case-insensitive. */
  readonly text?: string | undefined
  /** Those of these severities come first, in this order. */
  readonly first?: readonly string[]
  /** The newest ones, if there are more than the limit. */
  readonly newest?: boolean
  readonly limit: number
}

/** As a message that arrived from another clone names its sender. */
const SENDER = '(SELECT sender FROM carried_message WHERE message_id = m.id)'
const NAMES = 'id, at, from_agent, to_agent, task_id, subject, body, severity, reply_to'
const COLUMNS = `${camelColumns(NAMES, 'm.')},
  (SELECT key FROM task WHERE id = m.task_id) AS taskKey,
  (SELECT number FROM entity WHERE id = m.task_id) AS taskNumber,
  coalesce(${nameOf('m.from_agent')}, ${SENDER}) AS fromName, ${SENDER} AS arrivedFrom, ${nameOf('m.to_agent')} AS toName`

/** An agent whose name could be taken for the owner's is shown by its id. */
function nameOf(id: string): string {
  return `(SELECT a.name FROM agent AS a WHERE a.id = ${id} AND (a.id = '${OWNER_ID}'
    OR (a.name NOT LIKE '%${OWNER_ID}%'
      AND a.name IS DISTINCT FROM (SELECT name FROM agent WHERE id = '${OWNER_ID}'))))`
}

export type MessageReader = ReturnType<typeof createMessageReader>

export function createMessageReader(sql: SqlReader) {
  const select = async (
    reader: Reader,
    visible: readonly Condition[],
    query: InboxQuery,
  ): Promise<ReceivedMessage[]> => {
    const wanted = toCondition(query)
    const parts = visible.map(
      ({ where }) =>
        `SELECT ${COLUMNS}, r.at AS readAt FROM message AS m
          LEFT JOIN message_read AS r ON r.message_id = m.id AND r.agent_id = ?
          WHERE ${where} AND ${wanted.where}`,
    )
    const values = visible.flatMap(({ values }) => [reader.agentId, ...values, ...wanted.values])
    const all = parts.join(' UNION ALL ')
    const { first = [], newest = false, limit } = query
    const ordered =
      first.length === 0
        ? `${all} ORDER BY id ${newest ? 'DESC' : ''}`
        : `SELECT * FROM (${all}) AS m ORDER BY ${rankOf(first)}, id`
    const rows = await sql.all<ReceivedMessage>(`${ordered} LIMIT ?`, [...values, ...first, limit])
    return newest ? rows.toReversed() : rows
  }

  const byId = async (id: number): Promise<MessageRow | undefined> =>
    await sql.get<MessageRow>(`SELECT ${COLUMNS} FROM message AS m WHERE m.id = ?`, [id])

  return {
    byId,

    /** The id of the newest message, or of the newest one sent before a time; 0 if there is none. */
    async latest(before?: number): Promise<number> {
      const row =
        before === undefined
          ? await sql.get<{ id: number | null }>('SELECT max(id) AS id FROM message')
          : await sql.get<{ id: number | null }>(
              'SELECT id FROM message WHERE at < ? ORDER BY at DESC, id DESC LIMIT 1',
              [before],
            )
      return row?.id ?? 0
    },

    /** When messages were sent and by whom, without their words; oldest first. */
    async sentBetween(from: number, to: number, limit: number): Promise<SentMessage[]> {
      return await sql.all<SentMessage>(
        `SELECT ${camelColumns('from_agent, to_agent, at, severity', 'm.')},
            (SELECT number FROM entity WHERE id = m.task_id) AS number
          FROM message AS m WHERE m.at >= ? AND m.at < ? ORDER BY m.at, m.id LIMIT ?`,
        [from, to, limit],
      )
    },

    /** Messages to the reader, and broadcasts by others; oldest first. */
    async inbox(reader: Reader, query: InboxQuery): Promise<ReceivedMessage[]> {
      // A task's thread may contain broadcasts from before the reader joined, which the read mark does not cover.
      const skipsRead = query.unreadOnly === true && query.taskId === undefined
      const mark = skipsRead ? await markOf(sql, reader) : 0
      const after = Math.max(query.afterId ?? 0, mark)
      return await select(reader, received(reader, after), query)
    },

    async countUnread(reader: Reader): Promise<number> {
      let count = 0
      for (const { where, values } of await unread(sql, reader)) {
        const row = await sql.get<{ count: number }>(
          `SELECT count(*) AS count FROM message AS m WHERE ${where}`,
          values,
        )
        count += row?.count ?? 0
      }
      return count
    },

    /** Broadcasts about a task, and direct messages about it from or to this reader; oldest first. */
    thread: (taskId: EntityId, reader: Reader, query: InboxQuery): Promise<ReceivedMessage[]> =>
      select(
        reader,
        [
          {
            where: 'm.id > ? AND (m.to_agent IS NULL OR m.to_agent = ? OR m.from_agent = ?)',
            values: [query.afterId ?? 0, reader.agentId, reader.agentId],
          },
        ],
        { ...query, taskId },
      ),

    /**
     * How many messages about a task this agent has not read, and the newest of them. Every claim asks this, mostly for
     * none: no names are looked up for it.
     */
    async unreadAbout(taskId: EntityId, agentId: AgentId): Promise<UnreadAbout> {
      const rows = await sql.all<{ id: number }>(
        `SELECT m.id FROM message AS m WHERE m.task_id = ?
          AND (m.to_agent = ? OR (m.to_agent IS NULL AND m.from_agent <> ?))
          AND NOT EXISTS (
            SELECT 1 FROM message_read AS r WHERE r.message_id = m.id AND r.agent_id = ?)
          ORDER BY m.id`,
        [taskId, agentId, agentId, agentId],
      )
      const newest = rows.at(-1)
      return { count: rows.length, latest: newest && (await byId(newest.id)) }
    },

    /** How many broadcasts are about a task. */
    async countAbout(taskId: EntityId): Promise<number> {
      const row = await sql.get<{ count: number }>(
        'SELECT count(*) AS count FROM message WHERE task_id = ? AND to_agent IS NULL',
        [taskId],
      )
      return row?.count ?? 0
    },

    /** All messages, also those between other agents; for the owner only. */
    everything: (reader: Reader, query: InboxQuery): Promise<ReceivedMessage[]> =>
      select(reader, [{ where: 'm.id > ?', values: [query.afterId ?? 0] }], query),

    /** Messages to the owner that are neither answered nor acknowledged, oldest first; of one sender, if named. */
    async openQuestions(limit: number, from?: string): Promise<MessageRow[]> {
      const owner = { agentId: OWNER_ID, after: 0 }
      const { where, values } = toUnread(owner, directTo(owner, await markOf(sql, owner)))
      const of = from === undefined ? '' : 'AND m.from_agent = ?'
      return await sql.all<MessageRow>(
        `SELECT ${COLUMNS} FROM message AS m WHERE ${where} ${of} ORDER BY m.id LIMIT ?`,
        [...values, ...(from === undefined ? [] : [from]), limit],
      )
    },

    /** The owner's first reply to a message. */
    async answerTo(id: number): Promise<number | undefined> {
      const row = await sql.get<{ id: number }>(
        'SELECT id FROM message WHERE from_agent = ? AND reply_to = ? AND id > ? ORDER BY id LIMIT 1',
        [OWNER_ID, id, id],
      )
      return row?.id
    },
  }
}

export function createMessages(sql: Sql) {
  const reader = createMessageReader(sql)
  return {
    ...reader,

    async insert(message: NewMessage): Promise<MessageRow> {
      const id = await nextNumber(sql, 'message')
      await sql.send(
        `INSERT INTO message (${NAMES})
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        [
          id,
          message.at,
          message.fromAgent,
          message.toAgent,
          message.taskId,
          message.subject,
          message.body,
          message.severity,
          message.replyTo,
        ],
      )
      const names = { fromName: null, toName: null, arrivedFrom: null }
      const unknown = { taskKey: null, taskNumber: null, ...names }
      return (await reader.byId(id)) ?? { ...message, id, ...unknown }
    },

    /** Marks what the reader has received as read; answers which of them were unread. */
    async markRead(reader: Reader, ids: readonly number[], at: number): Promise<number[]> {
      const marked: number[] = []
      for (const id of new Set(ids)) {
        const changed = await sql.run(
          // Acknowledging a message from before the reader joined is allowed: a thread shows them.
          `INSERT INTO message_read (agent_id, message_id, at)
            SELECT ?, m.id, ? FROM message AS m WHERE m.id = ?
              AND (m.to_agent = ? OR (m.to_agent IS NULL AND m.from_agent <> ?))
            ON CONFLICT (agent_id, message_id) DO NOTHING`,
          [reader.agentId, at, id, reader.agentId, reader.agentId],
        )
        if (changed > 0) marked.push(id)
      }
      if (marked.length > 0) await moveMark(sql, reader)
      return marked
    },
  }
}

/** Advances the read mark to the first unread message: everything received up to it is read. */
async function moveMark(sql: Sql, reader: Reader): Promise<void> {
  let mark = await createMessageReader(sql).latest()
  for (const { where, values } of await unread(sql, reader)) {
    const next = await sql.get<{ id: number }>(
      `SELECT m.id FROM message AS m WHERE ${where} ORDER BY m.id LIMIT 1`,
      values,
    )
    if (next !== undefined) mark = Math.min(mark, next.id - 1)
  }
  await sql.send(
    `INSERT INTO message_mark (agent_id, up_to) VALUES (?, ?)
      ON CONFLICT (agent_id) DO UPDATE SET up_to = excluded.up_to`,
    [reader.agentId, mark],
  )
}

async function markOf(sql: SqlReader, { agentId }: Reader): Promise<number> {
  const row = await sql.get<{ up_to: number }>(
    'SELECT up_to FROM message_mark WHERE agent_id = ?',
    [agentId],
  )
  return row?.up_to ?? 0
}

interface Condition {
  readonly where: string
  readonly values: readonly SqlValue[]
}

/**
 * Messages to the reader, and broadcasts by others since the reader joined. Two queries instead of one condition, so
 * that each can use an index in message order.
 */
function received(reader: Reader, after: number): readonly Condition[] {
  return [
    directTo(reader, after),
    {
      where: 'm.to_agent IS NULL AND m.from_agent <> ? AND m.id > ?',
      values: [reader.agentId, Math.max(after, reader.after)],
    },
  ]
}

function directTo({ agentId }: Reader, after: number): Condition {
  return { where: 'm.to_agent = ? AND m.id > ?', values: [agentId, after] }
}

async function unread(sql: SqlReader, reader: Reader): Promise<readonly Condition[]> {
  const conditions = received(reader, await markOf(sql, reader))
  return conditions.map((condition) => toUnread(reader, condition))
}

function toUnread({ agentId }: Reader, { where, values }: Condition): Condition {
  return {
    where: `${where} AND NOT EXISTS (
      SELECT 1 FROM message_read AS r WHERE r.message_id = m.id AND r.agent_id = ?)`,
    values: [...values, agentId],
  }
}

function toCondition({ unreadOnly, taskId, severity, text }: InboxQuery): Condition {
  const conditions = ['TRUE']
  const values: SqlValue[] = []
  const demand = (condition: string, ...given: SqlValue[]): void => {
    conditions.push(condition)
    values.push(...given)
  }
  if (unreadOnly === true) demand('r.at IS NULL')
  if (taskId !== undefined) demand('m.task_id = ?', taskId)
  if (severity !== undefined) demand('m.severity = ?', severity)
  if (text !== undefined) {
    const pattern = `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
    demand(`(m.body LIKE ? ESCAPE '\\' OR m.subject LIKE ? ESCAPE '\\')`, pattern, pattern)
  }
  return { where: conditions.join(' AND '), values }
}

function rankOf(severities: readonly string[]): string {
  const ranks = severities.map((_, rank) => `WHEN ? THEN ${rank}`)
  return `CASE severity ${ranks.join(' ')} ELSE ${severities.length} END`
}
