import { isUtf8 } from 'node:buffer'
import type { Dirent } from 'node:fs'
import { type FileHandle, readdir } from 'node:fs/promises'
import { Failure } from '../../core/error.ts'
import { hasCode } from '../system-error.ts'
import type { PutOptions } from './put-file.ts'
import { openInTree, putInTree } from './tree-file.ts'
import { findWorkTree, locate, locateNew, type WorkTree } from './worktree/work-tree.ts'

/**
 * The files of the working tree. Nothing outside of it can be reached, through a link or otherwise, and nothing in it that
 * is Git's or Waymark's own.
 */
export interface ProjectFiles {
  /** Undefined if there is no such file. */
  readText(path: string): Promise<string | undefined>
  /** Undefined if there is no such file. */
  openBytes(path: string): Promise<FileHandle | undefined>
  /** Puts a file in its place as a whole; its folder exists. */
  put(path: string, write: (file: FileHandle) => Promise<void>, options?: PutOptions): Promise<void>
  /** What is in a folder, by name; undefined if there is no such folder. */
  list(folder: string): Promise<readonly FolderEntry[] | undefined>
}

export interface FolderEntry {
  readonly name: string
  /** A symlink is neither; its target does not matter. */
  readonly kind: 'file' | 'folder' | 'other'
}

const LARGEST_FILE = 8 * 1024 * 1024

/** The files of a call's project, if it has one. */
export function filesOf({
  project,
}: {
  readonly project?: { readonly root: string; readonly state?: string }
}): ProjectFiles | undefined {
  return project && createProjectFiles(project.root, project.state)
}

export function createProjectFiles(root: string, state: string | undefined): ProjectFiles {
  let found: WorkTree | undefined
  // Errors are not cached, so a repaired folder works without a restart.
  const tree = async () => (found ??= await findWorkTree(root, state))
  return {
    async readText(path) {
      await using file = await openInTree(await tree(), path)
      return file === undefined ? undefined : await readText(file, path)
    },

    openBytes: async (path) => openInTree(await tree(), path),

    async put(path, write, options) {
      const place = await locateNew(await tree(), path)
      await putInTree(await tree(), place, write, options)
    },

    async list(folder) {
      const real = await locate(await tree(), folder)
      return real === undefined ? undefined : await listFolder(real)
    },
  }
}

export async function listFolder(path: string): Promise<readonly FolderEntry[] | undefined> {
  try {
    const entries = await readdir(path, { withFileTypes: true })
    return entries
      .map((entry) => ({ name: entry.name, kind: kindOf(entry) }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    if (hasCode(error, ['ENOTDIR', 'ENOENT'])) return undefined
    throw error
  }
}

function kindOf(entry: Dirent): FolderEntry['kind'] {
  if (entry.isFile()) return 'file'
  return entry.isDirectory() ? 'folder' : 'other'
}

/** The text of an open file within the limit of its size. Another encoding is refused: read as UTF-8 it would be lost. */
export async function readText(file: FileHandle, path: string): Promise<string> {
  const { size } = await file.stat()
  if (size > LARGEST_FILE) {
    throw new Failure('invalid_input', `${path} is larger than ${LARGEST_FILE} bytes`, {
      details: { path, max: LARGEST_FILE, actual: size },
    })
  }
  const bytes = await file.readFile()
  if (isUtf8(bytes)) return bytes.toString()
  throw new Failure('invalid_input', `${path} is not UTF-8 text; convert it first`, {
    details: { reason: 'not_utf8', path },
  })
}
