import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { Failure } from '../error.ts'
import { hasMarker } from './state-folder.ts'

export interface Project {
  /** The working tree's top folder; in a bare repository the repository itself. */
  readonly root: string
  readonly stateDir: string
  readonly inGit: boolean
}

interface GitDirs {
  /** The Git folder of this working tree alone. */
  readonly own: string
  /** The one that all worktrees of a repository share. */
  readonly common: string
}

/**
 * Finds the project that a folder belongs to. Reads a few small files and starts nothing. Git comes first, however far
 * up: a clone can bring a `.waymark` folder or what looks like a bare repository, with a database of its author's
 * choice in it, but never a `.git`. Undefined where there is neither Git nor Waymark.
 */
export function locateProject(startDir: string): Project | undefined {
  let outside: Project | undefined
  for (let folder = resolve(startDir); ; folder = dirname(folder)) {
    const gitDirs = gitDirsAt(folder)
    if (gitDirs !== undefined) return inRepository(folder, gitDirs)
    outside ??= bareAt(folder) ?? plainAt(folder)
    if (folder === dirname(folder)) return outside
  }
}

export interface WorktreeStores {
  /** Where the worktree's own store is, or would be. */
  readonly own: string
  /** Where the store of all worktrees is, or would be. */
  readonly shared: string
}

/** The two places where the store of a linked worktree can be; undefined for any other folder, which has only one. */
export function locateWorktreeStores(root: string): WorktreeStores | undefined {
  const gitDirs = gitDirsAt(root)
  if (gitDirs === undefined || gitDirs.own === gitDirs.common) return undefined
  return { own: join(gitDirs.own, 'waymark'), shared: join(gitDirs.common, 'waymark') }
}

function inRepository(root: string, { own, common }: GitDirs): Project {
  const stateDir = join(common, 'waymark')
  const ownStateDir = join(own, 'waymark')
  if (own !== common && hasMarker(ownStateDir)) return { root, stateDir: ownStateDir, inGit: true }
  if (!hasMarker(stateDir) && hasMarker(stateOutsideGit(root))) {
    throw new Failure(
      'not_initialised',
      'this folder was a Waymark project before it became a Git repository; move `.waymark/state` to `.git/waymark` to keep it, or delete it to start empty',
    )
  }
  return { root, stateDir, inGit: true }
}

function bareAt(folder: string): Project | undefined {
  if (!isGitDir(folder)) return undefined
  return { root: folder, stateDir: join(folder, 'waymark'), inGit: true }
}

function plainAt(folder: string): Project | undefined {
  if (kindOf(join(folder, '.waymark')) !== 'folder') return undefined
  return { root: folder, stateDir: stateOutsideGit(folder), inGit: false }
}

function stateOutsideGit(root: string): string {
  return join(root, '.waymark', 'state')
}

function gitDirsAt(folder: string): GitDirs | undefined {
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

/** A worktree or submodule has a file that names its Git folder, and that may name the one it shares with others. */
function followGitFile(file: string): GitDirs {
  const gitDir = readPath(file, 'gitdir: ')
  if (gitDir === undefined || kindOf(join(gitDir, 'HEAD')) !== 'file') throw broken(file)
  const commonDir = readPath(join(gitDir, 'commondir'), '') ?? gitDir
  if (!isGitDir(commonDir)) throw broken(file)
  return { own: gitDir, common: commonDir }
}

/** The path that a file of Git's holds after `label`, seen from the file's folder. */
function readPath(file: string, label: string): string | undefined {
  if (kindOf(file) !== 'file') return undefined
  const text = readStart(file)
  if (!text.startsWith(label)) return undefined
  const path = text.slice(label.length).replace(/[\r\n]+$/, '')
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

function isGitDir(folder: string): boolean {
  return (
    kindOf(join(folder, 'HEAD')) === 'file' &&
    kindOf(join(folder, 'objects')) === 'folder' &&
    kindOf(join(folder, 'refs')) === 'folder'
  )
}

/** What cannot be looked at is not there, as far as we are concerned; a pipe or a device is neither. */
function kindOf(path: string): 'file' | 'folder' | undefined {
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
