import type { Stamp } from '../../entity/store.ts'
import type { EntityChange } from './ops-store.ts'

/** A creation without the names of its parts, and without the time and the author, which its row has. */
type StoredCreation = readonly [
  fields: readonly [type: unknown, number: unknown, title: unknown, origin?: unknown],
  content: EntityChange['content'],
  tags: EntityChange['tags'],
  properties: EntityChange['properties'],
]

/** A change as it waits for its document. Most are creations, and most of what is not text in those would be names. */
export function toStoredChange(change: EntityChange, { at, by }: Stamp): string {
  const { fields, content, tags, properties, ...others } = change
  const { type, number, title, created_at, created_by, origin, ...more } = fields ?? {}
  const isUsual =
    Object.keys(others).length + Object.keys(more).length === 0 &&
    fields !== undefined &&
    CREATED.every((name) => fields[name] !== undefined) &&
    created_at === at &&
    created_by === by &&
    content !== undefined &&
    tags !== undefined &&
    properties !== undefined
  if (!isUsual) return JSON.stringify(change)
  const named = [type, number, title, ...(origin === undefined ? [] : [origin])]
  return JSON.stringify([named, content, tags, properties])
}

const CREATED = ['type', 'number', 'title', 'created_at', 'created_by'] as const

/** The JSON of the change, always the same for the same row: versions of a document are made from it. */
export function fromStoredChange(stored: string, { at, by }: Stamp): string {
  if (!stored.startsWith('[')) return stored
  const creation = parseCreation(stored)
  // The reader of the change says what is damaged.
  if (creation === undefined) return stored
  const [[type, number, title, origin], content, tags, properties] = creation
  const fields = { type, number, title, created_at: at, created_by: by, origin }
  return JSON.stringify({ fields, content, tags, properties })
}

function parseCreation(stored: string): StoredCreation | undefined {
  try {
    return JSON.parse(stored) as StoredCreation
  } catch {
    return undefined
  }
}
