import { Connection, type ConnectionOptions } from './connection.ts'
import { retryWhileBusy } from './retry.ts'
import { SqliteError } from './sqlite-error.ts'

/** The tables of an application, and how a file gets them. */
export interface Schema {
  /** Marks files in their header; a file with another id is refused. Without one, any file is accepted. */
  readonly applicationId?: number
  /** The version that the first migration leads to, 1 when absent. Files with a lower version are refused. */
  readonly firstVersion?: number
  /** The statements that lead to `firstVersion` and to each version after it; appended to, never edited. */
  readonly migrations: readonly (readonly string[])[]
}

export interface OpenOptions extends ConnectionOptions {
  readonly schema: Schema
  /** How long to wait for other processes; ten seconds when absent. */
  readonly busyLimitMs?: number
}

/** Opens a database with a write-ahead log and the newest schema; creates the file if there is none. */
export async function openDatabase(path: string, options: OpenOptions): Promise<Connection> {
  const { schema, busyLimitMs, ...rest } = options
  const connection = await retryWhileBusy(() => new Connection(path, 'create', rest), busyLimitMs)
  try {
    // First, because the write-ahead log would change a file of another application.
    await retryWhileBusy(() => readSchemaVersion(connection, schema), busyLimitMs)
    await retryWhileBusy(() => connection.useWriteAheadLog(), busyLimitMs)
    await migrate(connection, schema, busyLimitMs)
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

/** The version of a file, 0 for a new one. Throws if another application made it, or a version that is not supported. */
export function readSchemaVersion(
  connection: Connection,
  { applicationId, firstVersion = 1, migrations }: Schema,
): number {
  // In this order: another process may create the tables at any time, and sets version and id together with them.
  const hasTables = connection.get('SELECT 1 FROM sqlite_schema') !== undefined
  const version = connection.pragma('user_version')
  if (!hasTables && version === 0) return 0
  if (applicationId !== undefined && connection.pragma('application_id') !== applicationId) {
    throw new SqliteError('foreign_file', 'the file is a database of another application')
  }
  const supported = firstVersion + migrations.length - 1
  if (version > supported) {
    throw new SqliteError('newer_file', 'the file was written by a newer version', {
      details: { found: version, supported },
    })
  }
  if (version !== 0 && version < firstVersion) {
    throw new SqliteError('older_file', 'the file was written by a version that is too old', {
      details: { found: version, oldest: firstVersion },
    })
  }
  return version
}

/** Brings a database to the newest schema, each migration as a whole. Any number of processes may try at once. */
export async function migrate(
  connection: Connection,
  schema: Schema,
  busyLimitMs?: number,
): Promise<void> {
  const reached = await retryWhileBusy(() => readSchemaVersion(connection, schema), busyLimitMs)
  const firstVersion = schema.firstVersion ?? 1
  for (const [index, statements] of schema.migrations.entries()) {
    const version = firstVersion + index
    if (version <= reached) continue
    const apply = (): void => applyMigration(connection, schema, { version, statements })
    await retryWhileBusy(() => connection.transaction(apply), busyLimitMs)
  }
}

function applyMigration(
  connection: Connection,
  { applicationId }: Schema,
  { version, statements }: { version: number; statements: readonly string[] },
): void {
  // With the lock held: another process may have applied it in the meantime.
  if (connection.pragma('user_version') >= version) return
  for (const statement of statements) connection.exec(statement)
  const mark = applicationId === undefined ? '' : `PRAGMA application_id = ${applicationId};`
  connection.exec(`${mark} PRAGMA user_version = ${version}`)
}
