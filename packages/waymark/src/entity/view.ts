import * as z from 'zod'
import { ENTITY_TYPES } from './entity.ts'
import type { EntityRow } from './store.ts'
import { toReceived } from '../sync/arrival.ts'
import { received } from '../sync/received.ts'
import type { Change } from '../core/change.ts'

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
    ...(row.arrival !== null && { received: toReceived(row.arrival) }),
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

type Fields = Readonly<Record<string, unknown>>

/** Emits an event about an entity, with extra facts. */
export async function emitEntityEvent(
  change: Change,
  event: string,
  row: EntityRow,
  facts: Fields = {},
): Promise<void> {
  const { id, type, number, title, revision } = row
  await change.announce(event, id, { type, number, ...keyOf(row), title, revision, ...facts })
}

/** Emits the event for a changed entity number. */
export async function announceNumber(change: Change, row: EntityRow, from: number): Promise<void> {
  const { id, type, number } = row
  await change.announce('entity.renumbered', id, { type, from, number, ...keyOf(row) })
}

/** Emits an event without any user text, as required for purged entities. */
export async function emitRedacted(change: Change, event: string, id: string): Promise<void> {
  const found = await change.replica.rows.find(id)
  const { type, number } = found?.row ?? {}
  // No row if the entity never existed in this clone.
  await change.announce(event, id, found === undefined ? {} : { type, number })
}

/** Included because a task's watcher may know only its key. */
function keyOf({ type, properties: { key } }: EntityRow): Fields {
  return type === 'task' && typeof key === 'string' ? { key } : {}
}
