import { eraseAnswers } from '../../core/idempotency.ts'
import type { RowChange } from '../../core/store/after-change.ts'
import type { EntityRow, Stamp } from '../../entity/store.ts'
import type { RelationKey, RelationRow } from '../../relation/store.ts'
import type { Sql } from '../../core/store/sql.ts'
import { aboutSubjects, toStoredType } from '../../event/event-record.ts'
import { requestVacuum } from '../../core/store/counters.ts'
import type { EntityId } from '../../entity/entity-id.ts'

/** A relation as its source entity carries it. */
export interface RelationValue {
  readonly created_at: number
  readonly created_by: string | null
  readonly properties: Readonly<Record<string, unknown>>
}

/** The changes that one write made to one entity. Absent fields are unchanged. */
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

/** A change of one entity that was made here. */
interface NewOp {
  readonly entityId: EntityId
  readonly stamp: Stamp
  readonly change: EntityChange
}

/**
 * Records every local change for later merging. Documents are updated lazily, when there is something to merge.
 */
export async function recordOp(sql: Sql, change: RowChange): Promise<void> {
  if (change.kind === 'purged') return await erase(sql, change.id, false)
  await insertOp(sql, toOp(change))
}

function toOp(change: Exclude<RowChange, { kind: 'purged' }>): NewOp {
  const { stamp } = change
  switch (change.kind) {
    case 'inserted':
      return { entityId: change.row.id, stamp, change: toCreation(change.row) }
    case 'updated':
      return { entityId: change.row.id, stamp, change: toChange(change.before, change.row) }
    case 'removed':
      return { entityId: change.id, stamp, change: { deleted: true } }
    case 'related':
    case 'unrelated': {
      const { relation } = change
      const value = change.kind === 'related' ? toRelationValue(change.relation) : null
      const relations = { [toRelationName(relation)]: value }
      return { entityId: relation.sourceId, stamp, change: { relations } }
    }
  }
}

export async function insertOp(sql: Sql, { entityId, stamp, change }: NewOp): Promise<void> {
  await sql.send('INSERT INTO op (entity_id, at, by, change) VALUES (?, ?, ?, ?)', [
    entityId,
    stamp.at,
    stamp.by,
    toStoredChange(change, stamp),
  ])
  await forgetChangedTwice(sql, entityId, change)
}

/** A change made here, of fields that two clones have changed, has seen both. */
async function forgetChangedTwice(
  sql: Sql,
  entityId: EntityId,
  change: EntityChange,
): Promise<void> {
  const { fields, content, properties = {} } = change
  const isNew = fields?.['created_at'] !== undefined
  const names = [...Object.keys(fields ?? {}), ...Object.keys(properties)]
  if (content !== undefined) names.push('content')
  if (isNew || names.length === 0) return
  await sql.send(
    `DELETE FROM changed_twice WHERE entity_id = ? AND field IN (SELECT value FROM json_each(?))`,
    [entityId, JSON.stringify(names)],
  )
}

/**
 * Purges a deleted entity except for its id, its number, which is never reused, and who deleted it. Later updates to it
 * are ignored. `isLogged`: the log has the purge already.
 */
