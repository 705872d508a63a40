import type { Verification } from '../../git/objects/verification.ts'
import type { Reference } from '../../entity/reference.ts'
import type { Stamp } from '../../entity/store.ts'
import { raiseCounter } from '../../core/store/counters.ts'
import { createChangedTwice, createChangedTwiceReader } from './changed-twice-store.ts'
import { createFormerNumbers } from './numbers/former-numbers.ts'
import { createNumberClaims } from './numbers/number-claims.ts'
import { ENTITY_COLUMNS, type EntityRecord } from '../../entity/entity-record.ts'
import {
  insertOp,
  type EntityChange,
  type RelationValue,
  toRelationValue,
} from '../document/ops-store.ts'
import { fromStoredSubject } from '../../event/event-record.ts'
import { fromStoredChange } from '../document/ops-store.ts'
import { createPushState, createPushStateReader } from './push-state-store.ts'
import { createPurgeRequestReader, createPurgeRequests } from './purge-store.ts'
import type { RelationKey, RelationRow } from '../../relation/store.ts'
import { createReplicaRows, type FoundRow, toFound } from './rows-store.ts'
import { createSetAside, createSetAsideReader } from '../log/set-aside-store.ts'
import type { AfterChange } from '../../core/store/after-change.ts'
import { type Sql, type SqlReader, toIdRange } from '../../core/store/sql.ts'
import { parseStored } from '../../core/store/stored-json.ts'
import { type EntityId, toEntityId } from '../../entity/entity-id.ts'

/** A change that waits to become part of its entity's document. */
export interface Op extends Stamp {
  readonly id: number
  /** An `EntityChange` as JSON, always the same text for the same change. */
  readonly change: string
}

/** An entity's document as it is kept. */
export interface StoredDocument {
  readonly entityId: EntityId
  /** Nothing when the entity was purged. */
  readonly document: Uint8Array | null
  /** The version that the log has; nothing while it has none. */
  readonly logged: Uint8Array | null
  readonly isDirty: boolean
  readonly revision: number
}

type NewDocument = Omit<StoredDocument, 'revision'>

/** A line of the log that waits for another one. */
interface Stray {
  readonly hash: string
  readonly line: string
  /** Of the commit that brought it. */
  readonly verification?: Verification | undefined
}

/** Who signed the commit of a segment: this clone, or another. */
export type SegmentSigner = 'own' | 'other'

type DocumentRecord = Omit<StoredDocument, 'isDirty'> & { readonly isDirty: number }
type DanglingRecord = RelationKey & { readonly value: string }

const EDGE = 'source_id AS sourceId, type, target_id AS targetId'
const DOCUMENT = 'entity_id AS entityId, document, logged, dirty AS isDirty, revision'
/** What another clone has purged is not written to the log again. */
const MAY_BE_SENT = 'entity_id NOT IN (SELECT entity_id FROM purge_request)'

/** What merging needs to know; nothing else reads it. */
export type ReplicaReader = ReturnType<typeof createReplicaReader>

