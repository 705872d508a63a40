import type { Sql } from '../../../core/store/sql.ts'
import type { EntityId } from '../../../entity/entity-id.ts'

interface FormerNumber {
  readonly id: EntityId
  readonly number: number
  /** Milliseconds since 1970. */
  readonly at: number
}

/** Numbers that entities had here before a sync gave them others. */
export function createFormerNumbers(sql: Sql) {
  return {
    async add({ id, number, at }: FormerNumber): Promise<void> {
      await sql.run(
        `INSERT INTO former_number (number, entity_id, changed_at) VALUES (?, ?, ?)
          ON CONFLICT (number, entity_id) DO UPDATE SET changed_at = excluded.changed_at`,
        [number, id, at],
      )
    },
  }
}
