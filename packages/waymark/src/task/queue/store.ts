import type { EntityRow } from '../../entity/store.ts'
import { JOINED_ENTITY_COLUMNS, type EntityRecord, toEntity } from '../../entity/entity-record.ts'
import type { SqlReader } from '../../core/store/sql.ts'
import type { TaskProperties } from '../fields.ts'
import { NO_DUE_DATE } from '../index-store.ts'
import {
  allOf,
  type Condition,
  exceptionsOf,
  type Facet,
  isDeferrable,
  offeredOf,
  type QueueSelection,
  tablesFor,
  toCondition,
  toFacets,
} from './selection-store.ts'

/** Queue order: priority, place by hand, due date (none last), number. */
export interface QueuePosition {
  readonly priority: number
  readonly rank: number
  readonly due: string
  readonly number: number
}

/** One page of them. */
export interface QueueQuery extends QueueSelection {
  readonly after?: QueuePosition | undefined
  readonly limit: number
  readonly offset?: number
}

export const POSITION = 't.priority, t.rank, t.due, t.number'

/** Facet counts are capped at this. */
const COMMON = 1000

export function createTaskQueue(sql: SqlReader) {
  const countRows = async ({ where, values }: Condition): Promise<number> => {
    // A count without conditions is fast: SQLite counts page by page.
    const condition = where === 'TRUE' ? '' : `WHERE ${where}`
    const row = await sql.get<{ total: number }>(
      `SELECT count(*) AS total FROM ${tablesFor(where)} ${condition}`,
      values,
    )
    return row?.total ?? 0
  }

  const frequency = async ({ facet, value }: Facet): Promise<number> => {
    const row = await sql.get<{ total: number }>(
      `SELECT count(*) AS total FROM (
        SELECT 1 FROM task_facet WHERE facet = ? AND value = ? LIMIT ${COMMON})`,
      [facet, value],
    )
    return row?.total ?? 0
  }

  /** Scans the rarest facet, to keep the intersection small. */
  const toSelection = async (query: QueueSelection): Promise<Condition> => {
    const facets = toFacets(query)
    if (facets.length < 2) return toCondition(query, { first: facets[0], others: [] })
    const counted: (readonly [number, Facet])[] = []
    for (const facet of facets) counted.push([await frequency(facet), facet])
    const rarestFirst = counted.toSorted(([a], [b]) => a - b).map(([, facet]) => facet)
    return toCondition(query, { first: rarestFirst[0], others: rarestFirst.slice(1) })
  }

  const queue = async (query: QueueQuery): Promise<EntityRow[]> => {
    const conditions = [await toSelection(query), toPage(query)]
    const offered = offeredOf(query)
    if (offered !== undefined) conditions.push(offered)
    const { where, values } = allOf(conditions)
    const { limit, offset = 0 } = query
    // As a constant where it is usual: PostgreSQL takes a limit that it does not know for a tenth of all.
    const isOne = limit === 1 && offset === 0
    const records = await sql.all<EntityRecord>(
      // Select the page from the narrow rows of the queue, then read only its texts.
      `SELECT ${JOINED_ENTITY_COLUMNS} FROM (
          SELECT t.id, ${POSITION} FROM ${tablesFor(where)} WHERE ${where}
            ORDER BY ${POSITION} ${isOne ? 'LIMIT 1' : 'LIMIT ? OFFSET ?'}) AS t
        JOIN entity AS e ON e.id = t.id ORDER BY ${POSITION}`,
      isOne ? values : [...values, limit, offset],
    )
    return records.map(toEntity)
  }

  /** Counts ready tasks in their index, and subtracts the few deferred ones. */
  const countReady = async (selection: QueueSelection): Promise<number> => {
    const all = await toSelection({ ...selection, includeDeferred: true })
    const deferred = { where: 't.defer_until > ?', values: [selection.now] }
    return (await countRows(all)) - (await countRows(allOf([all, deferred])))
  }

  /** Of these few, by their ids: the selected ones are many. */
  const countExcepted = async (
    exceptions: Condition,
    selection: QueueSelection,
  ): Promise<number> => {
    const { where, values } = toCondition(selection, { others: toFacets(selection) })
    const row = await sql.get<{ total: number }>(
      `SELECT count(*) AS total FROM (SELECT DISTINCT id FROM (${exceptions.where}) AS listed) AS x
        CROSS JOIN task AS t ON t.id = x.id CROSS JOIN entity AS e ON e.id = t.id WHERE ${where}`,
      [...exceptions.values, ...values],
    )
    return row?.total ?? 0
  }

  const count = async (selection: QueueSelection): Promise<number> => {
    const { state, includeDeferred = false, words = [] } = selection
    const condition = await toSelection(selection)
    // Scanning texts is expensive, so do it once.
    const total =
      isDeferrable(state) && !includeDeferred && words.length === 0
        ? await countReady(selection)
        : await countRows(condition)
    const exceptions = exceptionsOf(selection)
    if (exceptions === undefined) return total
    // Usually there are none, and then the ready tasks need not be looked at.
    const one = await sql.get(`${exceptions.where} LIMIT 1`, exceptions.values)
    if (one === undefined) return total
    return total - (await countExcepted(exceptions, selection))
  }

  return {
    /** The condition of a selection, for queries of `task AS t` alone. */
    async conditionOf(selection: QueueSelection): Promise<Condition> {
      const { where, values } = await toSelection(selection)
      const tables = tablesFor(where)
      if (tables === 'task AS t') return { where, values }
      return { where: `t.id IN (SELECT t.id FROM ${tables} WHERE ${where})`, values }
    },
    /** In the order of the queue. */
    queue,
    /** How many there are in all. */
    count,

    /** One page, and how many there are in all. */
    async page(
      query: QueueQuery,
    ): Promise<{ readonly tasks: EntityRow[]; readonly total: number }> {
      const tasks = await queue(query)
      const { limit, offset = 0, after } = query
      const isLast = tasks.length < limit && (tasks.length > 0 || offset === 0)
      if (isLast && after === undefined) return { tasks, total: offset + tasks.length }
      return { tasks, total: await count(query) }
    },
  }
}

/** The place of a task in the queue, for the page that begins after it. */
export function toPosition({ number, properties }: EntityRow): QueuePosition {
  const { priority, rank = 0, due_date: due = NO_DUE_DATE } = properties as TaskProperties
  return { priority, rank, due, number }
}

function toPage({ after }: QueueQuery): Condition {
  if (after === undefined) return { where: 'TRUE', values: [] }
  return {
    where: `(${POSITION}) > (?, ?, ?, ?)`,
    values: [after.priority, after.rank, after.due, after.number],
  }
}
