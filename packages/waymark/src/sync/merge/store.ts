import type { Reference } from '../../entity/reference.ts'
import type { Counters } from '../../core/store/counters.ts'
import type { Stamp } from '../../entity/store.ts'
import { createNumberClaims, type NumberClaims, raiseCounter } from '../../entity/entity-numbers.ts'
import { ENTITY_COLUMNS, type EntityRecord } from '../../entity/entity-record.ts'
import { createRecorder, type EntityChange } from '../document/ops-store.ts'
import { toIdRange } from '../../core/store/id-range.ts'
import {
  createPurgeRequestReader,
  createPurgeRequests,
  type PurgeRequestReader,
  type PurgeRequests,
} from './purge-store.ts'
import type { RelationKey } from '../../relation/store.ts'
import { createReplicaRows, type FoundRow, type ReplicaRows, toFound } from './rows-store.ts'
import {
  createSetAside,
  createSetAsideReader,
  type SetAside,
  type SetAsideReader,
} from '../log/set-aside-store.ts'
import {
  createSegmentReader,
  createSegments,
  type SegmentReader,
  type Segments,
} from '../log/segment-store.ts'
import {
  createPending,
  createPendingReader,
  type Pending,
  type PendingReader,
} from './pending-store.ts'
import type { AfterChange } from '../../core/store/after-change.ts'
import type { Sql, SqlReader } from '../../core/store/sql.ts'

/** A change that waits to become part of its entity's document. */
export interface Op extends Stamp {
  readonly id: number
  /** An `EntityChange` as JSON, exactly as it was written down. */
  readonly change: string
}

/** An entity's document as it is kept. */
export interface StoredDocument {
  readonly entityId: string
  /** Nothing when the entity was purged. */
  readonly document: Uint8Array | null
  /** The version that the log has; nothing while it has none. */
  readonly logged: Uint8Array | null
  readonly isDirty: boolean
  readonly revision: number
}

type NewDocument = Omit<StoredDocument, 'revision'>

/** What merging needs to know; nothing else reads it. */
export interface ReplicaReader extends SegmentReader, PendingReader {
  /** Lines of the log that were not taken in. */
  readonly aside: SetAsideReader
  /** Purges that other clones ask for. */
  readonly purges: PurgeRequestReader
  document(entityId: string): Promise<StoredDocument | undefined>
  /** Of these entities, those whose documents have more bytes than this. */
  longDocuments(entityIds: readonly string[], bytes: number): Promise<string[]>
  /** Changes of this entity that its document lacks, oldest first. */
  ops(entityId: string): Promise<Op[]>
  /** Of these entities, those of which nothing at all is here, not even that another one leads to them. */
  unknownIds(entityIds: readonly string[]): Promise<ReadonlySet<string>>
  /** Entities after this id whose documents lack something, in the order of their ids. */
  waiting(after: string, limit: number): Promise<string[]>
  /** How many entities have documents that lack something. */
  countWaiting(): Promise<number>
  /** Documents after this id that have more than the log, in the order of their ids. */
  dirty(after: string, limit: number): Promise<StoredDocument[]>
  /** How many entities have changes that the log lacks. */
  countOutgoing(): Promise<number>
  /** All documents after this id, in the order of their ids. */
  documents(after: string, limit: number): Promise<StoredDocument[]>
  /** All entities after this id, dead or alive, in the order of their ids. */
  entities(after: string, limit: number): Promise<FoundRow[]>
  /** How many there are, dead or alive. */
  countEntities(): Promise<number>
  /** Those with this number or an id that starts with these hex digits, dead or alive. */
  named(reference: Reference): Promise<FoundRow[]>
  /** Dead and alive entities that changed, or whose edges did, since then. */
  changedSince(at: number): Promise<string[]>
  /** Edges that went together with the entity, at the same moment. */
  removedWith(id: string, deletedAt: number): Promise<RelationKey[]>
  /** The ids of entities that were purged. */
  purged(): Promise<string[]>
  /** Whether there are entities whose numbers are not settled. */
  hasClaims(): Promise<boolean>
}

