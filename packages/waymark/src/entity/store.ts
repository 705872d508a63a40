import { type Arrival, withoutWritten } from '../sync/arrival.ts'
import type { Origin } from '../agent/origin.ts'
import type { AfterChange } from '../core/store/after-change.ts'
import { nextEntityNumber } from '../core/store/counters.ts'
import { ENTITY_COLUMNS, type EntityRecord, toEntity } from './entity-record.ts'
import { countKind, countTypes } from './count/store.ts'
import { createEntityLists } from './filter.ts'
import { createTagReader, forgetTags, indexTags } from './tag/store.ts'
import { type Sql, type SqlReader, toIdRange } from '../core/store/sql.ts'
import type { EntityId } from './entity-id.ts'

export interface EntityRow {
  /** UUID, lower case, with hyphens. */
  readonly id: EntityId
  /** Project-wide sequence number, given by the store. */
  readonly number: number
  readonly type: string
  readonly title: string
  readonly content: string | null
  readonly tags: readonly string[]
  readonly status: string | null
  readonly properties: Readonly<Record<string, unknown>>
  /** Milliseconds since 1970. */
  readonly createdAt: number
  readonly updatedAt: number
  readonly createdBy: string | null
  readonly updatedBy: string | null
  /** Null for entities older than this column. */
  readonly origin: Origin | null
  /** Null if written locally and not changed by a merge since. */
  readonly arrival: Arrival | null
  /** 1 when created, one more with each change. */
  readonly revision: number
}

/** A tombstone: everything the entity was when it was deleted, and who did that when. */
interface DeletedEntityRow extends EntityRow {
  readonly deletedAt: number
  readonly deletedBy: string | null
}

export type NewEntity = Omit<
  EntityRow,
  'number' | 'updatedAt' | 'updatedBy' | 'revision' | 'origin' | 'arrival'
> & {
  /** The next one when absent. */
  readonly number?: number
  readonly origin?: Origin | null
  readonly arrival?: Arrival | null
  /** The time of the local write, if the entity itself is older. */
  readonly updatedAt?: number
}

/**
 * The fields to change; a field that is absent stays as it is. Without an `arrival`, title and content count as written
 * here from now on.
 */
type EntityChanges = Partial<
  Pick<EntityRow, 'title' | 'content' | 'tags' | 'status' | 'properties' | 'arrival'>
>

/** Who changes something, and when (milliseconds since 1970, from `tx.now`). */
export interface Stamp {
  readonly at: number
  readonly by: string | null
}

/** For so long people and agents may still use the former number of an entity. */
const CONFUSABLE_MS = 7 * 24 * 60 * 60 * 1000

/** Deleted entities are invisible to every read but `deletedById`. */
export type EntityReader = ReturnType<typeof createEntityReader>

