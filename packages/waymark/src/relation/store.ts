import type { AfterChange } from '../core/store/after-change.ts'
import {
  camelColumns,
  type Sql,
  type SqlReader,
  type SqlValue,
  type Stored,
} from '../core/store/sql.ts'
import type { Stamp } from '../entity/store.ts'
import { parseStored } from '../core/store/stored-json.ts'
import type { EntityId } from '../entity/entity-id.ts'

/** An edge. There is at most one of a type from one entity to another. */
export interface RelationRow {
  readonly sourceId: EntityId
  readonly type: string
  readonly targetId: EntityId
  readonly properties: Readonly<Record<string, unknown>>
  readonly createdAt: number
  readonly createdBy: string | null
}

export type RelationKey = Pick<RelationRow, 'sourceId' | 'type' | 'targetId'>

/** `from`: edges that start at the entity; `to`: edges that end there. */
export type RelationDirection = 'from' | 'to' | 'both'

type RelationRecord = Stored<RelationRow, 'properties'>

const COLUMNS = camelColumns('source_id, type, target_id, properties, created_at, created_by')

/** How many links of all entities of a search are read. */
const MOST_LINKED = 1_000

export function createRelationReader(sql: SqlReader) {
  return {
    async find({ sourceId, type, targetId }: RelationKey): Promise<RelationRow | undefined> {
      const record = await sql.get<RelationRecord>(
        `SELECT ${COLUMNS} FROM relation
          WHERE source_id = ? AND type = ? AND target_id = ? AND deleted_at IS NULL`,
        [sourceId, type, targetId],
      )
      return record && toRelation(record)
    },

    async of(entityId: EntityId, direction: RelationDirection): Promise<RelationRow[]> {
      const { where, values } = toCondition(entityId, direction)
      const records = await sql.all<RelationRecord>(
        `SELECT ${COLUMNS} FROM relation WHERE ${where} AND deleted_at IS NULL
          ORDER BY created_at, source_id, type, target_id`,
        values,
      )
      return records.map(toRelation)
    },

    /**
     * The first few edges of an entity and how many there are. Its own come first, because they are few, and mere
     * references last, because they say less than any other type.
     */
    async foremost(
      entityId: EntityId,
      { except, limit }: { readonly except: readonly string[]; readonly limit: number },
    ): Promise<{ readonly relations: RelationRow[]; readonly total: number }> {
      const { where, values } = toCondition(entityId, 'both')
      const edges = `FROM relation WHERE ${where} AND deleted_at IS NULL
          AND type NOT IN (SELECT value FROM json_each(?))`
      const given = [...values, JSON.stringify(except)]
      const records = await sql.all<RelationRecord>(
        `SELECT ${COLUMNS} ${edges}
          ORDER BY type = 'references', source_id <> ?, created_at DESC, source_id, type, target_id
          LIMIT ?`,
        [...given, entityId, limit],
      )
      const row = await sql.get<{ total: number }>(`SELECT count(*) AS total ${edges}`, given)
      return { relations: records.map(toRelation), total: row?.total ?? 0 }
    },

    /** Titles of what each of these entities is linked to, in either direction, by entity. */
    async linkedTitles(ids: readonly EntityId[]): Promise<ReadonlyMap<string, readonly string[]>> {
      const list = JSON.stringify(ids)
      const rows = await sql.all<{ id: EntityId; title: string }>(
        `SELECT r.source_id AS id, e.title FROM relation r JOIN entity e ON e.id = r.target_id
          WHERE r.source_id IN (SELECT value FROM json_each(?))
            AND r.deleted_at IS NULL AND e.deleted_at IS NULL
          UNION ALL
          SELECT r.target_id, e.title FROM relation r JOIN entity e ON e.id = r.source_id
          WHERE r.target_id IN (SELECT value FROM json_each(?))
            AND r.deleted_at IS NULL AND e.deleted_at IS NULL
          LIMIT ${MOST_LINKED}`,
        [list, list],
      )
      const titles = new Map<string, string[]>()
      for (const { id, title } of rows) titles.set(id, [...(titles.get(id) ?? []), title])
      return titles
    },

    async count(): Promise<number> {
      const row = await sql.get<{ count: number }>(
        'SELECT count(*) AS count FROM relation WHERE deleted_at IS NULL',
      )
      return row?.count ?? 0
    },

    /** When a relation was last made or removed. */
    async lastModified(): Promise<number | undefined> {
      const row = await sql.get<{ at: number | null }>(
        'SELECT max(max(created_at, coalesce(deleted_at, 0))) AS at FROM relation',
      )
      return row?.at ?? undefined
    },
  }
}

export type Relations = ReturnType<typeof createRelations>

export function createRelations(sql: Sql, notify: AfterChange) {
  return {
    ...createRelationReader(sql),

    /** False if this edge exists already, which is then left as it is. A deleted edge comes back as a new one. */
    async insert(relation: RelationRow): Promise<boolean> {
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

    /** Says whether there was such an edge. */
    async remove(key: RelationKey, stamp: Stamp): Promise<boolean> {
      const removed = await sql.run(
        `UPDATE relation SET deleted_at = ?, deleted_by = ?
          WHERE source_id = ? AND type = ? AND target_id = ? AND deleted_at IS NULL`,
        [stamp.at, stamp.by, key.sourceId, key.type, key.targetId],
      )
      if (removed === 0) return false
      await notify({ kind: 'unrelated', relation: key, stamp })
      return true
    },

    /** Removes every edge that touches the entity and returns what it removed. */
    async removeAllOf(entityId: EntityId, stamp: Stamp): Promise<RelationRow[]> {
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
  entityId: EntityId,
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
  const { properties, sourceId } = record
  return { ...record, properties: parseStored(properties, `a relation of ${sourceId.slice(0, 7)}`) }
}
