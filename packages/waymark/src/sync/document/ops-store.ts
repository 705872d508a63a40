import { withoutWritten } from '../arrival.ts'
import { eraseAnswers } from '../../core/idempotency-store.ts'
import type { Entities, EntityRow, Stamp } from '../../entity/store.ts'
import type { RelationKey, RelationRow, Relations } from '../../relation/store.ts'
import type { Sql } from '../../core/store/sql.ts'
import { askForSweep } from '../../core/store/sweeper.ts'

/** A relation as its source entity carries it. */
export interface RelationValue {
  readonly created_at: number
  readonly created_by: string | null
  readonly properties: Readonly<Record<string, unknown>>
}

/** What one write changed of one entity. What is absent stayed as it was. */
export interface EntityChange {
  /** Fields with one value, by their column names. */
  readonly fields?: Readonly<Record<string, unknown>>
  readonly content?: string | null
  /** All tags, as they are now. */
  readonly tags?: readonly string[]
  /** The properties that changed; `null` is for one that is gone. */
  readonly properties?: Readonly<Record<string, unknown>>
  /** Relations that start at the entity, by `type target`; `null` is for one that is gone. */
  readonly relations?: Readonly<Record<string, RelationValue | null>>
  /** True is for a tombstone, false for an entity that was brought back on purpose. */
  readonly deleted?: boolean
  /** Another number, because two clones gave out the same one. */
  readonly renumbered?: number
}

type Recorder = (entityId: string, stamp: Stamp, change: EntityChange) => Promise<void>

/**
 * The same entities and relations, with every change written down beside it, so that it can be merged with what
 * others have changed. Writing it down is all: documents are brought up to date when there is somebody to merge with.
 */
export function withOps(
  sql: Sql,
  rows: { readonly entities: Entities; readonly relations: Relations },
): { entities: Entities; relations: Relations } {
  const record = createRecorder(sql)
  return {
    entities: {
      ...recordEntities(sql, rows.entities, record),
      async purge(id) {
        await rows.entities.purge(id)
        await erase(sql, id, false)
      },
    },
    relations: recordRelations(rows.relations, record),
  }
}

export function createRecorder(sql: Sql): Recorder {
  return async (entityId, { at, by }, change) => {
    await sql.run('INSERT INTO op (entity_id, at, by, change) VALUES (?, ?, ?, ?)', [
      entityId,
      at,
      by,
      JSON.stringify(change),
    ])
  }
}

/**
 * Leaves nothing of a deleted entity but its id, its number, which is never given again, and who deleted it. From now
 * on whatever is said about it is not listened to. `isLogged`: the log says so already.
 */
export async function erase(sql: Sql, id: string, isLogged: boolean): Promise<void> {
  await sql.run(
    `UPDATE entity SET created_by = NULL, updated_by = NULL, origin = NULL, arrival = NULL
      WHERE id = ?`,
    [id],
  )
  // What was told about it at the time repeats its title or its key, and answers kept for a repeated call its text.
  await sql.run(`UPDATE event SET data = '{}' WHERE subject = ?`, [id])
  await sql.run(
    `UPDATE event SET data = json_remove(data, '$.task_key')
      WHERE subject IN (SELECT CAST(id AS TEXT) FROM message WHERE task_id = ?)
        AND type = 'message.sent' AND json_valid(data)`,
    [id],
  )
  await eraseAnswers(sql, id)
  await sql.run('UPDATE lease SET release_reason = NULL, ended_by = NULL WHERE task_id = ?', [id])
  await sql.run('DELETE FROM op WHERE entity_id = ?', [id])
  await sql.run('DELETE FROM stray WHERE entity_id = ?', [id])
  await sql.run('DELETE FROM purge_request WHERE entity_id = ?', [id])
  await sql.run('DELETE FROM dangling WHERE source_id = ? OR target_id = ?', [id, id])
  await sql.run(`UPDATE relation SET properties = '{}' WHERE source_id = ? OR target_id = ?`, [
    id,
    id,
  ])
  await sql.run(
    `INSERT INTO replica (entity_id, document, logged, dirty, revision) VALUES (?, NULL, NULL, ?, 1)
      ON CONFLICT (entity_id) DO UPDATE SET document = NULL, logged = NULL,
        dirty = excluded.dirty, revision = revision + 1`,
    [id, Number(!isLogged)],
  )
  await askForSweep(sql)
}

