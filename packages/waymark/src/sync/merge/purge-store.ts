import type { Sql, SqlReader } from '../../core/store/sql.ts'
import type { EntityId } from '../../entity/entity-id.ts'

/**
 * A purge requested by another clone. `waiting`: undecided. `deleted`: the entity is deleted here and can be restored.
 * `kept`: it was restored. In all states the entity is no longer sent.
 */
export interface PurgeRequest {
  readonly entityId: EntityId
  readonly state: 'waiting' | 'deleted' | 'kept'
  /** The remote that brought it. */
  readonly remote: string | null
  /** When it was first seen: milliseconds since 1970. */
  readonly at: number
}

const COLUMNS = 'entity_id AS entityId, state, remote, first_seen AS at'

export function createPurgeRequestReader(sql: SqlReader) {
  return {
    find: (entityId: EntityId): Promise<PurgeRequest | undefined> =>
      sql.get<PurgeRequest>(`SELECT ${COLUMNS} FROM purge_request WHERE entity_id = ?`, [entityId]),

    /** Those about these entities. */
    among: (entityIds: readonly EntityId[]): Promise<PurgeRequest[]> =>
      sql.all<PurgeRequest>(
        `SELECT ${COLUMNS} FROM purge_request WHERE entity_id IN (SELECT value FROM json_each(?))`,
        [JSON.stringify(entityIds)],
      ),

    /** Undecided requests, oldest first. */
    open: (): Promise<PurgeRequest[]> =>
      sql.all<PurgeRequest>(
        `SELECT ${COLUMNS} FROM purge_request WHERE state <> 'kept' ORDER BY first_seen, entity_id`,
      ),

    /** All entities that another clone has purged and this one has not. */
    async ids(): Promise<ReadonlySet<EntityId>> {
      const rows = await sql.all<{ id: EntityId }>('SELECT entity_id AS id FROM purge_request')
      return new Set(rows.map(({ id }) => id))
    },
  }
}

export function createPurgeRequests(sql: Sql) {
  return {
    ...createPurgeRequestReader(sql),

    async put({ entityId, remote, at }: Omit<PurgeRequest, 'state'>): Promise<void> {
      await sql.run(
        `INSERT INTO purge_request (entity_id, state, remote, first_seen)
          VALUES (?, 'waiting', ?, ?) ON CONFLICT DO NOTHING`,
        [entityId, remote, at],
      )
    },

    async setState(entityId: EntityId, state: PurgeRequest['state']): Promise<void> {
      await sql.run('UPDATE purge_request SET state = ? WHERE entity_id = ?', [state, entityId])
    },

    async forget(entityId: EntityId): Promise<void> {
      await sql.run('DELETE FROM purge_request WHERE entity_id = ?', [entityId])
    },
  }
}
