import type { EntityRow } from './store.ts'
import type { Change } from '../core/change.ts'

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
