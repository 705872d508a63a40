import { realpathSync, statSync } from 'node:fs'
import { dirname, isAbsolute, sep } from 'node:path'
import { withoutEnd } from '../../support/text/without-end.ts'
import { kindOf, repositoryAt } from '../../support/files/worktree/git-dirs.ts'
import type { RepositoryPlace } from '../config/user-settings.ts'

/** A repository or a bundle on this machine. */
export interface LocalRemote {
  /** The real path, which is the same for git as for us, regardless of links and the current folder. */
  readonly path: string
  /** The Git folders that git uses for this path; none for a bundle. */
  readonly gitDirs: readonly string[]
}

/** Resolves a path to a repository in the order in which git tries; undefined if there is none. */
export function resolveFolder(path: string, root: string): LocalRemote | undefined {
  // Not normalised: `link/..` is the parent of the link's target.
  const named = isAbsolute(path) ? path : `${root}/${path}`
  for (const suffix of ['', '.git']) {
    const real = realPath(`${withoutEnd(named, '/')}${suffix}`)
    if (real === undefined) continue
    const dirs = repositoryAt(real)
    if (dirs !== undefined) return { path: real, gitDirs: [dirs.own, dirs.common] }
    if (suffix === '' && kindOf(real) === 'file') return { path: real, gitDirs: [] }
  }
  return undefined
}

/** Whether one of these folders is part of the repository itself, so that its author has chosen the hooks in it. */
export function isInside(
  folders: readonly string[],
  { root, commonDir }: RepositoryPlace,
): boolean {
  const own = new Set([root, commonDir, outermost(commonDir)].map(identityOf))
  return folders.some((folder) => ancestors(folder).some((each) => own.has(identityOf(each))))
}

/** The working tree that contains a Git folder; for a submodule that of the superproject. */
function outermost(commonDir: string): string {
  const parts = commonDir.split(sep)
  const at = parts.lastIndexOf('.git')
  return at === -1 ? commonDir : parts.slice(0, at).join(sep) || sep
}

function ancestors(folder: string): readonly string[] {
  const path = realPath(folder) ?? folder
  const above = dirname(path)
  return above === path ? [path] : [path, ...ancestors(above)]
}

/** Equal for all names of one folder. Some file systems on Windows have no inode numbers. */
function identityOf(folder: string): string {
  const stats = statSync(folder, { bigint: true, throwIfNoEntry: false })
  if (stats === undefined || stats.ino === 0n) return realPath(folder) ?? folder
  return `${stats.dev} ${stats.ino}`
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path)
  } catch {
    return undefined
  }
}
