import { yieldToEventLoop } from '../support/yield-to-event-loop.ts'
import type { SqlReader, SqlValue } from '../core/store/sql.ts'
import { ENTITY_COLUMNS, type EntityRecord, toEntity } from './entity-record.ts'
import { countByKind } from './count/store.ts'
import type { EntityRow } from './store.ts'

type EntitySelection = Omit<EntityFilter, 'offset'>

interface EntityFilter {
  readonly type?: string | undefined
  /** One of these; any if there are none. */
  readonly statuses?: readonly string[] | undefined
  /** None of these. */
  readonly exceptStatuses?: readonly string[] | undefined
  readonly tag?: string | undefined
  readonly exceptTag?: string | undefined
  /** Only tasks that are due on this date. */
  readonly dueDate?: string | undefined
  readonly limit: number
  readonly offset: number
  /** Stops a long list between two reads, which take turns with other work. */
  readonly signal?: AbortSignal
}

/** One page in the order of the numbers, and how many entities match in all. */
interface EntityPage {
  readonly entities: EntityRow[]
  readonly total: number
  /** The page was cut short to limit memory. */
  readonly isCut: boolean
}

/** How many entities are read at once, and how many bytes of theirs fill a page. */
const READ_AT_ONCE = 500
/** A hundred of the longest texts fit. */
const LARGEST_PAGE = 16 * 1024 * 1024
/** Stored size, which SQLite reads from the row header alone. */
const SIZE = 'octet_length(title) + coalesce(octet_length(content), 0) + octet_length(properties)'

/** Lists of the live entities that match a filter. */
export function createEntityLists(sql: SqlReader) {
  /** Only live entities have rows there. */
  const countTagged = async (tag: string): Promise<number> => {
    const query = 'SELECT count(*) AS total FROM tag WHERE tag = ?'
    return (await sql.get<{ total: number }>(query, [tag]))?.total ?? 0
  }
  const count = async (filter: EntitySelection): Promise<number> => {
    const { type, statuses = [], exceptStatuses = [], tag, exceptTag, dueDate } = filter
    const isByTag = [type, exceptTag, dueDate, ...statuses, ...exceptStatuses].every(
      (one) => one === undefined,
    )
    if (tag !== undefined && isByTag) return await countTagged(tag)
    const isByKind = (tag ?? exceptTag ?? dueDate) === undefined
    const known = isByKind ? await countByKind(sql, filter) : undefined
    if (known !== undefined) return known
    const { where, values } = toCondition(filter, typeColumnOf(filter))
    const query = `SELECT count(*) AS total FROM entity WHERE ${where}`
    return (await sql.get<{ total: number }>(query, values))?.total ?? 0
  }
  const readAll = (ids: readonly string[]): Promise<EntityRecord[]> =>
    sql.all<EntityRecord>(
      `SELECT ${ENTITY_COLUMNS} FROM entity
        WHERE id IN (SELECT value FROM json_each(?)) AND deleted_at IS NULL ORDER BY number`,
      [JSON.stringify(ids)],
    )
  return {
    async list(filter: EntityFilter): Promise<EntityPage> {
      const { where, values } = toCondition(filter)
      const records: EntityRecord[] = []
      let room = LARGEST_PAGE
      let isCut = false
      let read = 0
      while (read < filter.limit && !isCut) {
        const wanted = Math.min(READ_AT_ONCE, filter.limit - read)
        const sizes = await sql.all<{ id: string; size: number }>(
          `SELECT id, ${SIZE} AS size FROM entity WHERE ${where} ORDER BY number LIMIT ? OFFSET ?`,
          [...values, wanted, filter.offset + read],
        )
        const full = sizes.findIndex(({ size }) => (room -= size) < 0)
        isCut = full !== -1
        // The first row is always included, or paging could never get past a row larger than a page.
        const fitting = isCut ? Math.max(full, read === 0 ? 1 : 0) : sizes.length
        const ids = sizes.slice(0, fitting).map(({ id }) => id)
        if (fitting > 0) records.push(...(await readAll(ids)))
        read += fitting
        if (sizes.length < wanted) break
        if (filter.signal !== undefined) await yieldToEventLoop(filter.signal)
      }
      return {
        entities: records.map(toEntity),
        total: await count(filter),
        isCut,
      }
    },

    /** Most recently changed first, and the total number of matches. */
    async latest(filter: EntitySelection): Promise<Pick<EntityPage, 'entities' | 'total'>> {
      const { where, values } = toCondition(filter, typeColumnOf(filter))
      const records = await sql.all<EntityRecord>(
        // Few rows match: sort them instead of scanning the index of all changes, hence the unary plus.
        `SELECT ${ENTITY_COLUMNS} FROM entity WHERE ${where}
          ORDER BY +updated_at DESC, number DESC LIMIT ?`,
        [...values, filter.limit],
      )
      return { entities: records.map(toEntity), total: await count(filter) }
    },
  }
}

/** The entities with a tag are few compared with those of a type, whose index the unary plus disables. */
function typeColumnOf({ tag }: EntitySelection): string {
  return tag === undefined ? 'type' : '+entity.type'
}

interface Condition {
  readonly where: string
  readonly values: SqlValue[]
}

function toCondition(filter: EntitySelection, typeColumn = 'type'): Condition {
  const conditions = ['deleted_at IS NULL']
  const values: SqlValue[] = []
  const require = (condition: string, value: string | undefined): void => {
    if (value === undefined) return
    conditions.push(condition)
    values.push(value)
  }
  require(`${typeColumn} = ?`, filter.type)
  const statuses = filter.statuses ?? []
  if (statuses.length > 0) {
    conditions.push(`status IN (${statuses.map(() => '?').join(', ')})`)
    values.push(...statuses)
  }
  require('id IN (SELECT entity_id FROM tag WHERE tag = ?)', filter.tag)
  require('id NOT IN (SELECT entity_id FROM tag WHERE tag = ?)', filter.exceptTag)
  require('id IN (SELECT id FROM task WHERE due = ?)', filter.dueDate)
  for (const status of filter.exceptStatuses ?? []) require('status IS DISTINCT FROM ?', status)
  return { where: conditions.join(' AND '), values }
}
