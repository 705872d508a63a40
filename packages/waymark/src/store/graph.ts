import { ENTITY_COLUMNS, type EntityRecord, type EntityRow, toEntity } from './entities.ts'
import type { RelationDirection, RelationRow } from './relations.ts'
import type { SqlReader, SqlValue } from './sql.ts'

export type Edge = Omit<RelationRow, 'properties'>

export interface EdgeQuery {
  readonly direction: RelationDirection
  /** Only these types of relation; all when absent. */
  readonly types?: readonly string[] | undefined
}

/** Entities and relations as one graph, read many at a time. */
export interface GraphReader {
  /** The edges that touch any of these entities, in a fixed order. */
  edgesOf(ids: readonly string[], query: EdgeQuery): Promise<Edge[]>
  /** Every edge of these types, at most `limit`. */
  edges(query: {
    readonly types?: readonly string[] | undefined
    readonly limit: number
  }): Promise<Edge[]>
  entities(ids: readonly string[]): Promise<EntityRow[]>
  /** Entities without any edge, in the order of their numbers, and how many there are. */
  orphans(query: {
    readonly type?: string | undefined
    readonly limit: number
    readonly offset: number
  }): Promise<{ readonly entities: EntityRow[]; readonly total: number }>
}

/** SQLite takes some 32,000 values in one statement; this many keep the number of different statements small. */
const AT_ONCE = 256

export function createGraphReader(sql: SqlReader): GraphReader {
  return {
    async edgesOf(ids, query) {
      const found = new Map<string, Edge>()
      for (const some of chunks(ids)) {
        for (const edge of await edgesOfSome(sql, some, query)) found.set(keyOf(edge), edge)
      }
      return [...found.values()]
    },

    async edges({ types, limit }) {
      const { condition, values } = ofTypes(types)
      return await sql.all<Edge>(
        `SELECT ${EDGE} FROM relation WHERE deleted_at IS NULL ${condition}
          ORDER BY source_id, type, target_id LIMIT ?`,
        [...values, limit],
      )
    },

    async entities(ids) {
      const rows: EntityRow[] = []
      for (const some of chunks(ids)) {
        const records = await sql.all<EntityRecord>(
          `SELECT ${ENTITY_COLUMNS} FROM entity
            WHERE id IN (${places(some)}) AND deleted_at IS NULL`,
          some,
        )
        rows.push(...records.map(toEntity))
      }
      return rows
    },

    async orphans({ type, limit, offset }) {
      const ofType = type === undefined ? '' : 'AND entity.type = ?'
      const where = `deleted_at IS NULL ${ofType}
          AND NOT EXISTS (SELECT 1 FROM relation r WHERE r.source_id = entity.id AND r.deleted_at IS NULL)
          AND NOT EXISTS (SELECT 1 FROM relation r WHERE r.target_id = entity.id AND r.deleted_at IS NULL)`
      const values: SqlValue[] = type === undefined ? [] : [type]
      const records = await sql.all<EntityRecord>(
        `SELECT ${ENTITY_COLUMNS} FROM entity WHERE ${where} ORDER BY number LIMIT ? OFFSET ?`,
        [...values, limit, offset],
      )
      const count = await sql.get<{ total: number }>(
        `SELECT count(*) AS total FROM entity WHERE ${where}`,
        values,
      )
      return { entities: records.map(toEntity), total: count?.total ?? 0 }
    },
  }
}

const EDGE = `source_id AS sourceId, type, target_id AS targetId,
  created_at AS createdAt, created_by AS createdBy`

/** Both ends are asked for one by one: with OR the database would read every edge. */
async function edgesOfSome(
  sql: SqlReader,
  ids: readonly string[],
  { direction, types }: EdgeQuery,
): Promise<Edge[]> {
  const { condition, values } = ofTypes(types)
  const ends = direction === 'both' ? ['source_id', 'target_id'] : [END[direction]]
  const selects = ends.map(
    (end) =>
      `SELECT ${EDGE} FROM relation WHERE ${end} IN (${places(ids)}) AND deleted_at IS NULL ${condition}`,
  )
  return await sql.all<Edge>(
    `${selects.join(' UNION ')} ORDER BY 1, 2, 3`,
    ends.flatMap(() => [...ids, ...values]),
  )
}

const END = { from: 'source_id', to: 'target_id' } as const

function ofTypes(types: readonly string[] | undefined): {
  condition: string
  values: readonly SqlValue[]
} {
  if (types === undefined) return { condition: '', values: [] }
  return { condition: `AND type IN (${places(types)})`, values: types }
}

function keyOf({ sourceId, type, targetId }: Edge): string {
  return `${sourceId} ${type} ${targetId}`
}

function places(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ')
}

function* chunks(ids: readonly string[]): Generator<readonly string[]> {
  for (let at = 0; at < ids.length; at += AT_ONCE) yield ids.slice(at, at + AT_ONCE)
}