export function createEntityReader(sql: SqlReader) {
  return {
    ...createEntityLists(sql),
    ...createTagReader(sql),

    async byId(id: EntityId): Promise<EntityRow | undefined> {
      const record = await sql.get<EntityRecord>(
        `SELECT ${ENTITY_COLUMNS} FROM entity WHERE id = ? AND deleted_at IS NULL`,
        [id],
      )
      return record && toEntity(record)
    },

    async byNumber(number: number): Promise<EntityRow | undefined> {
      const record = await sql.get<EntityRecord>(
        `SELECT ${ENTITY_COLUMNS} FROM entity WHERE number = ? AND deleted_at IS NULL`,
        [number],
      )
      return record && toEntity(record)
    },

    /**
     * Entities that had this number here until a sync gave them another: `lately`, or at any time if no entity has had
     * the number since, not even a deleted one.
     */
    async formerly(number: number, when: 'lately' | 'ever'): Promise<EntityRow[]> {
      // The newest event is as good as a clock, and every change has one.
      const since = `coalesce((SELECT at FROM event ORDER BY id DESC LIMIT 1), 0) - ${CONFUSABLE_MS}`
      const condition =
        when === 'ever'
          ? 'NOT EXISTS (SELECT 1 FROM entity AS other WHERE other.number = ?)'
          : `changed_at > ${since}`
      const records = await sql.all<EntityRecord>(
        `SELECT ${ENTITY_COLUMNS} FROM entity WHERE deleted_at IS NULL AND id IN (
            SELECT entity_id FROM former_number
              WHERE former_number.number = ? AND ${condition})
          ORDER BY number`,
        when === 'ever' ? [number, number] : [number],
      )
      return records.map(toEntity)
    },

    /** At most `limit` entities whose id starts with these hex digits, in any case, with or without hyphens. */
    async byIdPrefix(prefix: string, limit: number): Promise<EntityRow[]> {
      const range = toIdRange(prefix)
      if (range === undefined) return []
      const records = await sql.all<EntityRecord>(
        `SELECT ${ENTITY_COLUMNS} FROM entity WHERE id >= ? AND id < ? AND deleted_at IS NULL
          ORDER BY id LIMIT ?`,
        [...range, limit],
      )
      return records.map(toEntity)
    },

    async deletedById(id: EntityId): Promise<DeletedEntityRow | undefined> {
      const record = await sql.get<EntityRecord>(
        `SELECT ${ENTITY_COLUMNS} FROM entity WHERE id = ?`,
        [id],
      )
      if (record === undefined || record.deletedAt === null) return undefined
      const { deletedAt, deletedBy } = record
      return { ...toEntity(record), deletedAt, deletedBy }
    },

    /** Decisions superseded by one of these, with the successor. */
    async supersededBy(ids: readonly EntityId[]): Promise<{ id: EntityId; successor: EntityId }[]> {
      if (ids.length === 0) return []
      return await sql.all<{ id: EntityId; successor: EntityId }>(
        `SELECT id, properties ->> '$.superseded_by' AS successor FROM entity
          WHERE status = 'superseded' AND deleted_at IS NULL
            AND properties ->> '$.superseded_by' IN (SELECT value FROM json_each(?))
          ORDER BY number`,
        [JSON.stringify(ids)],
      )
    },

    /** What was imported from one of these places, tasks left out, in the order of the numbers. */
    async byExternalRefs(references: readonly string[]): Promise<EntityRow[]> {
      const records = await sql.all<EntityRecord>(
        `SELECT ${ENTITY_COLUMNS} FROM entity
          WHERE type IN ('decision', 'note', 'component') AND deleted_at IS NULL
            AND properties ->> '$.external_ref' IN (SELECT value FROM json_each(?))
          ORDER BY number`,
        [JSON.stringify(references)],
      )
      return records.map(toEntity)
    },

    /** What was imported under one of these titles. */
    async importedAs(titles: readonly string[]): Promise<EntityRow[]> {
      const records = await sql.all<EntityRecord>(
        `SELECT ${ENTITY_COLUMNS} FROM entity
          WHERE title IN (SELECT value FROM json_each(?)) AND deleted_at IS NULL
            AND properties ->> '$.external_ref' IS NOT NULL`,
        [JSON.stringify(titles)],
      )
      return records.map(toEntity)
    },

    /** Entities with a number above this one, in the order of their numbers. */
    async after(number: number, limit: number): Promise<EntityRow[]> {
      const records = await sql.all<EntityRecord>(
        `SELECT ${ENTITY_COLUMNS} FROM entity WHERE number > ? AND deleted_at IS NULL
          ORDER BY number LIMIT ?`,
        [number, limit],
      )
      return records.map(toEntity)
    },

    /** How many entities there are of each type that has any. */
    async counts(): Promise<ReadonlyMap<string, number>> {
      const counted = await countTypes(sql)
      if (counted !== undefined) return counted
      const rows = await sql.all<{ type: string; count: number }>(
        `SELECT type, count(*) AS count FROM entity WHERE deleted_at IS NULL
          GROUP BY type ORDER BY type`,
      )
      return new Map(rows.map(({ type, count }) => [type, count]))
    },

    /** When an entity was last created, changed or deleted. */
    async lastModified(): Promise<number | undefined> {
      const row = await sql.get<{ at: number | null }>('SELECT max(updated_at) AS at FROM entity')
      return row?.at ?? undefined
    },
  }
}

