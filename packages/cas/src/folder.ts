import { constants, lstatSync } from 'node:fs'
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ContentError, hasCode } from './content-error.ts'

const WINDOWS = process.platform === 'win32'
const RENAME_TRIES = 20

/** Layout: `objects/ab/cdef…` are complete, verified contents; `incoming/` holds uploads in progress. */
export function objectsFolder(folder: string): string {
  return join(folder, 'objects')
}

export function incomingFolder(folder: string): string {
  return join(folder, 'incoming')
}

/** `hash` has been checked by then. */
export function objectPath(folder: string, hash: string): string {
  return join(objectsFolder(folder), hash.slice(0, 2), hash.slice(2))
}

/**
 * Refuses a path below `folder` of which a part other than the last is a symbolic link. The store makes none: through one
 * that was planted, contents outside of the store would be listed, written and removed.
 */
export function assertUnlinked(folder: string, path: string): void {
  const names = relative(folder, dirname(path)).split(sep)
  for (let count = 1; count <= names.length; count += 1) {
    const part = names.slice(0, count)
    const found = lstatSync(join(folder, ...part), { throwIfNoEntry: false })
    if (found?.isSymbolicLink() !== true) continue
    throw new ContentError(
      'unavailable',
      `${part.join('/')} in the content folder is a symbolic link, which is not followed; put the folder that it leads to in its place if that is yours, or remove it`,
    )
  }
}

/** Mode 0700, regardless of the umask. */
export async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 })
}

/**
 * Undefined where there is none. A link is not followed and a pipe is not waited for: nothing that this store wrote is
 * one. A folder or a pipe can be opened all the same.
 */
export async function openObject(folder: string, hash: string): Promise<FileHandle | undefined> {
  const path = objectPath(folder, hash)
  assertUnlinked(folder, path)
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
  try {
    return await open(path, flags)
  } catch (error) {
    if (hasCode(error, ['ENOENT', 'ENOTDIR'])) return undefined
    throw error
  }
}

/** Windows refuses for a moment while a virus scanner or a reader has one of the two open. */
export async function moveInto(from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await rename(from, to)
    } catch (error) {
      const passes = WINDOWS && hasCode(error, ['EPERM', 'EACCES', 'EBUSY'])
      if (!passes || attempt === RENAME_TRIES) throw error
      await sleep(attempt * 5)
    }
  }
}

/** False if it was not there. */
export async function removeFile(path: string): Promise<boolean> {
  try {
    await rm(path, { maxRetries: 10, retryDelay: 10 })
    return true
  } catch (error) {
    if (hasCode(error, ['ENOENT', 'ENOTDIR'])) return false
    throw error
  }
}

/** Makes a name survive a power cut. Windows cannot open a folder, and does not need to. */
export async function syncFolder(path: string): Promise<void> {
  if (WINDOWS) return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
