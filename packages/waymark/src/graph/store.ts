import { setImmediate as nextTurn } from 'node:timers/promises'
import type { EntityRow } from '../entity/store.ts'
import { ENTITY_COLUMNS, type EntityRecord, toEntity } from '../entity/entity-record.ts'
import type { RelationDirection, RelationRow } from '../relation/store.ts'
import type { SqlReader, SqlValue } from '../core/store/sql.ts'
import type { EntityId } from '../entity/entity-id.ts'

export type LabelRow = Pick<EntityRow, 'id' | 'number' | 'type' | 'title' | 'status'>
export type Edge = Omit<RelationRow, 'properties'>

export interface EdgeQuery {
  readonly direction: RelationDirection
  /** Only these types of relation; all when absent. */
  readonly types?: readonly string[] | undefined
}

/** SQLite takes some 32,000 values in one statement; this many keep the number of different statements small. */
const BATCH_SIZE = 256
/** How many rows one statement reads. */
const ROWS_AT_ONCE = 500

/** Entities and relations as one graph, read in pages small enough not to block the event loop. */
export type GraphReader = ReturnType<typeof createGraphReader>

export function createGraphReader(sql: SqlReader) {
  return {
    /**
     * The edges that touch any of these entities, page by page in a fixed order. One between two of them comes twice
     * when both directions are asked for.
     */
    async *edgesOf(
      ids: readonly EntityId[],
      { direction, types }: EdgeQuery,
    ): AsyncGenerator<readonly Edge[], void> {
      const ends: readonly End[] = direction === 'both' ? ['from', 'to'] : [direction]
      for (const end of ends) yield* edgesAt(sql, end, { ids: ids.toSorted(), types })
    },

    /** Every edge, page by page, ordered by where it starts. */
    async *edges(): AsyncGenerator<readonly Edge[], void> {
      yield* pages((last) => {
        const after = last === undefined ? '' : 'AND (source_id, type, target_id) > (?, ?, ?)'
        return sql.all<Edge>(
          `SELECT ${EDGE} FROM relation WHERE deleted_at IS NULL ${after}
            ORDER BY source_id, type, target_id LIMIT ${ROWS_AT_ONCE}`,
          last === undefined ? [] : [last.sourceId, last.type, last.targetId],
        )
      })
    },

    async entities(ids: readonly EntityId[]): Promise<EntityRow[]> {
      const rows: EntityRow[] = []
      for await (const some of chunks(ids)) {
        const records = await sql.all<EntityRecord>(
          `SELECT ${ENTITY_COLUMNS} FROM entity
            WHERE id IN (${places(some)}) AND deleted_at IS NULL`,
          some,
        )
        rows.push(...records.map(toEntity))
      }
      return rows
    },

    /** Entities without their texts, in no particular order. */
    async labels(ids: readonly EntityId[]): Promise<LabelRow[]> {
      const rows: LabelRow[] = []
      for await (const some of chunks(ids)) {
        rows.push(
          ...(await sql.all<LabelRow>(
            `SELECT ${LABEL} FROM entity WHERE id IN (${places(some)}) AND deleted_at IS NULL`,
            some,
          )),
        )
      }
      return rows
    },

    /** All entities without their texts, page by page in the order of their numbers. */
    async *everyLabel(): AsyncGenerator<readonly LabelRow[], void> {
      let last = 0
      for (;;) {
        const page = await sql.all<LabelRow>(
          `SELECT ${LABEL} FROM entity WHERE number > ? AND deleted_at IS NULL
            ORDER BY number LIMIT ${ROWS_AT_ONCE}`,
          [last],
        )
        yield page
        last = page.at(-1)?.number ?? 0
        if (page.length < ROWS_AT_ONCE) return
      }
    },

    /** The first tag of each entity that has one. */
    async firstTags(): Promise<Map<string, string>> {
      const rows = await sql.all<{ id: EntityId; tag: string }>(
        'SELECT entity_id AS id, min(tag) AS tag FROM tag GROUP BY entity_id',
      )
      return new Map(rows.map(({ id, tag }) => [id, tag]))
    },

    /** Entities without any edge, page by page in the order of their numbers; a page may be empty. */
    async *orphans(type?: string): AsyncGenerator<readonly LabelRow[], void> {
      const ofType = type === undefined ? '' : 'AND entity.type = ?'
      for (let from = 0; ;) {
        const bound = await sql.get<{ last: number | null }>(
          `SELECT max(number) AS last
            FROM (SELECT number FROM entity WHERE number > ? ORDER BY number LIMIT ${ROWS_AT_ONCE})`,
          [from],
        )
        const last = bound?.last ?? null
        if (last === null) return
        yield await sql.all<LabelRow>(
          `SELECT ${LABEL} FROM entity WHERE number > ? AND number <= ? AND deleted_at IS NULL ${ofType}
              AND NOT EXISTS (SELECT 1 FROM relation r WHERE r.source_id = entity.id AND r.deleted_at IS NULL)
              AND NOT EXISTS (SELECT 1 FROM relation r WHERE r.target_id = entity.id AND r.deleted_at IS NULL)
            ORDER BY number`,
          [from, last, ...(type === undefined ? [] : [type])],
        )
        from = last
      }
    },
  }
}

