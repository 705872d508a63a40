import type { EntityRow } from './store.ts'
import type { Change } from '../core/change.ts'

type Fields = Readonly<Record<string, unknown>>

/** Tells what happened to an entity, and facts that belong to it. */
export async function emitEntityEvent(
  change: Change,
  event: string,
  row: EntityRow,
  facts: Fields = {},
): Promise<void> {
  const { id, type, number, title, revision } = row
  await change.announce(event, id, { type, number, ...keyOf(row), title, revision, ...facts })
}

/** Tells that an entity goes by another number now. */
export async function announceNumber(change: Change, row: EntityRow, from: number): Promise<void> {
  const { id, type, number } = row
  await change.announce('entity.renumbered', id, { type, from, number, ...keyOf(row) })
}

/** Tells what happened to an entity without a word that anybody wrote, as it must be of a purged one. */
export async function emitRedacted(change: Change, event: string, id: string): Promise<void> {
  const found = await change.replica.rows.find(id)
  const { type, number } = found?.row ?? {}
  // Of what was never here there is no row.
  await change.announce(event, id, found === undefined ? {} : { type, number })
}

/** Whoever watches a task may know it by its key alone. */
function keyOf({ type, properties: { key } }: EntityRow): Fields {
  return type === 'task' && typeof key === 'string' ? { key } : {}
}
