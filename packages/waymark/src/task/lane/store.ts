import type { AgentId } from '../../agent/agent.ts'
import { camelColumns, type Sql, type SqlReader } from '../../core/store/sql.ts'

export const SPAN_ENDS = [
  'done',
  'cancelled',
  'released',
  'taken_back',
  'expired',
  'moved',
  'held',
] as const
type SpanEnd = (typeof SPAN_ENDS)[number]

/** One lease from its grant to its end. Times are milliseconds since 1970. */
export interface SpanRow {
  readonly taskId: string
  readonly number: number
  readonly title: string
  readonly agentId: AgentId
  readonly fence: number
  readonly beganAt: number
  /** Null while it is held. */
  readonly endedAt: number | null
  readonly ending: SpanEnd
  readonly reason: string | null
}

/** What an event tells about a lease. */
interface LeaseSign {
  readonly type: string
  readonly subject: string
  readonly at: number
  readonly agentId?: AgentId | undefined
  readonly data: Readonly<Record<string, unknown>>
}

interface SpanQuery {
  /** Those that ended at this time or later. */
  readonly from: number
  /** Continues behind this one. */
  readonly after?: SpanRow | undefined
  readonly limit: number
}

const BEGINS: ReadonlySet<string> = new Set(['task.claimed', 'lease.moved'])

const ENDS: ReadonlyMap<string, SpanEnd> = new Map([
  ['task.done', 'done'],
  ['task.cancelled', 'cancelled'],
  ['entity.deleted', 'cancelled'],
  ['task.released', 'released'],
  ['task.reopened', 'released'],
  ['lease.ended', 'taken_back'],
  ['lease.expired', 'expired'],
])

/** Types of the events that begin or end a lease. */
export const LEASE_SIGNS: ReadonlySet<string> = new Set([...BEGINS, ...ENDS.keys()])

/** Far longer than events are kept. */
const SPANS_KEPT_MS = 400 * 24 * 60 * 60 * 1000

const COLUMNS = `${camelColumns('task_id, agent_id, fence, began_at, ended_at, ending, reason', 's.')},
  e.number, e.title`

export function createSpanReader(sql: SqlReader) {
  return {
    /** The leases that are held. */
    async open(): Promise<SpanRow[]> {
      return await sql.all<SpanRow>(
        `SELECT ${COLUMNS} FROM lease_span AS s JOIN entity AS e ON e.id = s.task_id
          WHERE s.ended_at IS NULL`,
      )
    },

    /** The leases that ended since a time, by their end. */
    async ended({ from, after, limit }: SpanQuery): Promise<SpanRow[]> {
      return await sql.all<SpanRow>(
        `SELECT ${COLUMNS} FROM lease_span AS s CROSS JOIN entity AS e ON e.id = s.task_id
          WHERE s.ended_at >= ? AND (s.ended_at, s.task_id, s.fence) > (?, ?, ?)
          ORDER BY s.ended_at, s.task_id, s.fence LIMIT ?`,
        [
          Math.max(from, after?.endedAt ?? 0),
          after?.endedAt ?? 0,
          after?.taskId ?? '',
          after?.fence ?? 0,
          limit,
        ],
      )
    },
  }
}

/** Records what an event says about a lease, in the transaction of the event. */
export async function recordSpan(sql: Sql, sign: LeaseSign): Promise<void> {
  const { type, subject, at, data } = sign
  const isBegin = BEGINS.has(type)
  const ending = isBegin ? 'moved' : ENDS.get(type)
  if (ending === undefined) return
  const { agent_id, fence, reason, expires_at } = data
  // A lease may be found expired long after it was.
  const expired = type === 'lease.expired' ? Date.parse(String(expires_at)) : Number.NaN
  await sql.send(
    'UPDATE lease_span SET ended_at = ?, ending = ?, reason = ? WHERE task_id = ? AND ended_at IS NULL',
    [
      Number.isNaN(expired) ? at : Math.min(at, expired),
      ending,
      typeof reason === 'string' && !isBegin ? reason : null,
      subject,
    ],
  )
  const holder = typeof agent_id === 'string' ? agent_id : sign.agentId
  if (!isBegin || holder === undefined) return
  await sql.send(
    `INSERT INTO lease_span (task_id, fence, agent_id, began_at, ending) VALUES (?, ?, ?, ?, 'held')
      ON CONFLICT (task_id, fence, agent_id) DO UPDATE SET ended_at = NULL, ending = 'held', reason = NULL`,
    [subject, Number(fence ?? 0), holder, at],
  )
}

export async function pruneSpans(
  sql: Sql,
  { now, limit }: { readonly now: number; readonly limit: number },
): Promise<void> {
  await sql.send(
    `DELETE FROM lease_span WHERE (task_id, fence, agent_id) IN (
      SELECT task_id, fence, agent_id FROM lease_span WHERE ended_at < ? ORDER BY ended_at LIMIT ?)`,
    [now - SPANS_KEPT_MS, limit],
  )
}
