import type { EntityRow, Stamp } from '../../entity/store.ts'
import type { RelationKey, RelationRow } from '../../relation/store.ts'
import type { EntityId } from '../../entity/entity-id.ts'

/** One change of a row, with what other tables need to follow it. */
export type RowChange =
  | { readonly kind: 'inserted'; readonly row: EntityRow; readonly stamp: Stamp }
  | {
      readonly kind: 'updated'
      readonly before: EntityRow
      readonly row: EntityRow
      readonly stamp: Stamp
    }
  | { readonly kind: 'removed'; readonly id: EntityId; readonly stamp: Stamp }
  | { readonly kind: 'purged'; readonly id: EntityId }
  | { readonly kind: 'related'; readonly relation: RelationRow; readonly stamp: Stamp }
  | { readonly kind: 'unrelated'; readonly relation: RelationKey; readonly stamp: Stamp }

/** Runs in the transaction of the change, after the row was written. */
export type AfterChange = (change: RowChange) => Promise<void>
