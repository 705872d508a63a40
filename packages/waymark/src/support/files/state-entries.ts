import { lstatSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Failure } from '../../core/error.ts'
import { assertOneName, assertRegular, linked, toOwnPath } from './regular-file.ts'

/** Files of the state folder that are written or waited for in place; others are only read, or replaced as a whole. */
const IN_PLACE =
  /^(?:bell|line|(?:live|notes)\.lock|waymark\.db(?:-\w+)?|http-sessions-.*\.db(?:-\w+)?)$/

/**
 * Refuses a state folder that is a symlink, or that holds a symlink, pipe, socket or device. Waymark makes none of
 * these: they came with an archive, and lead its writes to files outside of the project. No folder yet is fine.
 */
export function assertStateFolder(stateDir: string): void {
  // Outside Git it is `.waymark/state` in the working tree, where an archive can bring the folder above it as well.
  if (basename(dirname(stateDir)) === '.waymark') isFolder(dirname(stateDir))
  if (!isFolder(stateDir)) return
  for (const entry of readdirSync(stateDir, { withFileTypes: true })) {
    const path = join(stateDir, entry.name)
    const isInPlace = IN_PLACE.test(entry.name)
    const found = isInPlace || isSpecial(entry) ? lstatIfPresent(path) : undefined
    if (found === undefined) continue
    assertRegular(found, path)
    if (isInPlace) assertOneName(found, path)
  }
}

/** The same for a folder of the state folder and all folders below it. */
export function assertPlainTree(folder: string): void {
  if (!isFolder(folder)) return
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!isSpecial(entry)) continue
    const path = join(entry.parentPath, entry.name)
    const found = lstatIfPresent(path)
    if (found !== undefined) assertRegular(found, path)
  }
}

function isSpecial(entry: { isFile(): boolean; isDirectory(): boolean }): boolean {
  return !entry.isFile() && !entry.isDirectory()
}

function isFolder(path: string): boolean {
  const found = lstatIfPresent(path)
  if (found === undefined || found.isDirectory()) return found !== undefined
  if (found.isSymbolicLink()) throw linked(path)
  throw new Failure(
    'storage_unavailable',
    `${toOwnPath(path)} is something else than a folder; move it away`,
  )
}

/** Undefined also for what another process has just removed. */
function lstatIfPresent(path: string) {
  return lstatSync(path, { throwIfNoEntry: false })
}
