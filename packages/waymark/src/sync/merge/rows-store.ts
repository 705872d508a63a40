import type { Arrival } from '../arrival.ts'
import type { AfterChange } from '../../core/store/after-change.ts'
import { createEntities, type EntityRow, type Stamp } from '../../entity/store.ts'
import { countKind } from '../../entity/count/store.ts'
import { ENTITY_COLUMNS, type EntityRecord, toEntity } from '../../entity/entity-record.ts'
import { nextEntityNumber, skipNumber } from '../../core/store/counters.ts'
import { erase } from '../document/ops-store.ts'
import { createRelations, type RelationKey } from '../../relation/store.ts'
import type { Sql } from '../../core/store/sql.ts'
import type { EntityId } from '../../entity/entity-id.ts'

/** A row as its document has it. `number` is the claimed number, which may be taken. */
export type ReplicatedEntity = Omit<EntityRow, 'revision' | 'arrival'>

export interface FoundRow {
  readonly row: EntityRow
  readonly deleted: Stamp | undefined
  /** False if unreadable parts were left out, which must be restored from the document. */
  readonly isReadable: boolean
}

/**
 * Writes the rows of the nouns from merged documents. `index` follows each change; it is not recorded as one that was
 * made here.
 */
export function createReplicaRows(sql: Sql, index: AfterChange) {
  const entities = createEntities(sql, index)
  const relations = createRelations(sql, index)
  const find = async (where: string, value: string | number): Promise<FoundRow | undefined> => {
    const record = await sql.get<EntityRecord>(
      `SELECT ${ENTITY_COLUMNS} FROM entity WHERE ${where} = ?`,
      [value],
    )
    return record && toFound(record)
  }
  return {
    relations,
    /** The row, dead or alive. */
    find: (id: EntityId): Promise<FoundRow | undefined> => find('id', id),
    /** Who has this number, dead or alive. */
    holderOf: (number: number): Promise<FoundRow | undefined> => find('number', number),
    /** A number that was never used. */
    nextNumber: (): Promise<number> => nextEntityNumber(sql),

    async insert(entity: ReplicatedEntity, arrival: Arrival): Promise<EntityRow> {
      const { number, createdAt, createdBy, updatedAt, updatedBy } = entity
      const row = await entities.insert({ ...toNewEntity(entity), number, arrival })
      await skipNumber(sql, number)
      if (updatedAt === createdAt && updatedBy === createdBy) return row
      return (await entities.update(row.id, {}, { at: updatedAt, by: updatedBy })) ?? row
    },

    /**
     * Writes everything but the number, and revives a deleted row. Without an arrival the recorded one stays.
     */
    async update(entity: ReplicatedEntity, arrival?: Arrival): Promise<EntityRow> {
      const before = await find('id', entity.id)
      await sql.run(
        `UPDATE entity SET deleted_at = NULL, deleted_by = NULL, type = ?, created_at = ?, created_by = ?,
            origin = ? WHERE id = ?`,
        [
          entity.type,
          entity.createdAt,
          entity.createdBy,
          entity.origin === null ? null : JSON.stringify(entity.origin),
          entity.id,
        ],
      )
      if (before !== undefined) {
        if (before.deleted === undefined) await countKind(sql, before.row, -1)
        await countKind(sql, { type: entity.type, status: before.row.status }, 1)
      }
      const { title, content, tags, status, properties, updatedAt: at, updatedBy: by } = entity
      const kept = arrival ?? before?.row.arrival ?? null
      const changes = { title, content, tags, status, properties, arrival: kept }
      const row = await entities.update(entity.id, changes, { at, by })
      return row ?? { ...entity, arrival: kept, revision: 0 }
    },

    /** Leaves a tombstone, or corrects the one that is there. */
    async remove(id: EntityId, stamp: Stamp): Promise<void> {
      if (await entities.remove(id, stamp)) return
      await sql.run('UPDATE entity SET deleted_at = ?, deleted_by = ? WHERE id = ?', [
        stamp.at,
        stamp.by,
        id,
      ])
    },

    /** Empties what cannot be read of a row, so that it can be written again. */
    async clear(id: EntityId): Promise<void> {
      await sql.run(`UPDATE entity SET tags = '[]', properties = '{}' WHERE id = ?`, [id])
    },

    /** Empties what cannot be read of its edges; answers those that start at it. Those to nowhere are gone then. */
    async clearEdges(id: EntityId): Promise<readonly RelationKey[]> {
      await sql.run(
        'DELETE FROM dangling WHERE (source_id = ? OR target_id = ?) AND NOT json_valid(value)',
        [id, id],
      )
      const cleared = await sql.all<RelationKey>(
        `UPDATE relation SET properties = '{}'
          WHERE (source_id = ? OR target_id = ?) AND NOT json_valid(properties)
          RETURNING source_id AS sourceId, type, target_id AS targetId`,
        [id, id],
      )
      return cleared.filter(({ sourceId }) => sourceId === id)
    },

    /** Takes the entity out of the tables that queues and lists by tag are read from. */
    async unindex(id: EntityId): Promise<void> {
      await sql.run('DELETE FROM task WHERE id = ?', [id])
      await sql.run('DELETE FROM task_facet WHERE id = ?', [id])
      await sql.run('DELETE FROM tag WHERE entity_id = ?', [id])
    },

    /** Leaves nothing of the entity but its id and its number. */
    async purge(id: EntityId, stamp: Stamp, isLogged: boolean): Promise<void> {
      await relations.removeAllOf(id, stamp)
      await entities.remove(id, stamp)
      await entities.purge(id)
      await erase(sql, id, isLogged)
    },

    /** The number must be free. */
    async renumber(id: EntityId, number: number): Promise<void> {
      await sql.run('UPDATE entity SET number = ?, revision = revision + 1 WHERE id = ?', [
        number,
        id,
      ])
      await sql.run('UPDATE task SET number = ? WHERE id = ?', [number, id])
      await sql.run('UPDATE task_facet SET number = ? WHERE id = ?', [number, id])
      await skipNumber(sql, number)
    },
  }
}

function toNewEntity(entity: ReplicatedEntity) {
  const { id, type, title, content, tags, status, properties, createdAt, createdBy } = entity
  const { origin } = entity
  return { id, type, title, content, tags, status, properties, createdAt, createdBy, origin }
}

export function toFound(record: EntityRecord): FoundRow {
  const { deletedAt: at, deletedBy: by } = record
  const deleted = at === null ? undefined : { at, by }
  try {
    return { row: toEntity(record), deleted, isReadable: true }
  } catch {
    const row = toEntity({ ...record, tags: '[]', properties: '{}' })
    return { row, deleted, isReadable: false }
  }
}
