import { constants, type Stats } from 'node:fs'
import { type FileHandle, lstat, open, readlink, realpath, stat } from 'node:fs/promises'
import { Failure } from '../../core/error.ts'
import { hasCode } from '../system-error.ts'
import { notPlain } from './not-plain.ts'
import { putFile, type PutOptions } from './put-file.ts'
import { assertReachable, locate, type WorkTree } from './work-tree.ts'

/** On macOS: no part of the path may be a link. Node has no name for it. */
const NOFOLLOW_ANY = process.platform === 'darwin' ? 0x2000_0000 : 0
// A pipe is opened without waiting for whoever writes to it: that may be nobody. Windows has neither of these.
const READ_PLAIN =
  constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0) | NOFOLLOW_ANY

/** Opens a plain file of the tree for reading. Undefined if there is none; what is there and is none is a Failure. */
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
 * What was opened need not be what was located: somebody may have put a link in its place in between. So the open file
 * itself has to be in the tree.
 */
async function assertPlace(tree: WorkTree, file: FileHandle, path: string): Promise<void> {
  assertReachable(tree, (await placeFromSystem(file)) ?? (await placeByIdentity(file, path)))
}

/** Linux knows where an open file is. */
async function placeFromSystem(file: FileHandle): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined
  const place = await readlink(`/proc/self/fd/${file.fd}`).catch(() => undefined)
  return place?.replace(/ \(deleted\)$/, '')
}

/** Elsewhere it is where it was looked for if the same file is there still. */
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
