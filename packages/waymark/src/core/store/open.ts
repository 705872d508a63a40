import { createDatabase } from '../sqlite/create.ts'
import { openEngine } from './open-engine.ts'
import {
  createStateFolder,
  databasePath,
  type Marker,
  readMarker,
  writeMarker,
} from './state-folder.ts'
import { createStore, type Store } from './store.ts'

export interface InitialiseOptions {
  /** The new project's id, should there be none yet. */
  readonly projectId: string
  /** Milliseconds since 1970. */
  readonly now: number
  /** What the project is called where a server has several. */
  readonly name?: string
}

export interface InitialisedStore {
  readonly projectId: string
  /** False if the project was there already. */
  readonly created: boolean
}

/**
 * Makes the state folder and its database. Keeps existing files, so processes may race. A failed attempt
 * leaves an incomplete folder, which is kept as well: another process may be about to complete it.
 */
export async function initialiseStore(
  stateDir: string,
  { projectId, now, name }: InitialiseOptions,
): Promise<InitialisedStore> {
  const marker = readMarker(stateDir)
  if (marker !== undefined) {
    await using _ = await openStore(stateDir)
    return { projectId: marker.projectId, created: false }
  }
  createStateFolder(stateDir)
  const project = await createProject(stateDir, { projectId, createdAt: now }, name)
  writeMarker(stateDir, project)
  return { projectId: project.projectId, created: project.projectId === projectId }
}

/** In PostgreSQL where the environment names a database, else in the state folder. */
async function createProject(stateDir: string, project: Marker, name?: string): Promise<Marker> {
  const url = process.env['WAYMARK_DATABASE_URL'] ?? ''
  if (url === '') return await createDatabase(databasePath(stateDir), project)
  const { createPostgresProject } = await import('../postgres/open.ts')
  await createPostgresProject(url, { ...project, ...(name !== undefined && { name }) })
  return { ...project, engine: 'postgres' }
}

/** Opens what `initialiseStore` made, and creates nothing. */
export async function openStore(stateDir: string): Promise<Store> {
  return createStore(await openEngine(stateDir))
}
