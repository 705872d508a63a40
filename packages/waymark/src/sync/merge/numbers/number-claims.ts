import type { Sql } from '../../../core/store/sql.ts'
import type { EntityId } from '../../../entity/entity-id.ts'

/** An entity whose document claims another number than its present one. */
export interface NumberClaim {
  readonly id: EntityId
  /** 0 when it says none that can be given. */
  readonly wanted: number
  /** The number that the entity had here before; 0 if it was not here. */
  readonly former: number
}

/** Claims that are settled after the whole merge. */
export function createNumberClaims(sql: Sql) {
  return {
    /** In the order in which they came. */
    all: (): Promise<NumberClaim[]> =>
      sql.all<NumberClaim>(
        'SELECT entity_id AS id, wanted, former FROM number_claim ORDER BY number_claim.id',
      ),

    /** A later claim of the same entity takes the place of an earlier one. */
    async put({ id, wanted, former }: NumberClaim): Promise<void> {
      await sql.run(
        `INSERT INTO number_claim (entity_id, wanted, former) VALUES (?, ?, ?)
          ON CONFLICT (entity_id) DO UPDATE SET wanted = excluded.wanted`,
        [id, wanted, former],
      )
    },

    /** Removes and returns the claim of this entity, if any. */
    take: (id: EntityId): Promise<NumberClaim | undefined> =>
      sql.get<NumberClaim>(
        'DELETE FROM number_claim WHERE entity_id = ? RETURNING entity_id AS id, wanted, former',
        [id],
      ),
  }
}
