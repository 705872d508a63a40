import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { Failure } from '../../../core/error.ts'
import { withoutEnd } from '../../text/without-end.ts'

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
      return toGitDirs(entry)
    case 'file': {
      const dirs = followGitFile(entry)
      if (dirs === undefined) throw broken(entry)
      return dirs
    }
    case undefined:
      return undefined
  }
}

/** The same for a folder that may be a bare repository, which is its own Git folder. */
export function findGitDirs(root: string): GitDirs | undefined {
  return gitDirsAt(root) ?? toGitDirs(root)
}

/** The repository that git finds for the path of a remote: a working tree, a Git folder, or a file that names one. */
export function repositoryAt(path: string): GitDirs | undefined {
  const entry = join(path, '.git')
  const isFile = kindOf(path) === 'file'
  const named = isFile ? path : kindOf(entry) === 'file' ? entry : undefined
  if (named !== undefined) return followGitFile(named)
  return toGitDirs(entry) ?? toGitDirs(path)
}

/** A worktree or submodule has a file that names its Git folder. */
function followGitFile(file: string): GitDirs | undefined {
  const gitDir = readPath(file, 'gitdir: ')
  return gitDir === undefined ? undefined : toGitDirs(gitDir)
}

/** A Git folder may name a shared one in `commondir`, as those of linked worktrees do. */
function toGitDirs(gitDir: string): GitDirs | undefined {
  if (kindOf(join(gitDir, 'HEAD')) !== 'file') return undefined
  const file = join(gitDir, 'commondir')
  const common = kindOf(file) === undefined ? gitDir : readPath(file, '')
  if (common === undefined || !hasContents(common)) return undefined
  return { own: gitDir, common }
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
  return kindOf(join(folder, 'HEAD')) === 'file' && hasContents(folder)
}

function hasContents(folder: string): boolean {
  return kindOf(join(folder, 'objects')) === 'folder' && kindOf(join(folder, 'refs')) === 'folder'
}

/** An unreadable path counts as missing; a pipe or a device is neither file nor folder. */
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
