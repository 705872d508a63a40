import { constants, type Stats } from 'node:fs'
import { type FileHandle, lstat, open, readlink, realpath, stat } from 'node:fs/promises'
import { Failure } from '../../core/error.ts'
import { hasCode } from '../system-error.ts'
import { notPlain } from './not-plain.ts'
import { putFile, type PutOptions } from './put-file.ts'
import { assertReachable, locate, type WorkTree } from './worktree/work-tree.ts'

/** On macOS: no part of the path may be a link. Node has no name for it. */
const NOFOLLOW_ANY = process.platform === 'darwin' ? 0x2000_0000 : 0
// O_NONBLOCK: opening a pipe does not wait for a writer. Windows has neither flag.
const READ_PLAIN =
  constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0) | NOFOLLOW_ANY

/** Opens a regular file of the tree for reading. Undefined if the path does not exist; any other file is a Failure. */
export async function openInTree(tree: WorkTree, path: string): Promise<FileHandle | undefined> {
  const real = await locate(tree, path)
  if (real === undefined) return undefined
  const file = await openPlain(real)
  if (file === undefined) return undefined
  try {
    assertPlain(await file.stat())
    await assertPlace(tree, file, real)
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

async function openPlain(real: string): Promise<FileHandle | undefined> {
  try {
    assertPlain(await lstat(real))
    return await open(real, READ_PLAIN)
  } catch (error) {
    if (hasCode(error, ['ENOENT', 'ENOTDIR'])) return undefined
    if (hasCode(error, ['ELOOP', 'ENXIO'])) throw changed()
    throw error
  }
}

/** Puts a file in its place as a whole, if that is in the tree. */
export async function putInTree(
  tree: WorkTree,
  place: string,
  write: (file: FileHandle) => Promise<void>,
  options?: PutOptions,
): Promise<void> {
  const writeInside = async (file: FileHandle, draft: string) => {
    await assertPlace(tree, file, draft)
    await write(file)
  }
  await putFile(place, writeInside, options)
}

/**
 * Checks the open file instead of its path: a symlink may have replaced the file between the lookup and the open
 * (TOCTOU).
 */
async function assertPlace(tree: WorkTree, file: FileHandle, path: string): Promise<void> {
  assertReachable(tree, (await placeFromSystem(file)) ?? (await placeByIdentity(file, path)))
}

/** On Linux, /proc names the path of an open file. */
async function placeFromSystem(file: FileHandle): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined
  const place = await readlink(`/proc/self/fd/${file.fd}`).catch(() => undefined)
  return place?.replace(/ \(deleted\)$/, '')
}

/** Elsewhere the path is valid if it still leads to the same inode. */
async function placeByIdentity(file: FileHandle, path: string): Promise<string> {
  const [real, opened, found] = await Promise.all([
    realpath(path),
    file.stat({ bigint: true }),
    stat(path, { bigint: true }),
  ])
  if (opened.dev === found.dev && opened.ino === found.ino) return real
  throw changed()
}

function changed(): Failure {
  return new Failure('conflict', 'the path was changed at this moment; try again')
}

function assertPlain(stats: Stats): void {
  if (stats.isFile()) return
  if (stats.isSymbolicLink()) throw changed()
  throw notPlain(stats)
}