export function createReplicaReader(sql: SqlReader) {
  const documents = async (where: string, after: string, limit: number) => {
    const records = await sql.all<DocumentRecord>(
      `SELECT ${DOCUMENT} FROM replica WHERE ${where} AND entity_id > ? ORDER BY entity_id LIMIT ?`,
      [after, limit],
    )
    return records.map(toDocument)
  }
  const segments = async (where: string): Promise<ReadonlySet<string>> => {
    const rows = await sql.all<{ name: string }>(`SELECT name FROM segment WHERE ${where}`)
    return new Set(rows.map(({ name }) => name))
  }
  const count = async (statement: string): Promise<number> =>
    (await sql.get<{ count: number }>(statement))?.count ?? 0
  return {
    /** Lines of the log that were not taken in. */
    aside: createSetAsideReader(sql),
    /** Purges that other clones ask for. */
    purges: createPurgeRequestReader(sql),
    /** Fields that were changed on both sides. */
    changedTwice: createChangedTwiceReader(sql),
    pushState: createPushStateReader(sql),

    async document(entityId: EntityId): Promise<StoredDocument | undefined> {
      const record = await sql.get<DocumentRecord>(
        `SELECT ${DOCUMENT} FROM replica WHERE entity_id = ?`,
        [entityId],
      )
      return record && toDocument(record)
    },

    /** Of these entities, those whose documents have more bytes than this. */
    async longDocuments(entityIds: readonly EntityId[], bytes: number): Promise<EntityId[]> {
      const rows = await sql.all<{ id: EntityId }>(
        `SELECT entity_id AS id FROM replica
          WHERE entity_id IN (SELECT value FROM json_each(?)) AND octet_length(document) > ?`,
        [JSON.stringify(entityIds), bytes],
      )
      return rows.map(({ id }) => id)
    },

    /** Changes of this entity that its document lacks, oldest first. */
    async ops(entityId: EntityId): Promise<Op[]> {
      const ops = await sql.all<Op>(
        'SELECT id, at, by, change FROM op WHERE entity_id = ? ORDER BY id',
        [entityId],
      )
      return ops.map((op) => ({ ...op, change: fromStoredChange(op.change, op) }))
    },

    /** Of these entities, those of which nothing at all is here, not even that another one leads to them. */
    async unknownIds(entityIds: readonly EntityId[]): Promise<ReadonlySet<EntityId>> {
      const rows = await sql.all<{ id: EntityId }>(
        `SELECT given.value AS id FROM json_each(?) AS given
          WHERE NOT EXISTS (SELECT 1 FROM replica WHERE entity_id = given.value)
            AND NOT EXISTS (SELECT 1 FROM entity WHERE entity.id = given.value)
            AND NOT EXISTS (SELECT 1 FROM op WHERE entity_id = given.value)
            AND NOT EXISTS (SELECT 1 FROM stray WHERE entity_id = given.value)
            AND NOT EXISTS (SELECT 1 FROM dangling WHERE source_id = given.value)
            AND NOT EXISTS (SELECT 1 FROM dangling WHERE target_id = given.value)`,
        [JSON.stringify(entityIds)],
      )
      return new Set(rows.map(({ id }) => id))
    },

    /** Entities after this id whose documents lack something, in the order of their ids. */
    async waiting(after: string, limit: number): Promise<EntityId[]> {
      const rows = await sql.all<{ entity_id: EntityId }>(
        'SELECT DISTINCT entity_id FROM op WHERE entity_id > ? ORDER BY entity_id LIMIT ?',
        [after, limit],
      )
      return rows.map(({ entity_id }) => entity_id)
    },

    /** How many entities have documents that lack something. */
    countWaiting: (): Promise<number> => count('SELECT count(DISTINCT entity_id) AS count FROM op'),
    /** How many there are, dead or alive. */
    countEntities: (): Promise<number> => count('SELECT count(*) AS count FROM entity'),
    /** Documents after this id that have more than the log, in the order of their ids. */
    dirty: (after: string, limit: number): Promise<StoredDocument[]> =>
      documents(`dirty = 1 AND ${MAY_BE_SENT}`, after, limit),
    /** How many entities have changes that the log lacks. */
    countOutgoing: (): Promise<number> =>
      count(`SELECT count(*) AS count FROM (SELECT entity_id FROM op WHERE ${MAY_BE_SENT}
        UNION SELECT entity_id FROM replica WHERE dirty = 1 AND ${MAY_BE_SENT})`),
    /** All documents after this id, in the order of their ids. */
    documents: (after: string, limit: number): Promise<StoredDocument[]> =>
      documents('TRUE', after, limit),

    /** All entities after this id, dead or alive, in the order of their ids. */
    async entities(after: string, limit: number): Promise<FoundRow[]> {
      const records = await sql.all<EntityRecord>(
        `SELECT ${ENTITY_COLUMNS} FROM entity WHERE id > ? ORDER BY id LIMIT ?`,
        [after, limit],
      )
      return records.map(toFound)
    },

    /** Those with this number or an id that starts with these hex digits, dead or alive. */
    async named(reference: Reference): Promise<FoundRow[]> {
      const { number = null, prefix = '' } = reference
      const [from, to] = toIdRange(prefix) ?? [null, null]
      const records = await sql.all<EntityRecord>(
        `SELECT ${ENTITY_COLUMNS} FROM entity WHERE number = ? OR (id >= ? AND id < ?)
          ORDER BY id LIMIT 11`,
        [number, from, to],
      )
      return records.map(toFound)
    },

    /** Dead and alive entities that changed, or whose edges did, since then. */
    async changedSince(at: number): Promise<EntityId[]> {
      const records = await sql.all<{ id: EntityId }>(
        `SELECT id FROM entity WHERE updated_at >= ?
          UNION SELECT source_id FROM relation WHERE created_at >= ? OR deleted_at >= ?
          -- After a merge a row may carry the time of another change than the latest.
          UNION SELECT subject FROM event
            WHERE at >= ? AND CASE WHEN json_valid(data) THEN CAST(data ->> '$.merged' AS TEXT) IN ('1', 'true') END
          ORDER BY id`,
        [at, at, at, at],
      )
      return [...new Set(records.map(({ id }) => toEntityId(fromStoredSubject(id))))].toSorted()
    },

    /** Edges that went together with the entity, at the same moment. */
    removedWith: (id: EntityId, deletedAt: number): Promise<RelationKey[]> =>
      sql.all<RelationKey>(
        `SELECT ${EDGE} FROM relation WHERE (source_id = ? OR target_id = ?) AND deleted_at = ?
          ORDER BY source_id, type, target_id`,
        [id, id, deletedAt],
      ),

    /** The ids of entities that were purged. */
    async purged(): Promise<EntityId[]> {
      const rows = await sql.all<{ entity_id: EntityId }>(
        'SELECT entity_id FROM replica WHERE document IS NULL ORDER BY entity_id',
      )
      return rows.map(({ entity_id }) => entity_id)
    },

    async pendingLines(entityId: EntityId): Promise<Stray[]> {
      const rows = await sql.all<{ hash: string; line: string; verification: string | null }>(
        'SELECT hash, line, verification FROM stray WHERE entity_id = ? ORDER BY hash',
        [entityId],
      )
      return rows.map(({ hash, line, verification }) => {
        if (verification === null) return { hash, line }
        return { hash, line, verification: parseStored<Verification>(verification, 'a stray line') }
      })
    },

    countStrays: (): Promise<number> => count('SELECT count(*) AS count FROM stray'),
    /** Whether there are entities whose numbers are not settled. */
    hasClaims: async (): Promise<boolean> =>
      (await count('SELECT EXISTS (SELECT 1 FROM number_claim) AS count')) > 0,

    /** Edges of live entities that lead to none. */
    dangling: (): Promise<RelationKey[]> =>
      sql.all<RelationKey>(`SELECT ${EDGE} FROM dangling ORDER BY source_id, type, target_id`),

    async danglingTo(targetId: EntityId): Promise<RelationRow[]> {
      const rows = await sql.all<DanglingRecord>(
        `SELECT ${EDGE}, value FROM dangling WHERE target_id = ?
          ORDER BY source_id, type`,
        [targetId],
      )
      return rows.map(toRelation)
    },

    /** Which of these files of the log have been read. */
    knownSegments: (): Promise<ReadonlySet<string>> => segments('TRUE'),
    /** Those that were in the log when it was last written. */
    loggedSegments: (): Promise<ReadonlySet<string>> => segments('in_log = 1'),

    /** Those whose commits are signed. */
    async signedSegments(): Promise<ReadonlyMap<string, SegmentSigner>> {
      const rows = await sql.all<{ name: string; signer: SegmentSigner }>(
        'SELECT name, signer FROM segment WHERE signer IS NOT NULL',
      )
      return new Map(rows.map(({ name, signer }) => [name, signer]))
    },
  }
}

