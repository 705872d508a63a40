import { existsSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { Failure, type FailureCode } from '../error.ts'
import { createDatabase } from './sqlite/create.ts'
import { Database } from './sqlite/database.ts'
import {
  bellPath,
  createStateFolder,
  databasePath,
  hasMarker,
  linePath,
  readMarker,
  writeMarker,
} from './state-folder.ts'
import { createStore, type Store } from './store.ts'

export interface InitialiseOptions {
  /** The new project's id, should there be none yet. */
  readonly projectId: string
  /** Milliseconds since 1970. */
  readonly now: number
}

export interface InitialisedStore {
  readonly projectId: string
  /** False if the project was there already. */
  readonly created: boolean
}

/** Makes the state folder and its database. Keeps what is there, so any number of processes may try at once. */
export async function initialiseStore(
  stateDir: string,
  { projectId, now }: InitialiseOptions,
): Promise<InitialisedStore> {
  const marker = readMarker(stateDir)
  if (marker !== undefined) {
    await using _ = await openStore(stateDir)
    return { projectId: marker.projectId, created: false }
  }
  const project = await takingBack(stateDir, async () => {
    createStateFolder(stateDir)
    const made = await createDatabase(databasePath(stateDir), { projectId, createdAt: now })
    writeMarker(stateDir, made)
    return made
  })
  return { projectId: project.projectId, created: project.projectId === projectId }
}

const DISK_FAILURES: ReadonlySet<FailureCode> = new Set([
  'storage_full',
  'storage_read_only',
  'storage_unavailable',
])

/** Where the disk refuses to make a project, nothing is left of the attempt. Folders that were there stay. */
async function takingBack<T>(stateDir: string, make: () => Promise<T>): Promise<T> {
  const missing = firstMissing(stateDir)
  try {
    return await make()
  } catch (error) {
    const isOurs = missing !== undefined && !hasMarker(stateDir)
    if (isOurs && error instanceof Failure && DISK_FAILURES.has(error.code)) {
      remove(missing)
    }
    throw error
  }
}

/** What cannot be taken away is no news beside what has gone wrong. */
function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {}
}

/** The outermost folder that has to be made for this one. */
function firstMissing(folder: string): string | undefined {
  return existsSync(folder) ? undefined : (firstMissing(dirname(folder)) ?? folder)
}

/** Opens what `initialiseStore` made, and creates nothing. */
export async function openStore(stateDir: string): Promise<Store> {
  const marker = readMarker(stateDir)
  if (marker === undefined) {
    throw new Failure('not_initialised', 'this is not a Waymark project yet; run `waymark init`', {
      details: { stateDir },
    })
  }
  const database = await Database.open({
    path: databasePath(stateDir),
    bellPath: bellPath(stateDir),
    linePath: linePath(stateDir),
    projectId: marker.projectId,
  })
  return createStore(database)
}