export interface Replica extends ReplicaReader, Segments, Pending {
  readonly rows: ReplicaRows
  readonly aside: SetAside
  readonly purges: PurgeRequests
  readonly claims: NumberClaims
  /** Lets new numbers go on behind those that have arrived. */
  raiseCounter(): Promise<void>
  /** Writes down a change that did not come through the nouns. */
  record(entityId: string, stamp: Stamp, change: EntityChange): Promise<void>
  put(document: NewDocument): Promise<void>
  /** Says that the log has this version; true unless the document has changed meanwhile. */
  markLogged(
    document: Pick<StoredDocument, 'entityId' | 'revision'>,
    version: Uint8Array,
  ): Promise<boolean>
  /** Says that the log has nothing of these: all there is will be written there again. */
  forgetLogged(entityIds: readonly string[]): Promise<void>
  forgetOps(entityId: string): Promise<void>
}

interface DocumentRecord {
  readonly entity_id: string
  readonly document: Uint8Array | null
  readonly logged: Uint8Array | null
  readonly dirty: number
  readonly revision: number
}

const EDGE = 'source_id AS sourceId, type, target_id AS targetId'
const DOCUMENT = 'entity_id, document, logged, dirty, revision'
/** What another clone has purged is not written to the log again. */
const MAY_BE_SENT = 'entity_id NOT IN (SELECT entity_id FROM purge_request)'

