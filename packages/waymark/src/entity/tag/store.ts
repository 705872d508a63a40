import type { Sql, SqlReader } from '../../core/store/sql.ts'
import type { EntityId } from '../entity-id.ts'

export function createTagReader(sql: SqlReader) {
  return {
    /** The most used tags of live entities. */
    tagCounts(limit: number): Promise<{ tag: string; count: number }[]> {
      return sql.all(
        'SELECT tag, count(*) AS count FROM tag GROUP BY tag ORDER BY count DESC, tag LIMIT ?',
        [limit],
      )
    },
  }
}

export async function indexTags(sql: Sql, id: EntityId, tags: readonly string[]): Promise<void> {
  for (const tag of new Set(tags)) {
    await sql.send('INSERT INTO tag (tag, entity_id) VALUES (?, ?)', [tag, id])
  }
}

export async function forgetTags(sql: Sql, id: EntityId): Promise<void> {
  await sql.send('DELETE FROM tag WHERE entity_id = ?', [id])
}
