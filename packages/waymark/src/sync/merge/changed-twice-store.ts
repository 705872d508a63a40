import type { Sql, SqlReader } from '../../core/store/sql.ts'
import type { TwiceChangedField } from '../document/document-state.ts'
import type { EntityId } from '../../entity/entity-id.ts'

/** A live entity with fields of which only the later of two changes stands. */
export interface Contradiction {
  readonly id: string
  readonly number: number
  readonly title: string
  readonly fields: readonly string[]
}

export function createChangedTwiceReader(sql: SqlReader) {
  return {
    async of(entityId: EntityId): Promise<TwiceChangedField[]> {
      const rows = await sql.all<{ field: string; contradiction: number }>(
        'SELECT field, contradiction FROM changed_twice WHERE entity_id = ? ORDER BY field',
        [entityId],
      )
      return rows.map(({ field, contradiction }) => ({
        field,
        isContradiction: contradiction === 1,
      }))
    },

    /** In the order of the numbers. */
    async contradictions(limit: number): Promise<Contradiction[]> {
      const rows = await sql.all<Omit<Contradiction, 'fields'> & { fields: string }>(
        `SELECT e.id, e.number, e.title, string_agg(c.field, ',') AS fields
          FROM changed_twice AS c CROSS JOIN entity AS e ON e.id = c.entity_id
          WHERE c.contradiction = 1 AND e.deleted_at IS NULL
          GROUP BY e.id ORDER BY e.number LIMIT ?`,
        [limit],
      )
      return rows.map(({ fields, ...entity }) => ({ ...entity, fields: fields.split(',') }))
    },
  }
}

export function createChangedTwice(sql: Sql) {
  return {
    ...createChangedTwiceReader(sql),

    /** All of an entity. */
    async set(entityId: EntityId, fields: readonly TwiceChangedField[]): Promise<void> {
      await sql.run('DELETE FROM changed_twice WHERE entity_id = ?', [entityId])
      for (const { field, isContradiction } of fields) {
        await sql.run(
          'INSERT INTO changed_twice (entity_id, field, contradiction) VALUES (?, ?, ?)',
          [entityId, field, Number(isContradiction)],
        )
      }
    },
  }
}
