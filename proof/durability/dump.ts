import { Connection } from '@waymark/sqlite'
import { databasePath } from '../../packages/waymark/src/core/store/state-folder.ts'

/** The rows of every table, each as one text, in the order of these texts. */
export type Dump = ReadonlyMap<string, readonly string[]>

/** What can be compared with something else that is kept: a change in it must be found. */
export const KEPT_TWICE: ReadonlySet<string> = new Set([
  'entity',
  'relation',
  'tag',
  'task',
  'task_facet',
  'message',
])

// By what SQLite makes of the schema: it does not ask what its column `type` says.
const TABLES = `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'
  AND name NOT LIKE 'document_term%' AND name NOT LIKE 'word%' ORDER BY name`

export function dumpTables(state: string): Dump {
  const connection = new Connection(databasePath(state), 'read')
  try {
    const tables = connection.all<{ name: string }>(TABLES).map(({ name }) => name)
    return new Map(
      tables.map((name) => {
        const rows = connection.all<Record<string, unknown>>(`SELECT * FROM "${name}"`)
        return [name, rows.map(toText).toSorted()]
      }),
    )
  } finally {
    connection.close()
  }
}

function toText(row: Record<string, unknown>): string {
  return JSON.stringify(row, (_, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value,
  )
}

export function differingTables(good: Dump, seen: Dump): string[] {
  return [...new Set([...good.keys(), ...seen.keys()])].filter(
    (table) => good.get(table)?.join('\n') !== seen.get(table)?.join('\n'),
  )
}

/** A row of a table that is gone, and one that has come. */
export function describeDifference(good: Dump, seen: Dump, table: string): string {
  const [before, after] = [good.get(table) ?? [], seen.get(table) ?? []]
  const gone = before.find((row) => !after.includes(row)) ?? 'nothing'
  const come = after.find((row) => !before.includes(row)) ?? 'nothing'
  return `${table}: ${gone} became ${come}`
}

/** Tables in which rows are changed by the next write, so that an earlier state has others. */
const CHANGING: ReadonlySet<string> = new Set(['counter', 'agent', 'artifact_upload', 'document'])

/** Whether this is what was there at an earlier moment: nothing that was not there later, and no gap in the order. */
export function isEarlier(good: Dump, seen: Dump): boolean {
  for (const [table, rows] of seen) {
    const known = new Set(good.get(table))
    if (!CHANGING.has(table) && !rows.every((row) => known.has(row))) return false
  }
  const ids = eventIds(seen)
  return ids.length < eventIds(good).length && ids.every((id, at) => id === at + 1)
}

function eventIds(dump: Dump): number[] {
  const rows = dump.get('event') ?? []
  return rows.map((row) => (JSON.parse(row) as { id: number }).id).toSorted((a, b) => a - b)
}

/** Brings everything that is in the log into the database. */
export function emptyLog(state: string): void {
  const connection = new Connection(databasePath(state), 'write')
  connection.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  connection.close()
}
