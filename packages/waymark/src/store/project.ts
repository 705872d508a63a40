import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { Failure } from '../error.ts'

export interface Project {
  /** The working tree's top folder; in a bare repository the repository itself. */
  readonly root: string
  readonly stateDir: string
  readonly inGit: boolean
}

/**
 * Finds the project that a folder belongs to: the nearest one upwards with Git or Waymark in it. Reads a few small
 * files and starts nothing. Undefined where there is neither.
 */
export function locateProject(startDir: string): Project | undefined {
  for (let folder = resolve(startDir); ; folder = dirname(folder)) {
    const project = projectAt(folder)
    if (project !== undefined) return project
    if (folder === dirname(folder)) return undefined
  }
}

function projectAt(folder: string): Project | undefined {
  const ownState = join(folder, '.waymark', 'state')
  const commonDir = commonGitDirAt(folder)
  if (commonDir === undefined) {
    const isProject = kindOf(join(folder, '.waymark')) === 'folder'
    return isProject ? { root: folder, stateDir: ownState, inGit: false } : undefined
  }
  const stateDir = join(commonDir, 'waymark')
  // A project that was there before `git init` stays where it is.
  const isOlder = isInitialised(ownState) && !isInitialised(stateDir)
  return { root: rootOf(folder), stateDir: isOlder ? ownState : stateDir, inGit: true }
}

/** What all worktrees of a repository share. Also finds it from inside: a bare repository, or `.git` itself. */
function commonGitDirAt(folder: string): string | undefined {
  const entry = join(folder, '.git')
  switch (kindOf(entry)) {
    case 'folder':
      return isGitDir(entry) ? entry : undefined
    case 'file':
      return followGitFile(entry)
    case undefined:
      return isGitDir(folder) ? folder : undefined
  }
}

function rootOf(folder: string): string {
  return basename(folder) === '.git' ? dirname(folder) : folder
}

/** A worktree or submodule has a file that names its Git folder, and that may name the one it shares with others. */
function followGitFile(file: string): string {
  const gitDir = readPath(file, 'gitdir: ')
  if (gitDir === undefined || kindOf(join(gitDir, 'HEAD')) !== 'file') throw broken(file)
  const commonDir = readPath(join(gitDir, 'commondir'), '') ?? gitDir
  if (!isGitDir(commonDir)) throw broken(file)
  return commonDir
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

function isInitialised(stateDir: string): boolean {
  return kindOf(join(stateDir, 'project.json')) === 'file'
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
