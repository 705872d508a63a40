import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { Failure } from '../error.ts'
import { withoutEnd } from '../domain/without-end.ts'

export interface GitDirs {
  /** The Git folder of this working tree alone. */
  readonly own: string
  /** The one that all worktrees of a repository share. */
  readonly common: string
}

/** Where Git keeps the working tree whose top is `folder`. Reads a few small files and starts nothing. */
export function gitDirsAt(folder: string): GitDirs | undefined {
  const entry = join(folder, '.git')
  switch (kindOf(entry)) {
    case 'folder':
      return isGitDir(entry) ? { own: entry, common: entry } : undefined
    case 'file':
      return followGitFile(entry)
    case undefined:
      return undefined
  }
}

/** The same for a folder that may be a bare repository, which is its own Git folder. */
export function findGitDirs(root: string): GitDirs | undefined {
  return gitDirsAt(root) ?? (isGitDir(root) ? { own: root, common: root } : undefined)
}

/** A worktree or submodule has a file that names its Git folder, and that may name the one it shares with others. */
function followGitFile(file: string): GitDirs {
  const gitDir = readPath(file, 'gitdir: ')
  if (gitDir === undefined || kindOf(join(gitDir, 'HEAD')) !== 'file') throw broken(file)
  const commonDir = readPath(join(gitDir, 'commondir'), '') ?? gitDir
  if (!isGitDir(commonDir)) throw broken(file)
  return { own: gitDir, common: commonDir }
}

/** The path that a file of Git's holds after `label`, seen from the file's folder. */
export function readPath(file: string, label: string): string | undefined {
  if (kindOf(file) !== 'file') return undefined
  const text = readStart(file)
  if (!text.startsWith(label)) return undefined
  const path = withoutEnd(text.slice(label.length), '\r\n')
  // A line break or a NUL is no part of a path. On Windows a share's name would make us knock on a foreign machine.
  const isPlain = path !== '' && !/[\r\n\0]/.test(path) && !/^[\\/]{2}/.test(path)
  return isPlain ? resolve(dirname(file), path) : undefined
}

/** As much as a path can need: what claims to be a file of Git's may be anything. */
function readStart(file: string): string {
  const start = Buffer.alloc(4096)
  const descriptor = openSync(file, 'r')
  try {
    return start.toString('utf8', 0, readSync(descriptor, start))
  } finally {
    closeSync(descriptor)
  }
}

/** Whether a folder is itself what `.git` usually is, as a bare repository is. */
export function isGitDir(folder: string): boolean {
  return (
    kindOf(join(folder, 'HEAD')) === 'file' &&
    kindOf(join(folder, 'objects')) === 'folder' &&
    kindOf(join(folder, 'refs')) === 'folder'
  )
}

/** What cannot be looked at is not there, as far as we are concerned; a pipe or a device is neither. */
export function kindOf(path: string): 'file' | 'folder' | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats?.isDirectory()) return 'folder'
    return stats?.isFile() ? 'file' : undefined
  } catch {
    return undefined
  }
}

function broken(file: string): Failure {
  return new Failure(
    'storage_unavailable',
    'the `.git` file here does not lead to a Git repository; run `git worktree repair` or remove it',
    { details: { file } },
  )
}