export function createReplicaReader(sql: SqlReader): ReplicaReader {
  const documents = async (where: string, after: string, limit: number) => {
    const records = await sql.all<DocumentRecord>(
      `SELECT ${DOCUMENT} FROM replica WHERE ${where} AND entity_id > ? ORDER BY entity_id LIMIT ?`,
      [after, limit],
    )
    return records.map(toDocument)
  }
  const count = async (statement: string): Promise<number> =>
    (await sql.get<{ count: number }>(statement))?.count ?? 0
  return {
    ...createSegmentReader(sql),
    ...createPendingReader(sql),
    aside: createSetAsideReader(sql),
    purges: createPurgeRequestReader(sql),

    async document(entityId) {
      const record = await sql.get<DocumentRecord>(
        `SELECT ${DOCUMENT} FROM replica WHERE entity_id = ?`,
        [entityId],
      )
      return record && toDocument(record)
    },

    async longDocuments(entityIds, bytes) {
      const rows = await sql.all<{ id: string }>(
        `SELECT entity_id AS id FROM replica
          WHERE entity_id IN (SELECT value FROM json_each(?)) AND octet_length(document) > ?`,
        [JSON.stringify(entityIds), bytes],
      )
      return rows.map(({ id }) => id)
    },

    ops: (entityId) =>
      sql.all<Op>('SELECT id, at, by, change FROM op WHERE entity_id = ? ORDER BY id', [entityId]),

    async unknownIds(entityIds) {
      const rows = await sql.all<{ id: string }>(
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

    async waiting(after, limit) {
      const rows = await sql.all<{ entity_id: string }>(
        'SELECT DISTINCT entity_id FROM op WHERE entity_id > ? ORDER BY entity_id LIMIT ?',
        [after, limit],
      )
      return rows.map(({ entity_id }) => entity_id)
    },

    countWaiting: () => count('SELECT count(DISTINCT entity_id) AS count FROM op'),
    countEntities: () => count('SELECT count(*) AS count FROM entity'),
    dirty: (after, limit) => documents(`dirty = 1 AND ${MAY_BE_SENT}`, after, limit),
    countOutgoing: () =>
      count(`SELECT count(*) AS count FROM (SELECT entity_id FROM op WHERE ${MAY_BE_SENT}
        UNION SELECT entity_id FROM replica WHERE dirty = 1 AND ${MAY_BE_SENT})`),
    documents: (after, limit) => documents('TRUE', after, limit),

    async entities(after, limit) {
      const records = await sql.all<EntityRecord>(
        `SELECT ${ENTITY_COLUMNS} FROM entity WHERE id > ? ORDER BY id LIMIT ?`,
        [after, limit],
      )
      return records.map(toFound)
    },

    async named(reference) {
      const { number = null, prefix = '' } = reference
      const [from, to] = toIdRange(prefix) ?? [null, null]
      const records = await sql.all<EntityRecord>(
        `SELECT ${ENTITY_COLUMNS} FROM entity WHERE number = ? OR (id >= ? AND id < ?)
          ORDER BY id LIMIT 11`,
        [number, from, to],
      )
      return records.map(toFound)
    },

    async changedSince(at) {
      const records = await sql.all<{ id: string }>(
        `SELECT id FROM entity WHERE updated_at >= ?
          UNION SELECT source_id FROM relation WHERE created_at >= ? OR deleted_at >= ?
          -- After a merge a row may carry the time of another change than the latest.
          UNION SELECT subject FROM event
            WHERE at >= ? AND CASE WHEN json_valid(data) THEN data ->> '$.merged' = 1 END
          ORDER BY id`,
        [at, at, at, at],
      )
      return records.map(({ id }) => id)
    },

    removedWith: (id, deletedAt) =>
      sql.all<RelationKey>(
        `SELECT ${EDGE} FROM relation WHERE (source_id = ? OR target_id = ?) AND deleted_at = ?
          ORDER BY source_id, type, target_id`,
        [id, id, deletedAt],
      ),

    async purged() {
      const rows = await sql.all<{ entity_id: string }>(
        'SELECT entity_id FROM replica WHERE document IS NULL ORDER BY entity_id',
      )
      return rows.map(({ entity_id }) => entity_id)
    },

    hasClaims: async () => (await count('SELECT EXISTS (SELECT 1 FROM number_claim) AS count')) > 0,
  }
}

export function createReplica(
  sql: Sql,
  counters: Counters,
  indexes: readonly AfterChange[],
): Replica {
  return {
    ...createReplicaReader(sql),
    ...createSegments(sql),
    ...createPending(sql),
    rows: createReplicaRows(sql, counters, indexes),
    aside: createSetAside(sql),
    purges: createPurgeRequests(sql),
    claims: createNumberClaims(sql),
    raiseCounter: () => raiseCounter(sql),
    record: createRecorder(sql),

    async put({ entityId, document, logged, isDirty }) {
      await sql.run(
        `INSERT INTO replica (entity_id, document, logged, dirty, revision) VALUES (?, ?, ?, ?, 1)
          ON CONFLICT (entity_id) DO UPDATE SET document = excluded.document,
            logged = excluded.logged, dirty = excluded.dirty, revision = revision + 1`,
        [entityId, document, logged, Number(isDirty)],
      )
    },

    async markLogged({ entityId, revision }, version) {
      const marked = await sql.run(
        'UPDATE replica SET logged = ?, dirty = 0 WHERE entity_id = ? AND revision = ?',
        [version, entityId, revision],
      )
      return marked > 0
    },

    async forgetLogged(entityIds) {
      await sql.run(
        `UPDATE replica SET logged = NULL, dirty = 1, revision = revision + 1
          WHERE entity_id IN (SELECT value FROM json_each(?))`,
        [JSON.stringify(entityIds)],
      )
    },

    async forgetOps(entityId) {
      await sql.run('DELETE FROM op WHERE entity_id = ?', [entityId])
    },
  }
}

function toDocument(record: DocumentRecord): StoredDocument {
  return {
    entityId: record.entity_id,
    document: record.document,
    logged: record.logged,
    isDirty: record.dirty === 1,
    revision: record.revision,
  }
}
