import { parseArrival } from '../sync/arrival.ts'
import { parseOrigin } from '../agent/origin.ts'
import { Failure } from '../core/error.ts'
import type { EntityRow } from './store.ts'

/** What `toEntity` needs of a row. */
export const ENTITY_COLUMNS = `id, number, type, title, content, tags, status, properties,
  created_at, updated_at, created_by, updated_by, deleted_at, deleted_by, origin, arrival, revision`

export interface EntityRecord {
  readonly id: string
  readonly number: number
  readonly type: string
  readonly title: string
  readonly content: string | null
  readonly tags: string
  readonly status: string | null
  readonly properties: string
  readonly created_at: number
  readonly updated_at: number
  readonly created_by: string | null
  readonly updated_by: string | null
  readonly deleted_at: number | null
  readonly deleted_by: string | null
  readonly origin: string | null
  readonly arrival: string | null
  readonly revision: number
}

export function toEntity(record: EntityRecord): EntityRow {
  return {
    id: record.id,
    number: record.number,
    type: record.type,
    title: record.title,
    content: record.content,
    tags: parseKept(record, record.tags) as string[],
    status: record.status,
    properties: parseKept(record, record.properties) as Record<string, unknown>,
    createdAt: record.created_at,
    updatedAt: record.updated_at,
    createdBy: record.created_by,
    updatedBy: record.updated_by,
    origin: parseOrigin(record.origin),
    arrival: parseArrival(record.arrival),
    revision: record.revision,
  }
}

function parseKept(record: EntityRecord, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Failure(
      'storage_corrupt',
      `entity #${record.number} is damaged; \`waymark doctor --repair\` makes it again from its changes`,
      { details: { id: record.id }, cause },
    )
  }
}
