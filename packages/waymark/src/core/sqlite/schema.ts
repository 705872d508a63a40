import {
  type Connection,
  type ConnectionOptions,
  migrate as runMigrations,
  readSchemaVersion,
  type Schema,
  SqliteError,
} from '@waymark/sqlite'
import { Failure } from '../error.ts'
import { MIGRATIONS, type Migration } from '../store/migrations.ts'
import { REMEDY, withFailures } from './failures.ts'

/** "WAYM": marks the file as ours in its header. */
const APPLICATION_ID = 0x5741594d

export const SCHEMA: Schema = toSchema(MIGRATIONS)

/** Random ids touch pages all over the indexes; SQLite's default is too small from some 10,000 entities on. */
export const CACHE: ConnectionOptions = { cacheKilobytes: 32_768 }

/** Turns on the write-ahead log, which stays on: readers and the one writer do not wait for each other. */
export function useLog(connection: Connection): void {
  const mode = connection.useWriteAheadLog()
  if (mode !== 'wal') {
    throw new Failure(
      'storage_unavailable',
      'the state folder is on a file system without the shared memory that the store needs; use a local disk',
      { details: { mode } },
    )
  }
}

/** Brings a database, new or old, to this program's schema. Any number of processes may try at once. */
export async function migrate(
  connection: Connection,
  busyLimitMs: number,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  await withFailures(() => runMigrations(connection, toSchema(migrations), busyLimitMs))
}

/** Throws unless this is a Waymark database that this program understands, and the one of this project. */
export function assertOurs(connection: Connection, projectId: string): void {
  if (readSchemaVersion(connection, SCHEMA) === 0) {
    throw new SqliteError('foreign_file', 'the database has no tables')
  }
  // The file may have come with a repository from anywhere. Waymark makes no triggers and no views.
  const code = connection.get('SELECT 1 FROM sqlite_schema WHERE type IN (?, ?)', 'trigger', 'view')
  if (code !== undefined) {
    throw new Failure(
      'storage_corrupt',
      `the database has triggers or views that Waymark did not create; ${REMEDY}`,
    )
  }
  const project = connection.get<{ id: string }>('SELECT id FROM project')
  if (project?.id !== projectId) {
    throw new Failure('storage_corrupt', `the database is that of another project; ${REMEDY}`)
  }
}

export function isCurrent(connection: Connection): boolean {
  return connection.pragma('user_version') === MIGRATIONS.at(-1)?.version
}

/** Throws if the database was moved away, or changed by a newer program, since it was opened. */
export function assertCurrent(connection: Connection): void {
  if (!connection.isMoved && isCurrent(connection)) return
  throw new Failure(
    'storage_unavailable',
    'the database was replaced or updated by another program while it was in use; start waymark again',
  )
}

function toSchema(migrations: readonly Migration[]): Schema {
  return {
    applicationId: APPLICATION_ID,
    firstVersion: migrations[0]?.version ?? 1,
    migrations: migrations.map(({ sqlite }) => sqlite),
  }
}
