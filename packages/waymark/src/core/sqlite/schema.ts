import { Failure } from '../error.ts'
import { MIGRATIONS, type Migration } from '../store/migrations.ts'
import type { Connection } from './connection.ts'
import { REMEDY } from './failures.ts'
import { patiently } from './patience.ts'

/** "WAYM": marks the file as ours in its header. */
const APPLICATION_ID = 0x5741594d

const LATEST = MIGRATIONS.length

/** Turns on the write-ahead log, which stays on: readers and the one writer do not wait for each other. */
export function useLog(connection: Connection): void {
  const mode = connection.get<{ journal_mode: string }>('PRAGMA journal_mode = WAL')?.journal_mode
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
  patience: number,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  for (const migration of migrations) {
    await patiently(() => connection.exec('BEGIN IMMEDIATE'), patience)
    try {
      // Read with the lock held: another process may have been here while this one waited.
      if (versionOf(connection) < migration.version) apply(connection, migration)
      connection.exec('COMMIT')
    } catch (error) {
      if (connection.inTransaction) connection.exec('ROLLBACK')
      throw error
    }
  }
}

function apply(connection: Connection, { version, sqlite }: Migration): void {
  for (const statement of sqlite) connection.exec(statement)
  connection.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${version}`)
}

export function isOurs(connection: Connection): boolean {
  return connection.pragma('application_id') === APPLICATION_ID
}

/** Throws unless this is a Waymark database that this program understands, and the one of this project. */
export function assertOurs(connection: Connection, projectId: string): void {
  if (!isOurs(connection)) {
    throw new Failure('storage_corrupt', `the database is not one of waymark; ${REMEDY}`)
  }
  const version = versionOf(connection)
  if (version > LATEST) {
    throw new Failure('storage_newer', 'a newer waymark has used this project; update waymark', {
      details: { found: version, supported: LATEST },
    })
  }
  // The file may have come with a repository from anywhere. Waymark makes no triggers and no views.
  const code = connection.get('SELECT 1 FROM sqlite_schema WHERE type IN (?, ?)', [
    'trigger',
    'view',
  ])
  if (code !== undefined) {
    throw new Failure('storage_corrupt', `the database contains foreign code; ${REMEDY}`)
  }
  const project = connection.get<{ id: string }>('SELECT id FROM project')
  if (project?.id !== projectId) {
    throw new Failure('storage_corrupt', `the database is that of another project; ${REMEDY}`)
  }
}

export function isCurrent(connection: Connection): boolean {
  return versionOf(connection) === LATEST
}

/** Throws if the database was moved away, or changed by a newer program, since it was opened. */
export function assertCurrent(connection: Connection): void {
  if (!connection.isMoved && isCurrent(connection)) return
  throw new Failure(
    'storage_unavailable',
    'the database was replaced or updated by another program while it was in use; start waymark again',
  )
}

function versionOf(connection: Connection): number {
  return connection.pragma('user_version')
}
