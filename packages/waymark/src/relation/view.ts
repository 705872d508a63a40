import * as z from 'zod'
import { Failure } from '../core/error.ts'
import type { EntityRow } from '../entity/store.ts'
import { type EntityLabel, entityLabel, time, toEntityLabel, toTime } from '../entity/view.ts'
import type { RelationRow } from './store.ts'
import type { EntityId } from '../entity/entity-id.ts'

/** Enough of a relation to recognise it. */
export const relationLabel = z.object({
  type: z.string(),
  source: entityLabel,
  target: entityLabel,
})
export type RelationLabel = z.output<typeof relationLabel>

export const relationView = relationLabel.extend({
  created_at: time,
  created_by: z.string().optional(),
})
export type RelationView = z.output<typeof relationView>

export function toRelationView(
  row: RelationRow,
  ends: ReadonlyMap<string, EntityRow>,
): RelationView {
  return {
    type: row.type,
    source: labelOf(ends, row.sourceId),
    target: labelOf(ends, row.targetId),
    created_at: toTime(row.createdAt),
    ...(row.createdBy !== null && { created_by: row.createdBy }),
  }
}

function labelOf(ends: ReadonlyMap<string, EntityRow>, id: EntityId): EntityLabel {
  const row = ends.get(id)
  if (row === undefined) throw new Failure('internal', `a relation points to ${id}, which is gone`)
  return toEntityLabel(row)
}
