import * as z from 'zod'
import { ENTITY_TYPES } from './entity.ts'
import type { EntityRow } from './store.ts'
import { received, receivedOf } from '../sync/received.ts'

export const time = z.string().describe('UTC time in ISO 8601')

/** An entity as every surface shows it. */
export const entityView = z.object({
  id: z.string(),
  number: z.int(),
  type: z.enum(ENTITY_TYPES),
  title: z.string(),
  content: z.string().optional(),
  tags: z.array(z.string()),
  properties: z.record(z.string(), z.unknown()),
  created_at: time,
  updated_at: time,
  created_by: z.string().optional(),
  received: received.optional(),
})
export type EntityView = z.output<typeof entityView>

/** Enough of an entity to recognise and name it. */
export const entityLabel = entityView.pick({ id: true, number: true, type: true, title: true })
export type EntityLabel = z.output<typeof entityLabel>

export function toEntityView(row: EntityRow): EntityView {
  return {
    ...toEntityLabel(row),
    ...(row.content !== null && { content: row.content }),
    tags: [...row.tags],
    properties: row.properties,
    created_at: toTime(row.createdAt),
    updated_at: toTime(row.updatedAt),
    ...(row.createdBy !== null && { created_by: row.createdBy }),
    ...receivedOf(row),
  }
}

export function toEntityLabel(
  row: Pick<EntityRow, 'id' | 'number' | 'type' | 'title'>,
): EntityLabel {
  return { id: row.id, number: row.number, type: row.type as EntityView['type'], title: row.title }
}

export function toTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
