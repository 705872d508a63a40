import type { Sql, SqlReader } from '../../core/store/sql.ts'

/**
 * A purge requested by another clone. `waiting`: undecided. `deleted`: the entity is deleted here and can be restored.
 * `kept`: it was restored. In all states the entity is no longer sent.
 */
export interface PurgeRequest {
  readonly entityId: string
  readonly state: 'waiting' | 'deleted' | 'kept'
  /** The remote that brought it. */
  readonly remote: string | null
  /** When it was first seen: milliseconds since 1970. */
  readonly at: number
}

export interface PurgeRequestReader {
  find(entityId: string): Promise<PurgeRequest | undefined>
  /** Those about these entities. */
  among(entityIds: readonly string[]): Promise<PurgeRequest[]>
  /** Undecided requests, oldest first. */
  open(): Promise<PurgeRequest[]>
  /** All entities that another clone has purged and this one has not. */
  ids(): Promise<ReadonlySet<string>>
}

export interface PurgeRequests extends PurgeRequestReader {
  put(request: Omit<PurgeRequest, 'state'>): Promise<void>
  setState(entityId: string, state: PurgeRequest['state']): Promise<void>
  forget(entityId: string): Promise<void>
}

const COLUMNS = 'entity_id AS entityId, state, remote, first_seen AS at'

export function createPurgeRequestReader(sql: SqlReader): PurgeRequestReader {
  return {
    find: (entityId) =>
      sql.get<PurgeRequest>(`SELECT ${COLUMNS} FROM purge_request WHERE entity_id = ?`, [entityId]),

    among: (entityIds) =>
      sql.all<PurgeRequest>(
        `SELECT ${COLUMNS} FROM purge_request WHERE entity_id IN (SELECT value FROM json_each(?))`,
        [JSON.stringify(entityIds)],
      ),

    open: () =>
      sql.all<PurgeRequest>(
        `SELECT ${COLUMNS} FROM purge_request WHERE state <> 'kept' ORDER BY first_seen, entity_id`,
      ),

    async ids() {
      const rows = await sql.all<{ id: string }>('SELECT entity_id AS id FROM purge_request')
      return new Set(rows.map(({ id }) => id))
    },
  }
}

export function createPurgeRequests(sql: Sql): PurgeRequests {
  return {
    ...createPurgeRequestReader(sql),

    async put({ entityId, remote, at }) {
      await sql.run(
        `INSERT OR IGNORE INTO purge_request (entity_id, state, remote, first_seen)
          VALUES (?, 'waiting', ?, ?)`,
        [entityId, remote, at],
      )
    },

    async setState(entityId, state) {
      await sql.run('UPDATE purge_request SET state = ? WHERE entity_id = ?', [state, entityId])
    },

    async forget(entityId) {
      await sql.run('DELETE FROM purge_request WHERE entity_id = ?', [entityId])
    },
  }
}
