import type { AfterChange } from '../core/store/after-change.ts'
import type { Sql, SqlReader, SqlValue } from '../core/store/sql.ts'
import type { Stamp } from '../entity/store.ts'
import { parseStored } from '../core/store/stored-json.ts'

/** An edge. There is at most one of a type from one entity to another. */
export interface RelationRow {
  readonly sourceId: string
  readonly type: string
  readonly targetId: string
  readonly properties: Readonly<Record<string, unknown>>
  readonly createdAt: number
  readonly createdBy: string | null
}

export type RelationKey = Pick<RelationRow, 'sourceId' | 'type' | 'targetId'>

/** `from`: edges that start at the entity; `to`: edges that end there. */
export type RelationDirection = 'from' | 'to' | 'both'

export interface RelationReader {
  find(key: RelationKey): Promise<RelationRow | undefined>
  of(entityId: string, direction: RelationDirection): Promise<RelationRow[]>
  count(): Promise<number>
  /** When a relation was last made or removed. */
  lastModified(): Promise<number | undefined>
}

export interface Relations extends RelationReader {
  /** False if this edge exists already, which is then left as it is. A deleted edge comes back as a new one. */
  insert(relation: RelationRow): Promise<boolean>
  /** Says whether there was such an edge. */
  remove(key: RelationKey, stamp: Stamp): Promise<boolean>
  /** Removes every edge that touches the entity and returns what it removed. */
  removeAllOf(entityId: string, stamp: Stamp): Promise<RelationRow[]>
}

const COLUMNS = 'source_id, type, target_id, properties, created_at, created_by'

interface RelationRecord {
  readonly source_id: string
  readonly type: string
  readonly target_id: string
  readonly properties: string
  readonly created_at: number
  readonly created_by: string | null
}

export function createRelationReader(sql: SqlReader): RelationReader {
  return {
    async find({ sourceId, type, targetId }) {
      const record = await sql.get<RelationRecord>(
        `SELECT ${COLUMNS} FROM relation
          WHERE source_id = ? AND type = ? AND target_id = ? AND deleted_at IS NULL`,
        [sourceId, type, targetId],
      )
      return record && toRelation(record)
    },

    async of(entityId, direction) {
      const { where, values } = toCondition(entityId, direction)
      const records = await sql.all<RelationRecord>(
        `SELECT ${COLUMNS} FROM relation WHERE ${where} AND deleted_at IS NULL
          ORDER BY created_at, source_id, type, target_id`,
        values,
      )
      return records.map(toRelation)
    },

    async count() {
      const row = await sql.get<{ count: number }>(
        'SELECT count(*) AS count FROM relation WHERE deleted_at IS NULL',
      )
      return row?.count ?? 0
    },

    async lastModified() {
      const row = await sql.get<{ at: number | null }>(
        'SELECT max(max(created_at, coalesce(deleted_at, 0))) AS at FROM relation',
      )
      return row?.at ?? undefined
    },
  }
}

export function createRelations(sql: Sql, notify: AfterChange): Relations {
  return {
    ...createRelationReader(sql),

    async insert(relation) {
      const { sourceId, type, targetId, properties, createdAt, createdBy } = relation
      const inserted = await sql.run(
        `INSERT INTO relation (source_id, type, target_id, properties, created_at, created_by)
          VALUES (?, ?, ?, ?, ?, ?)
          ON CONFLICT (source_id, type, target_id) DO UPDATE SET
            properties = excluded.properties, created_at = excluded.created_at,
            created_by = excluded.created_by, deleted_at = NULL, deleted_by = NULL
          WHERE relation.deleted_at IS NOT NULL`,
        [sourceId, type, targetId, JSON.stringify(properties), createdAt, createdBy],
      )
      if (inserted === 0) return false
      await notify({ kind: 'related', relation, stamp: { at: createdAt, by: createdBy } })
      return true
    },

    async remove(key, stamp) {
      const removed = await sql.run(
        `UPDATE relation SET deleted_at = ?, deleted_by = ?
          WHERE source_id = ? AND type = ? AND target_id = ? AND deleted_at IS NULL`,
        [stamp.at, stamp.by, key.sourceId, key.type, key.targetId],
      )
      if (removed === 0) return false
      await notify({ kind: 'unrelated', relation: key, stamp })
      return true
    },

    async removeAllOf(entityId, stamp) {
      const { where, values } = toCondition(entityId, 'both')
      const records = await sql.all<RelationRecord>(
        `UPDATE relation SET deleted_at = ?, deleted_by = ?
          WHERE ${where} AND deleted_at IS NULL RETURNING ${COLUMNS}`,
        [stamp.at, stamp.by, ...values],
      )
      const removed = records.map(toRelation)
      for (const relation of removed) await notify({ kind: 'unrelated', relation, stamp })
      return removed
    },
  }
}

function toCondition(
  entityId: string,
  direction: RelationDirection,
): { where: string; values: SqlValue[] } {
  switch (direction) {
    case 'from':
      return { where: 'source_id = ?', values: [entityId] }
    case 'to':
      return { where: 'target_id = ?', values: [entityId] }
    case 'both':
      return { where: '(source_id = ? OR target_id = ?)', values: [entityId, entityId] }
  }
}

function toRelation(record: RelationRecord): RelationRow {
  return {
    sourceId: record.source_id,
    type: record.type,
    targetId: record.target_id,
    properties: parseStored(record.properties, `a relation of ${record.source_id.slice(0, 7)}`),
    createdAt: record.created_at,
    createdBy: record.created_by,
  }
}
