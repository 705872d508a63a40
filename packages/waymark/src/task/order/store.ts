import type { EntityId } from '../../entity/entity-id.ts'
import { type EntityRecord, JOINED_ENTITY_COLUMNS, toEntity } from '../../entity/entity-record.ts'
import type { EntityRow } from '../../entity/store.ts'
import type { SqlReader } from '../../core/store/sql.ts'
import { POSITION, toPosition } from '../queue/store.ts'

/** Open tasks of one priority around one of them, in the order of the queue. */
export interface Surroundings {
  readonly before: readonly EntityRow[]
  readonly after: readonly EntityRow[]
}

export function createOrderReader(sql: SqlReader) {
  const beside = async (
    target: EntityRow,
    { without, limit, side }: { without: EntityId; limit: number; side: 'before' | 'after' },
  ): Promise<EntityRow[]> => {
    const { priority, rank, due, number } = toPosition(target)
    const [than, order] = side === 'before' ? ['<', DESCENDING] : ['>', ASCENDING]
    const records = await sql.all<EntityRecord>(
      `SELECT ${JOINED_ENTITY_COLUMNS} FROM (
          SELECT t.id, ${POSITION} FROM task AS t
            WHERE t.resolved = 0 AND t.closed = 0 AND t.priority = ? AND t.id <> ?
              AND (t.rank, t.due, t.number) ${than} (?, ?, ?)
            ORDER BY ${order} LIMIT ?) AS t
        JOIN entity AS e ON e.id = t.id ORDER BY ${POSITION}`,
      [priority, without, rank, due, number, limit],
    )
    return records.map(toEntity)
  }
  return {
    /** At most so many on each side of the target, without the task that is to be placed. */
    async surroundings(target: EntityRow, without: EntityId, limit: number): Promise<Surroundings> {
      return {
        before: await beside(target, { without, limit, side: 'before' }),
        after: await beside(target, { without, limit, side: 'after' }),
      }
    },
  }
}

const ASCENDING = 't.rank, t.due, t.number'
const DESCENDING = 't.rank DESC, t.due DESC, t.number DESC'