const LABEL = 'id, number, type, title, status'

const EDGE = `source_id AS sourceId, type, target_id AS targetId,
  created_at AS createdAt, created_by AS createdBy`

type End = Exclude<RelationDirection, 'both'>

/** By which columns edges are found from an end of theirs, in the order of an index. */
const COLUMNS = {
  from: { own: 'source_id', rest: 'type, target_id' },
  to: { own: 'target_id', rest: 'source_id, type' },
} as const

interface EdgesAt {
  /** Sorted, as the database sorts them. */
  readonly ids: readonly EntityId[]
  readonly types: readonly string[] | undefined
}

/** One query per end: with OR SQLite would scan every edge, with UNION it would read all before the first. */
async function* edgesAt(
  sql: SqlReader,
  end: End,
  { ids, types }: EdgesAt,
): AsyncGenerator<readonly Edge[], void> {
  const { own, rest } = COLUMNS[end]
  const { condition, values } = ofTypes(types)
  const select = (where: string, given: readonly SqlValue[]): Promise<Edge[]> =>
    sql.all<Edge>(
      `SELECT ${EDGE} FROM relation WHERE ${where} AND deleted_at IS NULL ${condition}
        ORDER BY ${own}, ${rest} LIMIT ${ROWS_AT_ONCE}`,
      [...given, ...values],
    )
  for (let at = 0; at < ids.length;) {
    const some = ids.slice(at, at + BATCH_SIZE)
    const page = await select(`${own} IN (${places(some)})`, some)
    yield page
    const last = page.at(-1)
    if (last === undefined || page.length < ROWS_AT_ONCE) {
      at += some.length
      continue
    }
    const id = ownEnd(last, end)
    yield* pages((before = last) =>
      select(`${own} = ? AND (${rest}) > (?, ?)`, [id, ...restOf(before, end)]),
    )
    at = ids.indexOf(id, at) + 1
  }
}

/** Keyset pagination from the last edge of the previous page. */
async function* pages(
  read: (last: Edge | undefined) => Promise<readonly Edge[]>,
): AsyncGenerator<readonly Edge[], void> {
  let last: Edge | undefined
  for (;;) {
    const page = await read(last)
    if (page.length > 0) yield page
    last = page.at(-1)
    if (page.length < ROWS_AT_ONCE) return
  }
}

function ownEnd({ sourceId, targetId }: Edge, end: End): EntityId {
  return end === 'from' ? sourceId : targetId
}

function restOf({ sourceId, type, targetId }: Edge, end: End): readonly [string, string] {
  return end === 'from' ? [type, targetId] : [sourceId, type]
}

function ofTypes(types: readonly string[] | undefined): {
  condition: string
  values: readonly SqlValue[]
} {
  if (types === undefined) return { condition: '', values: [] }
  return { condition: `AND type IN (${places(types)})`, values: types }
}

function places(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ')
}

/** Batches of ids, with a yield between them. */
async function* chunks(ids: readonly EntityId[]): AsyncGenerator<readonly EntityId[], void> {
  for (let at = 0; at < ids.length; at += BATCH_SIZE) {
    if (at > 0) await nextTurn()
    yield ids.slice(at, at + BATCH_SIZE)
  }
}
