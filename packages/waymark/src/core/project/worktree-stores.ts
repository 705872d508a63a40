import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { kindOf, readPath } from '../../support/files/worktree/git-dirs.ts'
import { createFile } from '../../support/files/regular-file.ts'
import { hasMarker } from '../store/state-folder.ts'

/** The store that one linked worktree keeps for itself. */
export interface WorktreeStore {
  /** What Git calls the worktree. */
  readonly name: string
  /** Git's folder for it, which holds the store as well. */
  readonly gitDir: string
}

/** The lock reason that Git prints when the worktree is to be removed or moved. */
const REASON =
  'Waymark keeps a store in this worktree that no other one has; run `waymark store promote` in it, then `git worktree unlock`'

/** The stores of linked worktrees below the Git folder that they share. */
export function findWorktreeStores(commonDir: string): readonly WorktreeStore[] {
  const folder = join(commonDir, 'worktrees')
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return []
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({ name, gitDir: join(folder, name) }))
    .filter(({ gitDir }) => hasMarker(join(gitDir, 'waymark')))
}

/**
 * Locks worktrees that have a store of their own, as `git worktree lock` does: otherwise `git worktree prune`, which
 * `git gc` runs as well, deletes the store once the worktree's folder was moved or removed.
 */
export function lockWorktrees(commonDir: string): void {
  try {
    for (const { gitDir } of findWorktreeStores(commonDir))
      createFile(join(gitDir, 'locked'), `${REASON}\n`)
  } catch {
    // Where nothing can be read or written, nothing can be pruned either.
  }
}

/** Whether the worktree's folder is still where Git last saw it. */
export function hasFolder({ gitDir }: WorktreeStore): boolean {
  const file = readPath(join(gitDir, 'gitdir'), '')
  return file !== undefined && kindOf(file) === 'file'
}
