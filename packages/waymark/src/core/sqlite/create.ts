import { Failure } from '../error.ts'
import type { Marker } from '../store/state-folder.ts'
import { Connection } from './connection.ts'
import { REMEDY } from './failures.ts'
import { patiently } from './patience.ts'
import { isOurs, migrate, useLog } from './schema.ts'

const PATIENCE_MS = 15_000

/**
 * Makes a project's database and returns whose it is: the project given, or the one that was first. Whatever an
 * interrupted attempt has left is completed.
 */
export async function createDatabase(path: string, project: Marker): Promise<Marker> {
  const connection = await patiently(() => new Connection(path, 'create'), PATIENCE_MS)
  try {
    await patiently(() => assertFree(connection), PATIENCE_MS)
    await patiently(() => useLog(connection), PATIENCE_MS)
    await migrate(connection, PATIENCE_MS)
    const owner = await patiently(() => claim(connection, project), PATIENCE_MS)
    // From here on the file stands for itself: without its log it is an empty project, not an empty file.
    connection.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    return owner
  } finally {
    connection.close()
  }
}

function assertFree(connection: Connection): void {
  // In this order: another process may fill the file at any time, and it makes it ours together with the first table.
  if (connection.get('SELECT 1 FROM sqlite_schema') === undefined) return
  if (isOurs(connection)) return
  throw new Failure('storage_corrupt', `the database is not one of waymark; ${REMEDY}`)
}

function claim(connection: Connection, { projectId, createdAt }: Marker): Marker {
  connection.run(
    'INSERT INTO project (id, created_at) SELECT ?, ? WHERE NOT EXISTS (SELECT 1 FROM project)',
    [projectId, createdAt],
  )
  const row = connection.get<{ id: string; created_at: number }>('SELECT * FROM project')
  if (row === undefined) throw new Failure('storage_corrupt', `the database is damaged; ${REMEDY}`)
  return { projectId: row.id, createdAt: row.created_at }
}
