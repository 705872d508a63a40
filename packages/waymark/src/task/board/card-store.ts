import { parseStored } from '../../core/store/stored-json.ts'
import type { SqlReader, SqlValue } from '../../core/store/sql.ts'
import { NO_DUE_DATE } from '../index-store.ts'
import type { Condition } from '../queue/selection-store.ts'
import type { BoardColumn, Card } from './card.ts'
import type { EntityId } from '../../entity/entity-id.ts'

export interface CardQuery {
  /** About the table `task AS t`. */
  readonly condition: Condition
  /** Milliseconds since 1970, to judge which leases have run out. */
  readonly now: number
  readonly limit: number
}

interface CardRecord {
  readonly number: number
  readonly id: EntityId
  readonly title: string
  readonly status: string
  readonly priority: number
  readonly rank: number
  readonly tags: string
  readonly assignee: string | null
  readonly due: string
  readonly defer_until: number | null
  readonly closed: number
  readonly resolved: number
  readonly blocked: number
  readonly parent: number | null
  readonly holder_id: string | null
  readonly holder: string | null
  readonly lease_from: number | null
  readonly lease_until: number | null
  readonly parked_at: number | null
  readonly waits_for: string
  readonly parts: number
  readonly parts_closed: number
  readonly created_at: number
  readonly updated_at: number
  readonly revision: number
}

/** Neither text nor properties are read: they are most of the bytes of a task. */
const SELECT = `SELECT t.number, t.id, e.title, t.status, t.priority, t.rank, e.tags, t.assignee, t.due,
    t.defer_until, t.closed, t.resolved, t.blocked, e.created_at, e.updated_at, e.revision,
    l.agent_id AS holder_id, a.name AS holder, l.granted_at AS lease_from,
    l.expires_at AS lease_until, p.parked_at,
    (SELECT w.number FROM relation AS r CROSS JOIN task AS w ON w.id = r.target_id
      WHERE r.source_id = t.id AND r.type = 'subtask_of' AND r.deleted_at IS NULL
      ORDER BY w.number LIMIT 1) AS parent,
    (SELECT json_group_array(CAST(b.number AS TEXT)) FROM relation AS r CROSS JOIN task AS b ON b.id = r.source_id
      WHERE r.target_id = t.id AND +r.type = 'blocks' AND r.deleted_at IS NULL
        AND b.resolved = 0) AS waits_for,
    (SELECT count(*) FROM relation AS r CROSS JOIN task AS c ON c.id = r.source_id
      WHERE r.target_id = t.id AND +r.type = 'subtask_of' AND r.deleted_at IS NULL) AS parts,
    (SELECT count(*) FROM relation AS r CROSS JOIN task AS c ON c.id = r.source_id
      WHERE r.target_id = t.id AND +r.type = 'subtask_of' AND r.deleted_at IS NULL
        AND c.closed = 1) AS parts_closed
  FROM task AS t JOIN entity AS e ON e.id = t.id
  LEFT JOIN lease AS p ON p.task_id = t.id
  LEFT JOIN lease AS l ON l.task_id = t.id AND l.agent_id IS NOT NULL AND l.expires_at > ?
  LEFT JOIN agent AS a ON a.id = l.agent_id`

export function createCardReader(sql: SqlReader) {
  return {
    /** In the order of their numbers. */
    async cards({ condition, now, limit }: CardQuery): Promise<Card[]> {
      const records = await sql.all<CardRecord>(
        `${SELECT} WHERE ${condition.where} ORDER BY t.number LIMIT ?`,
        [now, ...condition.values, limit],
      )
      return records.map((record) => toCard(record, now))
    },

    /** How many tasks of the whole project stand in each column, read from indexes. */
    async countColumns(now: number): Promise<Readonly<Record<BoardColumn, number>>> {
      const row = await sql.get<Record<'all_tasks' | 'open' | CountedColumn, number>>(COUNTS, [
        now,
        now,
        now,
        now,
      ])
      const { all_tasks = 0, open = 0, in_progress = 0, ready = 0, to_verify = 0 } = row ?? {}
      return {
        ready,
        in_progress,
        waiting: open - in_progress - ready,
        to_verify,
        done: all_tasks - open - to_verify,
      }
    },

    /**
     * The tasks whose cards may differ after changes of these entities: themselves, what they block, everything below
     * that, and what they are parts of.
     */
    async affected(ids: readonly EntityId[], limit: number): Promise<EntityId[]> {
      const rows = await sql.all<{ id: EntityId }>(AFFECTED, [JSON.stringify(ids), limit])
      return rows.map(({ id }) => id)
    },
  }
}

