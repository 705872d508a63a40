import type { Sql, SqlReader } from '../../core/store/sql.ts'

/** What live entities are counted by. */
interface Kind {
  readonly type: string
  readonly status: string | null
}

export interface KindFilter {
  readonly type?: string | undefined
  /** One of these; any if there are none. */
  readonly statuses?: readonly string[] | undefined
  /** None of these. */
  readonly exceptStatuses?: readonly string[] | undefined
}

/**
 * Types and statuses with a counter each. A type or a status that another clone knows of shares one with others, or a
 * remote could make any number of counters; filters by it have to count rows. To add one needs a migration that recounts.
 */
const COUNTED: ReadonlyMap<string, readonly string[]> = new Map([
  ['component', ['active', 'deprecated', 'planned']],
  ['decision', ['proposed', 'accepted', 'deprecated', 'superseded']],
  ['link', []],
  ['note', []],
  ['prompt', []],
  ['task', ['todo', 'in_progress', 'blocked', 'done', 'cancelled']],
])

const PREFIX = 'entities '
/** Sorts after every name with the prefix. */
const END = 'entities!'
const OTHER = '*'

const COUNTERS = `name >= '${PREFIX}' AND name < '${END}'`

/** Adds to the counter of a kind, in the transaction that inserts, changes or deletes the row. */
export async function countKind(sql: Sql, kind: Kind, by: 1 | -1): Promise<void> {
  const name = counterOf(kind)
  if (sql.counters !== undefined) {
    return await sql.counters.set(name, ((await sql.counters.get(name)) ?? 0) + by)
  }
  await sql.run(
    `INSERT INTO counter (name, value) VALUES (?, ?)
      ON CONFLICT (name) DO UPDATE SET value = counter.value + ?`,
    [name, by, by],
  )
}

/** The name of the counter of a kind. */
export function counterOf({ type, status }: Kind): string {
  const statuses = COUNTED.get(type)
  if (statuses === undefined) return `${PREFIX}${OTHER}`
  if (status === null) return `${PREFIX}${type}`
  return `${PREFIX}${type} ${statuses.includes(status) ? status : OTHER}`
}

interface Count extends Kind {
  readonly count: number
}

async function readCounts(sql: SqlReader): Promise<readonly Count[]> {
  const rows = await sql.all<{ name: string; value: number }>(
    `SELECT name, value FROM counter WHERE ${COUNTERS}`,
  )
  return rows.map(({ name, value: count }) => {
    const [type = '', status = null] = name.slice(PREFIX.length).split(' ')
    return { type, status, count }
  })
}

/** How many live entities match; undefined where counters cannot tell. */
export async function countByKind(
  sql: SqlReader,
  { type, statuses = [], exceptStatuses = [] }: KindFilter,
): Promise<number | undefined> {
  if (type !== undefined && !COUNTED.has(type)) return undefined
  const known = new Set([...COUNTED.values()].flat())
  const named = [...statuses, ...exceptStatuses]
  if (named.some((status) => !known.has(status))) return undefined
  const ofType = (await readCounts(sql)).filter((each) => type === undefined || each.type === type)
  const isVague = ofType.some(
    ({ type, status, count }) => count !== 0 && (type === OTHER || status === OTHER),
  )
  if (isVague && named.length > 0) return undefined
  return ofType
    .filter(({ status }) => statuses.length === 0 || (status !== null && statuses.includes(status)))
    .filter(({ status }) => status === null || !exceptStatuses.includes(status))
    .reduce((total, { count }) => total + count, 0)
}

/** How many live entities there are of each type that has any; undefined where counters cannot tell. */
export async function countTypes(sql: SqlReader): Promise<ReadonlyMap<string, number> | undefined> {
  const totals = new Map<string, number>()
  for (const { type, count } of await readCounts(sql)) {
    if (type === OTHER && count !== 0) return undefined
    if (count !== 0) totals.set(type, (totals.get(type) ?? 0) + count)
  }
  return new Map([...totals].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** Rows of `counter` as the entities themselves have them. */
const RECOUNTED = `SELECT name, count(*) AS value FROM (SELECT ${toCounterName()} AS name
    FROM entity WHERE deleted_at IS NULL) AS kind GROUP BY name`

/** `counterOf` in SQL. */
function toCounterName(): string {
  const types = [...COUNTED.keys()].map((type) => `'${type}'`).join(', ')
  const kinds = [...COUNTED].flatMap(([type, statuses]) =>
    statuses.map((status) => `'${type} ${status}'`),
  )
  return `CASE WHEN type NOT IN (${types}) THEN '${PREFIX}${OTHER}'
      WHEN status IS NULL THEN '${PREFIX}' || type
      WHEN type || ' ' || status IN (${kinds.join(', ')}) THEN '${PREFIX}' || type || ' ' || status
      ELSE '${PREFIX}' || type || ' ${OTHER}' END`
}

/** How many of these counters differ from what they count. */
export async function countWrongKinds(sql: SqlReader): Promise<number> {
  const kept = `SELECT name, value FROM counter WHERE ${COUNTERS} AND value <> 0`
  const row = await sql.get<{ count: number }>(
    `SELECT count(DISTINCT name) AS count FROM (
      SELECT name FROM (${RECOUNTED} EXCEPT ${kept}) AS missing
      UNION ALL SELECT name FROM (${kept} EXCEPT ${RECOUNTED}) AS surplus) AS wrong`,
  )
  return row?.count ?? 0
}

export async function recountKinds(sql: Sql): Promise<void> {
  await sql.run(`DELETE FROM counter WHERE ${COUNTERS}`)
  await sql.run(`INSERT INTO counter (name, value) ${RECOUNTED}`)
}
