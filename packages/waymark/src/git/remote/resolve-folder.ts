import { realpathSync, statSync } from 'node:fs'
import { dirname, isAbsolute, sep } from 'node:path'
import { withoutEnd } from '../../domain/without-end.ts'
import { kindOf, repositoryAt } from '../../files/git-dirs.ts'
import type { RepositoryPlace } from '../config/user-settings.ts'

/** A repository, or a bundle of one, in a folder of this machine. */
export interface LocalRemote {
  /** The real path of what was named: for git it means what it means here, whatever the current folder is. */
  readonly path: string
  /** The Git folders that git uses when it is given that path; none for a bundle. */
  readonly gitDirs: readonly string[]
}

/** Finds what git would find by a path, in the order in which git tries. Undefined if there is no repository. */
export function resolveFolder(path: string, root: string): LocalRemote | undefined {
  // Not normalised: `link/..` is the folder above what the link leads to.
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

/** Whether one of these folders is part of the repository itself, where whoever made it has chosen the hooks. */
export function isInside(
  folders: readonly string[],
  { root, commonDir }: RepositoryPlace,
): boolean {
  const own = new Set([root, commonDir, outermost(commonDir)].map(identityOf))
  return folders.some((folder) => ancestors(folder).some((each) => own.has(identityOf(each))))
}

/** The working tree that a Git folder lies in; for a submodule that of the whole. */
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

/** The same for a folder by whatever name it is reached. Not every file system of Windows numbers its files. */
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
