import type { EntityRow } from '../entity/store.ts'
import { type EntityRecord, JOINED_ENTITY_COLUMNS, toEntity } from '../entity/entity-record.ts'
import type { SqlReader, SqlValue } from '../core/store/sql.ts'
import { BLOCKED, type Blocked, readsOfIndex, wholeOf } from './index-store.ts'
import { createCardReader } from './board/card-store.ts'
import type { TaskStatus } from './task.ts'
import { createOrderReader } from './order/store.ts'
import { createTaskQueue, POSITION } from './queue/store.ts'
import type { EntityId } from '../entity/entity-id.ts'

/** Enough of a task to name it. */
interface TaskReference {
  readonly id: EntityId
  readonly number: number
  readonly key: string | null
}

/** A task at the other end of an edge. */
export interface TaskNeighbour extends TaskReference {
  /** Where the edge leads: from the task that was asked for, or to it. */
  readonly direction: 'from' | 'to'
  readonly type: string
  readonly title: string
  readonly status: TaskStatus
  readonly priority: number
  /** 1 when it blocks no other task any more. */
  readonly resolved: number
}

export type TaskReader = ReturnType<typeof createTaskReader>

export function createTaskReader(sql: SqlReader) {
  const all = async (statement: string, values: readonly SqlValue[]): Promise<EntityRow[]> =>
    (await sql.all<EntityRecord>(statement, values)).map(toEntity)

  const directBlockers = (id: EntityId, condition: string): Promise<EntityRow[]> =>
    all(
      `SELECT ${JOINED_ENTITY_COLUMNS} FROM relation AS r
        JOIN task AS t ON t.id = r.source_id AND ${condition}
        JOIN entity AS e ON e.id = t.id
        WHERE r.target_id = ? AND r.type = 'blocks' AND r.deleted_at IS NULL
        ORDER BY ${POSITION}`,
      [id],
    )

  return {
    ...createTaskQueue(sql),
    ...createCardReader(sql),
    ...createOrderReader(sql),

    byKey: (key: string): Promise<EntityRow[]> =>
      all(
        `SELECT ${JOINED_ENTITY_COLUMNS} FROM task AS t JOIN entity AS e ON e.id = t.id
          WHERE t.key = ? ORDER BY t.number`,
        [key],
      ),

    /** Case does not matter. Reads all keys, so an exact match is looked for first. */
    byKeyInAnyCase: (key: string): Promise<EntityRow[]> =>
      all(
        `SELECT ${JOINED_ENTITY_COLUMNS} FROM task AS t JOIN entity AS e ON e.id = t.id
          WHERE t.id IN (SELECT id FROM task WHERE lower(key) = lower(?)) ORDER BY t.number`,
        [key],
      ),

    /** Clones that imported it independently have duplicates; those that are not cancelled come first. */
    byExternalRef: (reference: string): Promise<EntityRow[]> =>
      all(
        `SELECT ${JOINED_ENTITY_COLUMNS} FROM task AS t JOIN entity AS e ON e.id = t.id
          WHERE t.external_ref = ? ORDER BY t.status = 'cancelled', t.number`,
        [reference],
      ),

    /** What a change of the task reads to keep the queue up to date. */
    readsOfIndex: (id: EntityId): Promise<unknown>[] => readsOfIndex(sql, id),

    /** Why it is not to be worked on now, if there is a reason. */
    async blockedBy(id: EntityId): Promise<Blocked> {
      const row = await sql.get<{ blocked: Blocked }>('SELECT blocked FROM task WHERE id = ?', [id])
      return row?.blocked ?? BLOCKED.no
    },

    /** The unresolved tasks that block this one directly. */
    blockersOf: (id: EntityId): Promise<EntityRow[]> => directBlockers(id, 't.resolved = 0'),

    /** Of these, the ones that are not closed: a task that waits for its verification is. */
    openBlockersOf: (id: EntityId): Promise<EntityRow[]> => directBlockers(id, 't.closed = 0'),

    /** The unresolved tasks that block this one, or an open task that it is a part of. */
    allBlockersOf: (id: EntityId): Promise<EntityRow[]> =>
      all(
        `WITH RECURSIVE ${wholeOf('?')}
          SELECT ${JOINED_ENTITY_COLUMNS} FROM task AS t JOIN entity AS e ON e.id = t.id
            WHERE t.resolved = 0 AND t.id IN (
              SELECT r.source_id FROM whole
                CROSS JOIN relation AS r ON r.target_id = whole.id AND r.type = 'blocks'
                  AND r.deleted_at IS NULL)
            ORDER BY ${POSITION}`,
        [id],
      ),

    /** The tasks that block each of these, resolved or not, by the task that depends on them. */
    async dependenciesOf(ids: readonly EntityId[]): Promise<ReadonlyMap<string, TaskReference[]>> {
      const rows = await sql.all<TaskReference & { dependant: string }>(
        `SELECT r.target_id AS dependant, t.id, t.number, t.key FROM relation AS r
          JOIN task AS t ON t.id = r.source_id
          WHERE r.target_id IN (${placeholders(ids)}) AND r.type = 'blocks'
            AND r.deleted_at IS NULL
          ORDER BY t.number`,
        ids,
      )
      const found = new Map<string, TaskReference[]>()
      for (const { dependant, ...task } of rows) {
        found.set(dependant, [...(found.get(dependant) ?? []), task])
      }
      return found
    },

    /** The live tasks that edges between tasks lead to and come from, in the order of the queue. */
    async neighbours(id: EntityId): Promise<TaskNeighbour[]> {
      const end = (direction: 'from' | 'to', here: string, there: string): string =>
        `SELECT '${direction}' AS direction, r.type, t.resolved, t.id, t.number AS number, t.key, e.title,
            t.status, t.priority, t.rank, t.due
          FROM relation AS r CROSS JOIN task AS t ON t.id = r.${there}
          CROSS JOIN entity AS e ON e.id = t.id
          WHERE r.${here} = ? AND r.deleted_at IS NULL
            AND r.type IN ('blocks', 'subtask_of', 'discovered_from', 'duplicates')`
      return await sql.all<TaskNeighbour>(
        `${end('from', 'source_id', 'target_id')} UNION ALL ${end('to', 'target_id', 'source_id')}
          ORDER BY priority, rank, due, number`,
        [id, id],
      )
    },

    /** The live tasks at the other end of edges of this type. */
    related(id: EntityId, type: string, direction: 'from' | 'to'): Promise<EntityRow[]> {
      const [here, there] =
        direction === 'from' ? ['source_id', 'target_id'] : ['target_id', 'source_id']
      return all(
        `SELECT ${JOINED_ENTITY_COLUMNS} FROM relation AS r JOIN task AS t ON t.id = r.${there}
          JOIN entity AS e ON e.id = t.id
          WHERE r.${here} = ? AND r.type = ? AND r.deleted_at IS NULL ORDER BY ${POSITION}`,
        [id, type],
      )
    },

    /** The open tasks that nothing blocks any more now that this one is resolved, parts of such tasks included. */
    freedBy: (id: EntityId): Promise<EntityRow[]> =>
      all(
        `WITH RECURSIVE dependant (id) AS (
            SELECT target_id FROM relation
              WHERE source_id = ? AND type = 'blocks' AND deleted_at IS NULL
            UNION
            SELECT r.source_id FROM dependant AS d
              JOIN task AS p ON p.id = d.id AND p.closed = 0
              JOIN relation AS r ON r.target_id = d.id
                AND r.type = 'subtask_of' AND r.deleted_at IS NULL)
          SELECT ${JOINED_ENTITY_COLUMNS} FROM task AS t JOIN entity AS e ON e.id = t.id
            -- Not a join: that would walk through all that is ready to find the few that are in the list.
            WHERE t.id IN (SELECT id FROM dependant) AND t.closed = 0 AND t.blocked = 0
            ORDER BY ${POSITION}`,
        [id],
      ),

    /** The open tasks that it is a part of, if all parts are closed and nothing blocks them. */
    closableAfter: (id: EntityId): Promise<EntityRow[]> =>
      all(
        `SELECT ${JOINED_ENTITY_COLUMNS} FROM relation AS r
          JOIN task AS t ON t.id = r.target_id AND t.closed = 0 AND t.blocked = ${BLOCKED.no}
          JOIN entity AS e ON e.id = t.id
          WHERE r.source_id = ? AND r.type = 'subtask_of' AND r.deleted_at IS NULL
          ORDER BY ${POSITION}`,
        [id],
      ),

    async counts(): Promise<ReadonlyMap<string, number>> {
      const rows = await sql.all<{ status: string; count: number }>(
        'SELECT status, count(*) AS count FROM task GROUP BY status ORDER BY status',
      )
      return new Map(rows.map(({ status, count }) => [status, count]))
    },

    /** Done, but blocking other tasks until verified. */
    async countUnverified(): Promise<number> {
      const row = await sql.get<{ count: number }>(
        'SELECT count(*) AS count FROM task WHERE closed = 1 AND resolved = 0',
      )
      return row?.count ?? 0
    },
  }
}

function placeholders(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ')
}