export type Replica = ReturnType<typeof createReplica>

export function createReplica(sql: Sql, index: AfterChange) {
  return {
    ...createReplicaReader(sql),
    rows: createReplicaRows(sql, index),
    aside: createSetAside(sql),
    purges: createPurgeRequests(sql),
    changedTwice: createChangedTwice(sql),
    pushState: createPushState(sql),
    claims: createNumberClaims(sql),
    formerNumbers: createFormerNumbers(sql),
    /** Lets new numbers go on behind those that have arrived. */
    raiseCounter: (): Promise<void> => raiseCounter(sql),
    /** Writes down a change that did not come through the nouns. */
    record: (entityId: EntityId, stamp: Stamp, change: EntityChange): Promise<void> =>
      insertOp(sql, { entityId, stamp, change }),

    async put({ entityId, document, logged, isDirty }: NewDocument): Promise<void> {
      await sql.run(
        `INSERT INTO replica (entity_id, document, logged, dirty, revision) VALUES (?, ?, ?, ?, 1)
          ON CONFLICT (entity_id) DO UPDATE SET document = excluded.document,
            logged = excluded.logged, dirty = excluded.dirty, revision = replica.revision + 1`,
        [entityId, document, logged, Number(isDirty)],
      )
    },

    /** Says that the log has this version; true unless the document has changed meanwhile. */
    async markLogged(
      { entityId, revision }: Pick<StoredDocument, 'entityId' | 'revision'>,
      version: Uint8Array,
    ): Promise<boolean> {
      const marked = await sql.run(
        'UPDATE replica SET logged = ?, dirty = 0 WHERE entity_id = ? AND revision = ?',
        [version, entityId, revision],
      )
      return marked > 0
    },

    /** Says that the log has nothing of these: all there is will be written there again. */
    async forgetLogged(entityIds: readonly EntityId[]): Promise<void> {
      await sql.run(
        `UPDATE replica SET logged = NULL, dirty = 1, revision = revision + 1
          WHERE entity_id IN (SELECT value FROM json_each(?))`,
        [JSON.stringify(entityIds)],
      )
    },

    async forgetOps(entityId: EntityId): Promise<void> {
      await sql.run('DELETE FROM op WHERE entity_id = ?', [entityId])
    },

    async putStray(entityId: EntityId, { hash, line, verification }: Stray): Promise<void> {
      await sql.run(
        `INSERT INTO stray (hash, entity_id, line, verification) VALUES (?, ?, ?, ?)
          ON CONFLICT DO NOTHING`,
        [hash, entityId, line, verification === undefined ? null : JSON.stringify(verification)],
      )
    },

    async forgetPendingLines(entityId: EntityId): Promise<void> {
      await sql.run('DELETE FROM stray WHERE entity_id = ?', [entityId])
    },

    async putDangling(relation: RelationRow): Promise<void> {
      const { sourceId, type, targetId } = relation
      await sql.run(
        `INSERT INTO dangling (source_id, type, target_id, value) VALUES (?, ?, ?, ?)
          ON CONFLICT (target_id, source_id, type) DO UPDATE SET value = excluded.value`,
        [sourceId, type, targetId, JSON.stringify(toRelationValue(relation))],
      )
    },

    async forgetDanglingFrom(sourceId: EntityId): Promise<void> {
      await sql.run('DELETE FROM dangling WHERE source_id = ?', [sourceId])
    },

    async forgetDanglingTo(targetId: EntityId): Promise<void> {
      await sql.run('DELETE FROM dangling WHERE target_id = ?', [targetId])
    },

    async addSegments(names: readonly string[], signer?: SegmentSigner): Promise<void> {
      for (const name of names) {
        await sql.run('INSERT INTO segment (name, signer) VALUES (?, ?) ON CONFLICT DO NOTHING', [
          name,
          signer ?? null,
        ])
      }
    },

    /** Of the known segments, these are in the log and no others. */
    async setLoggedSegments(names: readonly string[]): Promise<void> {
      await sql.run(
        `UPDATE segment SET in_log = 1 - in_log WHERE in_log <>
          CASE WHEN name IN (SELECT value FROM json_each(?)) THEN 1 ELSE 0 END`,
        [JSON.stringify(names)],
      )
    },
  }
}

function toDocument(record: DocumentRecord): StoredDocument {
  return { ...record, isDirty: record.isDirty === 1 }
}

function toRelation({ value, ...key }: DanglingRecord): RelationRow {
  const relation = parseStored<RelationValue>(value, `a relation of ${key.sourceId.slice(0, 7)}`)
  const { created_at: createdAt, created_by: createdBy, properties } = relation
  return { ...key, properties, createdAt, createdBy }
}
