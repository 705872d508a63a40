import { dirname, join, relative, resolve } from 'node:path'
import { Failure } from '../error.ts'
import { type GitDirs, gitDirsAt, isGitDir, kindOf } from '../../support/files/worktree/git-dirs.ts'
import { readPlace } from '../../git/config/git-place.ts'
import { quoteFolder } from '../../git/config/quote-folder.ts'
import { assertOwned } from '../../git/ownership.ts'
import { hasMarker } from '../store/state-folder.ts'

export interface Project {
  /** The working tree's top folder; in a bare repository the repository itself. */
  readonly root: string
  readonly stateDir: string
  readonly inGit: boolean
}

/**
 * Finds the project that a folder belongs to. Reads a few small files and starts nothing. Git comes first, however far
 * up: a clone can bring a `.waymark` folder or what looks like a bare repository, with a database of its author's
 * choice in it, but never a `.git`. One that belongs to another user is a Failure. Undefined where there is neither Git
 * nor Waymark.
 */
export function locateProject(startDir: string): Project | undefined {
  let outside: Project | undefined
  for (let folder = resolve(startDir); ; folder = dirname(folder)) {
    const gitDirs = gitDirsAt(folder)
    if (gitDirs !== undefined) return inRepository(folder, gitDirs)
    outside ??= bareAt(folder) ?? plainAt(folder)
    if (folder !== dirname(folder)) continue
    if (outside !== undefined)
      assertOwned(outside.root, [dirname(outside.stateDir), outside.stateDir])
    return outside
  }
}

/** Whether the repository of a folder names a remote, which may have knowledge; false for what cannot be read. */
export function hasRemote(startDir: string): boolean {
  try {
    const place = readPlace(locateProject(startDir)?.root ?? startDir)
    return place?.settings.some(({ key }) => /^remote\..+\.url$/.test(key)) === true
  } catch (error) {
    if (error instanceof Failure) return false
    throw error
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
  assertOwned(root, [...new Set([join(root, '.git'), own, common, ownStateDir, stateDir])])
  if (own !== common && hasMarker(ownStateDir)) return { root, stateDir: ownStateDir, inGit: true }
  if (!hasMarker(stateDir) && hasMarker(stateOutsideGit(root))) {
    throw madeBeforeGit(root, stateDir)
  }
  return { root, stateDir, inGit: true }
}

/** Not moved by itself: a clone can bring the folder, with a database of its author's choice in it. */
function madeBeforeGit(root: string, stateDir: string): Failure {
  const command = process.platform === 'win32' ? 'move' : 'mv'
  const [from, to] = [stateOutsideGit(root), stateDir].map((path) =>
    quoteFolder(relative(root, path)),
  )
  return new Failure(
    'not_initialised',
    `this folder was a Waymark project before it became a Git repository; if you made it, run in ${quoteFolder(root)}: ${command} ${from} ${to}; if not, delete ${from}`,
  )
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
