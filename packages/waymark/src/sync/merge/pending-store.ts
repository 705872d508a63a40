import type { Verification } from '../../git/objects/verification.ts'
import type { Sql, SqlReader } from '../../core/store/sql.ts'
import { parseStored } from '../../core/store/stored-json.ts'
import type { RelationKey, RelationRow } from '../../relation/store.ts'
import { type RelationValue, toRelationValue } from '../document/ops-store.ts'

/** A line of the log that waits for another one. */
interface Stray {
  readonly hash: string
  readonly line: string
  /** Of the commit that brought it. */
  readonly verification?: Verification | undefined
}

/** Lines and edges that arrived before the line or entity that they need. */
export interface PendingReader {
  pendingLines(entityId: string): Promise<Stray[]>
  countStrays(): Promise<number>
  /** Edges of live entities that lead to none. */
  dangling(): Promise<RelationKey[]>
  danglingTo(targetId: string): Promise<RelationRow[]>
}

export interface Pending extends PendingReader {
  putStray(entityId: string, stray: Stray): Promise<void>
  forgetPendingLines(entityId: string): Promise<void>
  putDangling(relation: RelationRow): Promise<void>
  forgetDanglingFrom(sourceId: string): Promise<void>
  forgetDanglingTo(targetId: string): Promise<void>
}

interface DanglingRecord {
  readonly source_id: string
  readonly type: string
  readonly target_id: string
  readonly value: string
}

export function createPendingReader(sql: SqlReader): PendingReader {
  return {
    async pendingLines(entityId) {
      const rows = await sql.all<{ hash: string; line: string; verification: string | null }>(
        'SELECT hash, line, verification FROM stray WHERE entity_id = ? ORDER BY hash',
        [entityId],
      )
      return rows.map(({ hash, line, verification }) => {
        if (verification === null) return { hash, line }
        return { hash, line, verification: parseStored<Verification>(verification, 'a stray line') }
      })
    },

    countStrays: async () =>
      (await sql.get<{ count: number }>('SELECT count(*) AS count FROM stray'))?.count ?? 0,

    dangling: () =>
      sql.all<RelationKey>(
        `SELECT source_id AS sourceId, type, target_id AS targetId FROM dangling ORDER BY source_id, type, target_id`,
      ),

    async danglingTo(targetId) {
      const rows = await sql.all<DanglingRecord>(
        `SELECT source_id, type, target_id, value FROM dangling WHERE target_id = ?
          ORDER BY source_id, type`,
        [targetId],
      )
      return rows.map(toRelation)
    },
  }
}

export function createPending(sql: Sql): Pending {
  return {
    ...createPendingReader(sql),

    async putStray(entityId, { hash, line, verification }) {
      await sql.run(
        'INSERT OR IGNORE INTO stray (hash, entity_id, line, verification) VALUES (?, ?, ?, ?)',
        [hash, entityId, line, verification === undefined ? null : JSON.stringify(verification)],
      )
    },

    async forgetPendingLines(entityId) {
      await sql.run('DELETE FROM stray WHERE entity_id = ?', [entityId])
    },

    async putDangling(relation) {
      const { sourceId, type, targetId } = relation
      await sql.run(
        `INSERT INTO dangling (source_id, type, target_id, value) VALUES (?, ?, ?, ?)
          ON CONFLICT (target_id, source_id, type) DO UPDATE SET value = excluded.value`,
        [sourceId, type, targetId, JSON.stringify(toRelationValue(relation))],
      )
    },

    async forgetDanglingFrom(sourceId) {
      await sql.run('DELETE FROM dangling WHERE source_id = ?', [sourceId])
    },

    async forgetDanglingTo(targetId) {
      await sql.run('DELETE FROM dangling WHERE target_id = ?', [targetId])
    },
  }
}

function toRelation({ source_id, type, target_id, value }: DanglingRecord): RelationRow {
  const relation = parseStored<RelationValue>(value, `a relation of ${source_id.slice(0, 7)}`)
  const { created_at, created_by, properties } = relation
  return {
    sourceId: source_id,
    type,
    targetId: target_id,
    properties,
    createdAt: created_at,
    createdBy: created_by,
  }
}
