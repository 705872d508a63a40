import { type FileHandle, open, readdir, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { Failure } from './error.ts'

/** The files of the working tree. Nothing outside of it can be reached, through a link or otherwise. */
export interface ProjectFiles {
  /** Undefined if there is no such file. */
  readText(path: string): Promise<string | undefined>
  /** The bytes of a file that is none of Git's own. Undefined if there is no such file. */
  openBytes(path: string): Promise<FileHandle | undefined>
  /** Where a file of this name may be written; its folder exists. */
  locateNew(path: string): Promise<string>
  /** Names in a folder, sorted; undefined if there is no such folder. */
  list(folder: string): Promise<readonly string[] | undefined>
}

const LARGEST_FILE = 8 * 1024 * 1024

export function createProjectFiles(root: string): ProjectFiles {
  return {
    async readText(path) {
      const real = await locate(root, path)
      return real === undefined ? undefined : await read(real, path)
    },

    async openBytes(path) {
      const real = await locate(root, path)
      if (real === undefined) return undefined
      await refuseGit(root, real)
      const file = await open(real, 'r')
      if ((await file.stat()).isFile()) return file
      await file.close()
      return undefined
    },

    async locateNew(path) {
      const folder = await locate(root, dirname(path))
      if (folder === undefined) {
        throw new Failure('invalid_input', 'there is no folder for this file', {
          details: { path: path.slice(0, 1024) },
        })
      }
      await refuseGit(root, folder)
      return join(folder, basename(path))
    },

    async list(folder) {
      const real = await locate(root, folder)
      if (real === undefined) return undefined
      try {
        const names = await readdir(real)
        return names.toSorted((a, b) => (a < b ? -1 : 1))
      } catch (error) {
        if (hasCode(error, ['ENOTDIR', 'ENOENT'])) return undefined
        throw error
      }
    },
  }
}

/** The real place of a path inside the working tree, whether it is given from its top or absolutely. */
async function locate(root: string, path: string): Promise<string | undefined> {
  const wanted = isAbsolute(path) ? resolve(path) : resolve(join(root, path))
  try {
    const [top, real] = await Promise.all([realpath(root), realpath(wanted)])
    if (isWithin(top, real)) return real
  } catch (error) {
    if (hasCode(error, ['ENOENT', 'ENOTDIR', 'ELOOP'])) return undefined
    throw error
  }
  throw new Failure('forbidden', 'the path leads out of the project', {
    details: { path: path.slice(0, 1024) },
  })
}

/** Both must be real paths: a link says nothing about where it leads. */
export function isWithin(folder: string, path: string): boolean {
  const inside = relative(folder, path)
  return inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside)
}

async function refuseGit(root: string, real: string): Promise<void> {
  const inside = relative(await realpath(root), real)
  if (!inside.split(sep).some((part) => part.toLowerCase() === '.git')) return
  throw new Failure('forbidden', 'the path leads into the repository’s own files')
}

async function read(real: string, path: string): Promise<string | undefined> {
  await using file = await open(real, 'r')
  const stats = await file.stat()
  if (!stats.isFile()) return undefined
  if (stats.size > LARGEST_FILE) {
    throw new Failure('invalid_input', `${path} is larger than ${LARGEST_FILE} bytes`, {
      details: { path, max: LARGEST_FILE, actual: stats.size },
    })
  }
  return await file.readFile('utf8')
}

function hasCode(error: unknown, codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}
