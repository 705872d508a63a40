import {
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { Failure, type FailureCode } from '../error.ts'
import { createFile, readRegularFile, toOwnPath } from '../../support/files/regular-file.ts'
import { describeDenied } from '../../support/files/denied.ts'
import { assertStateFolder } from '../../support/files/state-entries.ts'
import { hasCode } from '../../support/system-error.ts'

/** Which project a state folder belongs to. */
export interface Marker {
  readonly projectId: string
  /** Milliseconds since 1970. */
  readonly createdAt: number
  /** Where its tables are; SQLite in the state folder when absent. */
  readonly engine?: 'postgres'
}

/** The version of the folder's layout. */
const FORMAT = 1
const LARGEST_MARKER = 4096

export function databasePath(stateDir: string): string {
  return join(stateDir, 'waymark.db')
}

export function bellPath(stateDir: string): string {
  return join(stateDir, 'bell')
}

/** File of the lock queue, created when two processes first compete for the lock. Its contents are transient. */
export function linePath(stateDir: string): string {
  return join(stateDir, 'line')
}

/** Written when everything else is in place, and never changed: without it the folder is not a project's state. */
function markerPath(stateDir: string): string {
  return join(stateDir, 'project.json')
}

/** Makes the folder, for its owner alone, and the files that other code expects to find. */
export function createStateFolder(stateDir: string): void {
  withFileFailures(stateDir, () => {
    mkdirSync(dirname(stateDir), { recursive: true })
    mkdirSync(stateDir, { recursive: true, mode: 0o700 })
    assertStateFolder(stateDir)
    // Outside Git the folder lies in the working tree, and that may become a repository one day.
    createFile(join(stateDir, '.gitignore'), '*\n')
    createFile(bellPath(stateDir), '')
    // SQLite would let all users read the file that it makes. One that is there must not even be opened: closing it
    // again would take away the locks that this process may hold on it.
    createFile(databasePath(stateDir), '')
  })
}

export function hasMarker(stateDir: string): boolean {
  try {
    return lstatSync(markerPath(stateDir), { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}

/** Undefined where there is no marker. Every use of a state folder begins with this, so it is checked here. */
export function readMarker(stateDir: string): Marker | undefined {
  const text = withFileFailures(stateDir, () => {
    assertStateFolder(stateDir)
    return readRegularFile(markerPath(stateDir), LARGEST_MARKER)
  })
  return text === undefined ? undefined : parseMarker(text)
}

/** Survives a power cut once it returns: first the content reaches the disk, then the name. */
export function writeMarker(stateDir: string, { projectId, createdAt, engine }: Marker): void {
  const created = new Date(createdAt).toISOString()
  const text = JSON.stringify({ format: FORMAT, project: projectId, created, engine }, null, 2)
  const path = markerPath(stateDir)
  const draft = `${path}.${crypto.randomUUID()}`
  withFileFailures(stateDir, () => {
    try {
      writeFileSync(draft, `${text}\n`, { mode: 0o600, flag: 'wx', flush: true })
      renameSync(draft, path)
    } catch (error) {
      rmSync(draft, { force: true })
      throw error
    }
    syncFolder(stateDir)
    syncFolder(dirname(stateDir))
  })
}

function parseMarker(text: string): Marker {
  const { format, project, created, engine } = parseObject(text)
  if (typeof format === 'number' && format > FORMAT) {
    throw new Failure('storage_newer', 'a newer waymark has made this project; update waymark', {
      details: { found: format, supported: FORMAT },
    })
  }
  const createdAt = Date.parse(String(created))
  if (format !== FORMAT || typeof project !== 'string' || Number.isNaN(createdAt)) {
    throw damagedMarker()
  }
  if (engine === undefined) return { projectId: project, createdAt }
  if (engine !== 'postgres') throw damagedMarker()
  return { projectId: project, createdAt, engine }
}

function parseObject(text: string): Record<string, unknown> {
  try {
    return { ...(JSON.parse(text) as object) }
  } catch (error) {
    throw damagedMarker(error)
  }
}

function damagedMarker(cause?: unknown): Failure {
  return new Failure(
    'storage_corrupt',
    'project.json in the state folder is damaged; restore it from a copy, or delete it and run `waymark init`, which keeps the database',
    { cause },
  )
}

/** Windows cannot open a folder, and does not need to: it keeps the order of names by itself. */
function syncFolder(path: string): void {
  if (process.platform === 'win32') return
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

function withFileFailures<T>(stateDir: string, action: () => T): T {
  try {
    return action()
  } catch (error) {
    if (error instanceof Failure) throw error
    const [code, message] = meaningOf(error, stateDir)
    throw new Failure(code, message, { cause: error })
  }
}

function meaningOf(error: unknown, stateDir: string): readonly [FailureCode, string] {
  if (hasCode(error, ['EACCES', 'EPERM', 'EROFS'])) {
    return ['storage_read_only', describeDenied(pathOf(error) ?? stateDir)]
  }
  if (hasCode(error, ['ENOSPC', 'EDQUOT'])) {
    return ['storage_full', 'the disk is full; free some space and try again']
  }
  if (hasCode(error, ['EEXIST', 'ENOTDIR', 'EISDIR'])) {
    return [
      'storage_unavailable',
      `something else is where ${toOwnPath(stateDir)} belongs; move it away`,
    ]
  }
  return ['storage_unavailable', 'the disk reported an error; check it and try again']
}

/** The path that the system refused. */
function pathOf(error: unknown): string | undefined {
  return error instanceof Error && 'path' in error && typeof error.path === 'string'
    ? error.path
    : undefined
}
