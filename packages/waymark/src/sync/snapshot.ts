import type { Store } from '../core/store/store.ts'
import type { RelationRow } from '../relation/store.ts'
import type { FoundRow } from './merge/rows-store.ts'

const BATCH_SIZE = 500

/** Everything there is, one line of JSON for each entity. Two stores that know the same give the same bytes. */
export async function* toSnapshot(store: Store): AsyncGenerator<string> {
  const purged = new Set(await store.replica.purged())
  for (const id of purged) yield JSON.stringify({ id, purged: true })
  for (let last = ''; ;) {
    const found = await store.replica.entities(last, BATCH_SIZE)
    if (found.length === 0) return
    for (const entity of found.filter(({ row }) => !purged.has(row.id))) {
      const isDead = entity.deleted !== undefined
      const relations = isDead ? [] : await store.relations.of(entity.row.id, 'from')
      yield toLine(entity, relations)
    }
    last = found.at(-1)?.row.id ?? last
  }
}

function toLine({ row, deleted }: FoundRow, relations: readonly RelationRow[]): string {
  const { id, number, type, title, content, tags, properties } = row
  if (deleted !== undefined) {
    return JSON.stringify({ id, number, deleted_at: toTime(deleted.at), deleted_by: deleted.by })
  }
  return JSON.stringify({
    id,
    number,
    type,
    title,
    content,
    tags,
    properties: inOrder(properties),
    created_at: toTime(row.createdAt),
    created_by: row.createdBy,
    updated_at: toTime(row.updatedAt),
    updated_by: row.updatedBy,
    relations: relations.map(toRelation).toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)),
  })
}

function toRelation({ type, targetId, properties, createdAt, createdBy }: RelationRow) {
  return {
    type,
    target: targetId,
    properties: inOrder(properties),
    created_at: toTime(createdAt),
    created_by: createdBy,
  }
}

function nameOf({ type, target }: { readonly type: string; readonly target: string }): string {
  return `${type} ${target}`
}

/** The same values, with the names in the order of the alphabet at every depth. */
export function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, inner]) => [name, inOrder(inner)] as const)
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

function toTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