/** A text that came from elsewhere counts as written here once it was. */
async function settleArrival(sql: Sql, before: EntityRow, after: EntityRow): Promise<EntityRow> {
  if (after.arrival === null) return after
  const written = (['title', 'content'] as const).filter((part) => before[part] !== after[part])
  const arrival = withoutWritten(after.arrival, written)
  if (arrival === after.arrival) return after
  const value = arrival === null ? null : JSON.stringify(arrival)
  await sql.run('UPDATE entity SET arrival = ? WHERE id = ?', [value, after.id])
  return { ...after, arrival }
}

function recordEntities(sql: Sql, entities: Entities, record: Recorder): Entities {
  return {
    ...entities,
    async insert(entity) {
      const row = await entities.insert(entity)
      await record(row.id, { at: row.updatedAt, by: row.updatedBy }, toCreation(row))
      return row
    },
    async update(id, changes, stamp) {
      const before = await entities.byId(id)
      const after = await entities.update(id, changes, stamp)
      if (before === undefined || after === undefined) return after
      await record(id, stamp, toChange(before, after))
      return await settleArrival(sql, before, after)
    },
    async remove(id, stamp) {
      const removed = await entities.remove(id, stamp)
      if (removed) await record(id, stamp, { deleted: true })
      return removed
    },
  }
}

function recordRelations(relations: Relations, record: Recorder): Relations {
  const recordGone = (key: RelationKey, stamp: Stamp): Promise<void> =>
    record(key.sourceId, stamp, { relations: { [toRelationName(key)]: null } })
  return {
    ...relations,
    async insert(relation) {
      const inserted = await relations.insert(relation)
      const { createdAt: at, createdBy: by } = relation
      if (inserted) {
        const change = { [toRelationName(relation)]: toRelationValue(relation) }
        await record(relation.sourceId, { at, by }, { relations: change })
      }
      return inserted
    },
    async remove(key, stamp) {
      const removed = await relations.remove(key, stamp)
      if (removed) await recordGone(key, stamp)
      return removed
    },
    async removeAllOf(entityId, stamp) {
      const removed = await relations.removeAllOf(entityId, stamp)
      for (const relation of removed) await recordGone(relation, stamp)
      return removed
    },
  }
}

export function toRelationName({ type, targetId }: Pick<RelationKey, 'type' | 'targetId'>): string {
  return `${type} ${targetId}`
}

export function toRelationValue(relation: RelationRow): RelationValue {
  const { createdAt, createdBy, properties } = relation
  return { created_at: createdAt, created_by: createdBy, properties }
}

/** Everything that a row says, as if it had just been written. */
export function toCreation(row: EntityRow): EntityChange {
  const { type, number, title, content, tags, properties, createdAt, createdBy, origin } = row
  return {
    fields: {
      type,
      number,
      title,
      created_at: createdAt,
      created_by: createdBy,
      ...(origin !== null && { origin: JSON.stringify(origin) }),
    },
    content,
    tags,
    properties,
  }
}

function toChange(before: EntityRow, after: EntityRow): EntityChange {
  const properties = toPropertiesChange(before.properties, after.properties)
  return {
    ...(before.title !== after.title && { fields: { title: after.title } }),
    ...(before.content !== after.content && { content: after.content }),
    ...(!isSame(before.tags, after.tags) && { tags: after.tags }),
    ...(Object.keys(properties).length > 0 && { properties }),
  }
}

function toPropertiesChange(
  before: EntityRow['properties'],
  after: EntityRow['properties'],
): Record<string, unknown> {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  const changed = [...names].filter((name) => !isSame(before[name], after[name]))
  return Object.fromEntries(changed.map((name) => [name, after[name] ?? null]))
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