export async function erase(sql: Sql, id: EntityId, isLogged: boolean): Promise<void> {
  await sql.send(
    `UPDATE entity SET created_by = NULL, updated_by = NULL, origin = NULL, arrival = NULL
      WHERE id = ?`,
    [id],
  )
  // Past events contain its title or key, and stored idempotent responses its text.
  const about = aboutSubjects([id])
  await sql.send(`UPDATE event SET data = '{}' WHERE ${about.condition}`, about.values)
  await eraseKeys(sql, id)
  await eraseAnswers(sql, id)
  await sql.send(
    `UPDATE lease SET release_reason = NULL, ended_by = NULL, ended_reason = NULL WHERE task_id = ?`,
    [id],
  )
  await sql.send('UPDATE lease_notice SET ended_by = NULL, reason = NULL WHERE task_id = ?', [id])
  await sql.send('UPDATE lease_span SET reason = NULL WHERE task_id = ?', [id])
  await sql.send('DELETE FROM op WHERE entity_id = ?', [id])
  await sql.send('DELETE FROM stray WHERE entity_id = ?', [id])
  await sql.send('DELETE FROM changed_twice WHERE entity_id = ?', [id])
  await sql.send('DELETE FROM purge_request WHERE entity_id = ?', [id])
  await sql.send('DELETE FROM dangling WHERE source_id = ? OR target_id = ?', [id, id])
  await sql.send(`UPDATE relation SET properties = '{}' WHERE source_id = ? OR target_id = ?`, [
    id,
    id,
  ])
  await sql.send(
    `INSERT INTO replica (entity_id, document, logged, dirty, revision) VALUES (?, NULL, NULL, ?, 1)
      ON CONFLICT (entity_id) DO UPDATE SET document = NULL, logged = NULL,
        dirty = excluded.dirty, revision = replica.revision + 1`,
    [id, Number(!isLogged)],
  )
  await requestVacuum(sql)
}

/** Events of messages about a task have its key. */
async function eraseKeys(sql: Sql, taskId: string): Promise<void> {
  const messages = await sql.all<{ id: number }>('SELECT id FROM message WHERE task_id = ?', [
    taskId,
  ])
  if (messages.length === 0) return
  const { condition, values } = aboutSubjects(messages.map(({ id }) => String(id)))
  await sql.send(
    `UPDATE event SET data = json_remove(data, '$.task_key')
      WHERE ${condition} AND type = ? AND json_valid(data)`,
    [...values, toStoredType('message.sent')],
  )
}

export function toRelationName({ type, targetId }: Pick<RelationKey, 'type' | 'targetId'>): string {
  return `${type} ${targetId}`
}

export function toRelationValue(relation: RelationRow): RelationValue {
  const { createdAt, createdBy, properties } = relation
  return { created_at: createdAt, created_by: createdBy, properties }
}

/** All fields of a row as one change. */
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

/** A creation without the names of its parts, and without the time and the author, which its row has. */
type StoredCreation = readonly [
  fields: readonly [type: unknown, number: unknown, title: unknown, origin?: unknown],
  content: EntityChange['content'],
  tags: EntityChange['tags'],
  properties: EntityChange['properties'],
]

/** A change as it waits for its document. Most are creations, and most of what is not text in those would be names. */
export function toStoredChange(change: EntityChange, { at, by }: Stamp): string {
  const { fields, content, tags, properties, ...others } = change
  const { type, number, title, created_at, created_by, origin, ...more } = fields ?? {}
  const isUsual =
    Object.keys(others).length + Object.keys(more).length === 0 &&
    fields !== undefined &&
    CREATED.every((name) => fields[name] !== undefined) &&
    created_at === at &&
    created_by === by &&
    content !== undefined &&
    tags !== undefined &&
    properties !== undefined
  if (!isUsual) return JSON.stringify(change)
  const named = [type, number, title, ...(origin === undefined ? [] : [origin])]
  return JSON.stringify([named, content, tags, properties])
}

const CREATED = ['type', 'number', 'title', 'created_at', 'created_by'] as const

/** The JSON of the change, always the same for the same row: versions of a document are made from it. */
export function fromStoredChange(stored: string, { at, by }: Stamp): string {
  if (!stored.startsWith('[')) return stored
  const creation = parseCreation(stored)
  // The reader of the change says what is damaged.
  if (creation === undefined) return stored
  const [[type, number, title, origin], content, tags, properties] = creation
  const fields = { type, number, title, created_at: at, created_by: by, origin }
  return JSON.stringify({ fields, content, tags, properties })
}

function parseCreation(stored: string): StoredCreation | undefined {
  try {
    return JSON.parse(stored) as StoredCreation
  } catch {
    return undefined
  }
}