/** A condition for the tasks with these ids. */
export function withIds(ids: readonly EntityId[]): Condition {
  const values: SqlValue[] = [JSON.stringify(ids)]
  return { where: 't.id IN (SELECT value FROM json_each(?))', values }
}

function toCard(record: CardRecord, now: number): Card {
  const { due, tags, waits_for, parked_at } = record
  return {
    ...record,
    column: columnOf(record, now),
    labels: parseStored<string[]>(tags, `tags of #${record.number}`),
    due_date: due === NO_DUE_DATE ? null : due,
    waits_for: parseStored<string[]>(waits_for, 'blockers').map(Number),
    questions: 0,
    parked: Number(parked_at !== null),
  }
}

type CountedColumn = 'ready' | 'in_progress' | 'to_verify'

/** The same rule as in `COUNTS`. */
function columnOf(record: CardRecord, now: number): BoardColumn {
  const { closed, resolved, status, holder_id, blocked, defer_until, parked_at } = record
  if (closed === 1) return resolved === 0 ? 'to_verify' : 'done'
  if (status === 'in_progress' || holder_id !== null) return 'in_progress'
  const isDeferred = defer_until !== null && defer_until > now
  return blocked !== 0 || isDeferred || parked_at !== null ? 'waiting' : 'ready'
}

const HELD = `t.id IN (SELECT task_id FROM lease WHERE agent_id IS NOT NULL AND expires_at > ?)`

const COUNTS = `SELECT (SELECT count(*) FROM task) AS all_tasks,
  (SELECT count(*) FROM task WHERE resolved = 0)
    - (SELECT count(*) FROM task WHERE closed = 1 AND resolved = 0) AS open,
  (SELECT count(*) FROM task WHERE closed = 1 AND resolved = 0) AS to_verify,
  (SELECT count(*) FROM task AS t WHERE t.closed = 0 AND t.status = 'in_progress')
    + (SELECT count(*) FROM task AS t WHERE t.closed = 0 AND t.status <> 'in_progress' AND ${HELD})
    AS in_progress,
  (SELECT count(*) FROM task AS t WHERE t.closed = 0 AND t.blocked = 0
      AND t.status <> 'in_progress' AND (t.defer_until IS NULL OR t.defer_until <= ?))
    - (SELECT count(*) FROM task AS t WHERE t.closed = 0 AND t.blocked = 0
      AND t.status <> 'in_progress' AND (t.defer_until IS NULL OR t.defer_until <= ?)
      AND (t.id IN (SELECT task_id FROM lease WHERE parked_at IS NOT NULL) OR ${HELD}))
    AS ready`

const AFFECTED = `WITH RECURSIVE subject (id) AS (SELECT value FROM json_each(?)),
  near (id) AS (
    SELECT id FROM subject
    UNION SELECT r.target_id FROM subject AS s CROSS JOIN relation AS r ON r.source_id = s.id
      AND r.type IN ('blocks', 'subtask_of')
    UNION SELECT r.source_id FROM subject AS s CROSS JOIN relation AS r ON r.target_id = s.id
      AND +r.type = 'subtask_of'),
  below (id) AS (
    SELECT id FROM near
    UNION SELECT r.source_id FROM below AS b CROSS JOIN relation AS r ON r.target_id = b.id
      AND +r.type = 'subtask_of' AND r.deleted_at IS NULL)
  SELECT id FROM below LIMIT ?`