export type Entities = ReturnType<typeof createEntities>

export function createEntities(sql: Sql, notify: AfterChange) {
  const reader = createEntityReader(sql)
  return {
    ...reader,

    async insert(entity: NewEntity): Promise<EntityRow> {
      const { number = await nextEntityNumber(sql), origin = null, arrival = null } = entity
      const { createdBy: updatedBy, updatedAt = entity.createdAt } = entity
      await sql.send(
        `INSERT INTO entity (id, number, type, title, content, tags, status, properties,
            created_at, updated_at, created_by, updated_by, origin, arrival, revision)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1)`,
        [
          entity.id,
          number,
          entity.type,
          entity.title,
          entity.content,
          JSON.stringify(entity.tags),
          entity.status,
          JSON.stringify(entity.properties),
          entity.createdAt,
          updatedAt,
          entity.createdBy,
          updatedBy,
          origin === null ? null : JSON.stringify(origin),
          arrival === null ? null : JSON.stringify(arrival),
        ],
      )
      await countKind(sql, entity, 1)
      if (entity.tags.length > 0) await indexTags(sql, entity.id, entity.tags)
      const row = { ...entity, number, updatedAt, updatedBy, origin, arrival, revision: 1 }
      await notify({ kind: 'inserted', row, stamp: { at: updatedAt, by: updatedBy } })
      return row
    },

    /** The entity as it is now, or undefined if there is none. */
    async update(
      id: EntityId,
      changes: EntityChanges,
      stamp: Stamp,
    ): Promise<EntityRow | undefined> {
      const before = await reader.byId(id)
      if (before === undefined) return undefined
      const after: EntityRow = {
        ...before,
        arrival: settledArrival(before, changes),
        ...changes,
        updatedAt: stamp.at,
        updatedBy: stamp.by,
        revision: before.revision + 1,
      }
      await sql.send(
        `UPDATE entity SET title = ?, content = ?, tags = ?, status = ?, properties = ?,
            updated_at = ?, updated_by = ?, arrival = ?, revision = ?
          WHERE id = ?`,
        [
          after.title,
          after.content,
          JSON.stringify(after.tags),
          after.status,
          JSON.stringify(after.properties),
          after.updatedAt,
          after.updatedBy,
          after.arrival === null ? null : JSON.stringify(after.arrival),
          after.revision,
          id,
        ],
      )
      if (after.status !== before.status) {
        await countKind(sql, before, -1)
        await countKind(sql, after, 1)
      }
      if (changes.tags !== undefined) {
        await forgetTags(sql, id)
        await indexTags(sql, id, after.tags)
      }
      await notify({ kind: 'updated', before, row: after, stamp })
      return after
    },

    /** Leaves a tombstone; false if there was no live entity. Relations are removed by `Relations`. */
    async remove(id: EntityId, stamp: Stamp): Promise<boolean> {
      const removed = await sql.get<Pick<EntityRow, 'type' | 'status'>>(
        `UPDATE entity SET deleted_at = ?, deleted_by = ?, updated_at = ?, updated_by = ?,
            revision = revision + 1
          WHERE id = ? AND deleted_at IS NULL RETURNING type, status`,
        [stamp.at, stamp.by, stamp.at, stamp.by, id],
      )
      if (removed === undefined) return false
      await countKind(sql, removed, -1)
      await forgetTags(sql, id)
      await notify({ kind: 'removed', id, stamp })
      return true
    },

    /** Purges a tombstone except for id, number and time of deletion. */
    async purge(id: EntityId): Promise<void> {
      await sql.send(
        `UPDATE entity SET title = '', content = NULL, tags = '[]', status = NULL, properties = '{}'
          WHERE id = ? AND deleted_at IS NOT NULL`,
        [id],
      )
      await notify({ kind: 'purged', id })
    },
  }
}

function settledArrival(before: EntityRow, changes: EntityChanges): Arrival | null {
  if (before.arrival === null) return null
  const written = (['title', 'content'] as const).filter(
    (part) => changes[part] !== undefined && changes[part] !== before[part],
  )
  return withoutWritten(before.arrival, written)
}
