import { basename, dirname } from 'node:path'
import type { ProjectInfo } from '../core/context.ts'

/** The name of the repository, also in a linked worktree that shares its store. */
export function toProjectName({ root, state = '' }: ProjectInfo): string {
  const folder = dirname(state)
  if (basename(folder) === '.git') return basename(dirname(folder))
  return folder.endsWith('.git') ? basename(folder, '.git') : basename(root)
}
