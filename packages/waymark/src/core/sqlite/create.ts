import { Connection, readSchemaVersion } from '@waymark/sqlite'
import { Failure } from '../error.ts'
import type { Marker } from '../store/state-folder.ts'
import { REMEDY, retryWhileBusy, withFailures } from './failures.ts'
import { CACHE, migrate, SCHEMA, useLog } from './database.ts'

const BUSY_LIMIT_MS = 15_000

/**
 * Creates a project's database, or completes one that an interrupted attempt left. Returns the project it belongs to:
 * the given one, or that of a process that was faster.
 */
export async function createDatabase(path: string, project: Marker): Promise<Marker> {
  const connection = await retryWhileBusy(
    () => new Connection(path, 'create', CACHE),
    BUSY_LIMIT_MS,
  )
  try {
    // First, because the write-ahead log would change a file of another program.
    await retryWhileBusy(() => readSchemaVersion(connection, SCHEMA), BUSY_LIMIT_MS)
    await retryWhileBusy(() => useLog(connection), BUSY_LIMIT_MS)
    await migrate(connection, BUSY_LIMIT_MS)
    const owner = await retryWhileBusy(() => claim(connection, project), BUSY_LIMIT_MS)
    // From here on the file stands for itself: without its log it is an empty project, not an empty file.
    await withFailures(async () => connection.exec('PRAGMA wal_checkpoint(TRUNCATE)'))
    return owner
  } finally {
    connection.close()
  }
}

function claim(connection: Connection, { projectId, createdAt }: Marker): Marker {
  connection.run(
    'INSERT INTO project (id, created_at) SELECT ?, ? WHERE NOT EXISTS (SELECT 1 FROM project)',
    projectId,
    createdAt,
  )
  const row = connection.get<{ id: string; created_at: number }>('SELECT * FROM project')
  if (row === undefined) throw new Failure('storage_corrupt', `the database is damaged; ${REMEDY}`)
  return { projectId: row.id, createdAt: row.created_at }
}
