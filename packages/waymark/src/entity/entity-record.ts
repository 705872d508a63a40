import { parseArrival } from '../sync/arrival.ts'
import { parseOrigin } from '../agent/origin.ts'
import { Failure } from '../core/error.ts'
import { camelColumns, type Stored } from '../core/store/sql.ts'
import type { EntityRow } from './store.ts'

const NAMES = `id, number, type, title, content, tags, status, properties, created_at, updated_at,
  created_by, updated_by, deleted_at, deleted_by, origin, arrival, revision`

/** What `toEntity` needs of a row, from the table `entity`. */
export const ENTITY_COLUMNS = camelColumns(NAMES)
/** The same where the table has the alias `e`. */
export const JOINED_ENTITY_COLUMNS = camelColumns(NAMES, 'e.')

export type EntityRecord = Omit<Stored<EntityRow, 'tags' | 'properties'>, 'origin' | 'arrival'> & {
  readonly origin: string | null
  readonly arrival: string | null
  readonly deletedAt: number | null
  readonly deletedBy: string | null
}

export function toEntity({ deletedAt: _at, deletedBy: _by, ...record }: EntityRecord): EntityRow {
  return {
    ...record,
    tags: parseKept(record, record.tags) as string[],
    properties: parseKept(record, record.properties) as Record<string, unknown>,
    origin: parseOrigin(record.origin),
    arrival: parseArrival(record.arrival),
  }
}

function parseKept({ id, number }: Pick<EntityRow, 'id' | 'number'>, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Failure(
      'storage_corrupt',
      `entity #${number} is damaged; \`waymark doctor --repair\` makes it again from its changes`,
      { details: { id }, cause },
    )
  }
}
