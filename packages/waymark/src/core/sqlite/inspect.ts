import { COUNT_DELETION } from '../../search/index/word-store.ts'
import { Connection, loadSqlite, sqliteVersion as versionOf } from '@waymark/sqlite'
import { retryWhileBusy, toFailure } from './failures.ts'
import { CACHE } from './database.ts'
import { MIGRATIONS } from '../store/migrations.ts'
import { databasePath } from '../store/state-folder.ts'

const BUSY_LIMIT_MS = 15_000
const MOST_PROBLEMS = 10

/** The SQLite that this process uses. Throws if it is one that must not be used. */
export function sqliteVersion(): string {
  try {
    return versionOf(loadSqlite())
  } catch (error) {
    throw toFailure(error)
  }
}

/** Structural problems of a project's database, from a full scan; empty if there are none. */
export async function findDamage(stateDir: string): Promise<readonly string[]> {
  return await inspect(stateDir, 'read', findProblems)
}

/**
 * Rebuilds derived data: the indexes, and the full-text index, which is left empty for the next integrity check to
 * fill. Returns whether the database is sound afterwards; if not, nothing was changed.
 */
export async function repairIndexes(stateDir: string): Promise<boolean> {
  return await inspect(stateDir, 'write', (connection) => {
    connection.exec('BEGIN IMMEDIATE')
    if (!findProblems(connection).every(isOfIndex)) return false
    for (const { sql } of findMissing(connection)) connection.exec(sql)
    connection.exec('REINDEX')
    if (findProblems(connection).some((problem) => /fts5/i.test(problem))) emptyFullText(connection)
    if (findProblems(connection).length > 0) return false
    connection.exec('COMMIT')
    return true
  })
}

function findProblems(connection: Connection): string[] {
  const parts = [...findMissing(connection).map(toText), ...findMislisted(connection)]
  return [...findStructural(connection), ...parts]
}

/** Only indexes can be rebuilt. With a damaged table they are kept, because they may hold rows that it lost. */
function isOfIndex(problem: string): boolean {
  return /\bindex\b|fts5/i.test(problem)
}

function emptyFullText(connection: Connection): void {
  for (const table of ['document_term', 'word_trigram'])
    connection.exec(`INSERT INTO ${table} (${table}) VALUES ('delete-all')`)
  connection.exec('DELETE FROM word')
  connection.exec(COUNT_DELETION)
}

async function inspect<T>(
  stateDir: string,
  access: 'read' | 'write',
  look: (connection: Connection) => T,
): Promise<T> {
  const path = databasePath(stateDir)
  const connection = await retryWhileBusy(() => new Connection(path, access, CACHE), BUSY_LIMIT_MS)
  try {
    return await retryWhileBusy(() => look(connection), BUSY_LIMIT_MS)
  } finally {
    connection.close()
  }
}

function findStructural(connection: Connection): string[] {
  // One row at a time: the packaged driver loses the error's code when it reads all rows of a damaged file.
  const row = connection.get<{ integrity_check: string }>(
    `PRAGMA integrity_check(${MOST_PROBLEMS})`,
  )
  const lines = row?.integrity_check.split('\n') ?? []
  return lines.filter((line) => line !== 'ok' && !line.startsWith('***'))
}

interface Part {
  readonly type: string
  readonly name: string
  readonly sql: string
  /** Of a table. */
  readonly columns: string
}

const PARTS = `SELECT type, name, sql,
    (SELECT group_concat(c.name, ' ') FROM pragma_table_info(sqlite_schema.name) AS c) AS columns
  FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY name`

/** Tables, columns and indexes of this schema version that the database lacks. */
function findMissing(connection: Connection): Part[] {
  const there = partsOf(connection)
  return wantedParts().filter(({ name, columns }) => there.get(name)?.columns !== columns)
}

/** Wrong `type` in sqlite_schema. SQLite goes by the SQL text beside it until it next rewrites the row. */
function findMislisted(connection: Connection): string[] {
  const there = partsOf(connection)
  return wantedParts()
    .filter(({ name, type }) => (there.get(name)?.type ?? type) !== type)
    .map(({ name }) => `${name} is listed as something that it is not`)
}

function partsOf(connection: Connection): ReadonlyMap<string, Part> {
  return new Map(connection.all<Part>(PARTS).map((part) => [part.name, part]))
}

function toText({ type, name }: Part): string {
  return `${type} ${name} is missing or has other columns`
}

let wanted: readonly Part[] | undefined

/** The schema that all migrations make together, which takes tens of milliseconds to find out. */
function wantedParts(): readonly Part[] {
  wanted ??= readWantedParts()
  return wanted
}

function readWantedParts(): readonly Part[] {
  const { DatabaseSync } = loadSqlite()
  const handle = new DatabaseSync(':memory:')
  try {
    for (const { sqlite } of MIGRATIONS) for (const statement of sqlite) handle.exec(statement)
    return handle.prepare(PARTS).all() as Part[]
  } finally {
    handle.close()
  }
}
