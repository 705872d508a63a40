import { lstat, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { hasOwnName } from '../../text/own-name.ts'
import { Failure } from '../../../core/error.ts'
import { findGitDirs, kindOf } from './git-dirs.ts'
import { hasCode } from '../../system-error.ts'

/** A working tree as far as callers reach it. All paths are real ones. */
export interface WorkTree {
  readonly top: string
  /** Folders in it that are Git's or Waymark's own; in a bare repository the top itself. */
  readonly own: readonly string[]
}

export async function findWorkTree(root: string, state: string | undefined): Promise<WorkTree> {
  const top = await realpath(root)
  const dirs = findGitDirs(root)
  const known = new Set([dirs?.own, dirs?.common, state].filter((folder) => folder !== undefined))
  const own = await Promise.all([...known].map((folder) => realpath(folder).catch(() => folder)))
  // A worktree may lie inside the Git folder that it belongs to.
  return { top, own: own.filter((folder) => isWithin(top, folder)) }
}

/** The real path of a relative or absolute path. Undefined if it does not exist. */
export async function locate(tree: WorkTree, path: string): Promise<string | undefined> {
  const wanted = isAbsolute(path) ? resolve(path) : resolve(join(tree.top, path))
  try {
    const real = await realpath(wanted)
    assertReachable(tree, real)
    return real
  } catch (error) {
    if (hasCode(error, ['ENOENT', 'ENOTDIR'])) return undefined
    throw error
  }
}

/** The real path for a new file in an existing folder. An existing symlink is not followed, but replaced later. */
export async function locateNew(tree: WorkTree, path: string): Promise<string> {
  const folder = await locate(tree, dirname(path))
  if (folder === undefined) {
    throw new Failure('invalid_input', 'there is no folder for this file; make it first', {
      details: { path: path.slice(0, 1024) },
    })
  }
  const place = join(folder, basename(path))
  assertReachable(tree, place)
  return place
}

/** The real path for a folder that may have yet to be made, with the folders above it. */
export async function locateNewFolder(tree: WorkTree, path: string): Promise<string> {
  const wanted = resolve(tree.top, path)
  if ((await lstat(wanted).catch(() => undefined)) === undefined) {
    const place = join(await locateNewFolder(tree, dirname(wanted)), basename(wanted))
    assertReachable(tree, place)
    return place
  }
  const real = await locate(tree, wanted)
  if (real !== undefined && kindOf(real) === 'folder') return real
  throw new Failure('invalid_input', 'the path leads through something that is no folder', {
    details: { path: path.slice(0, 1024) },
  })
}

/** Refuses a real path that is outside of the tree, inside `.git` or inside the state folder. */
export function assertReachable({ top, own }: WorkTree, real: string): void {
  if (!isWithin(top, real)) throw new Failure('forbidden', 'the path leads out of the project')
  const isOwn =
    own.some((folder) => isWithin(folder, real)) || hasOwnName(relative(top, real).split(sep))
  if (isOwn) throw new Failure('forbidden', 'the path is inside .git or Waymark’s state folder')
}

/** Both must be real paths, without symlinks. */
export function isWithin(folder: string, path: string): boolean {
  const inside = relative(folder, path)
  return inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside)
}
