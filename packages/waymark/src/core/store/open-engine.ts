import { Failure } from '../error.ts'
import { Database } from '../sqlite/database.ts'
import { bellPath, databasePath, linePath, readMarker } from './state-folder.ts'
import type { StoreEngine } from './store.ts'

/** Opens the database that a state folder names, and creates nothing. */
export async function openEngine(stateDir: string): Promise<StoreEngine> {
  const marker = readMarker(stateDir)
  if (marker === undefined) {
    throw new Failure('not_initialised', 'this is not a Waymark project yet; run `waymark init`', {
      details: { stateDir },
    })
  }
  if (marker.engine === 'postgres') {
    const { openPostgres } = await import('../postgres/open.ts')
    return await openPostgres(marker.projectId)
  }
  return await Database.open({
    path: databasePath(stateDir),
    bellPath: bellPath(stateDir),
    linePath: linePath(stateDir),
    projectId: marker.projectId,
  })
}
