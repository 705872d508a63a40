import { basename, dirname } from 'node:path'
import type { ReadContext } from '../core/context.ts'

/** The name of the repository, also in a linked worktree that shares its store; on a team server that in addresses. */
export function projectNameOf({
  project,
  hosted,
}: Pick<ReadContext, 'project' | 'hosted'>): string {
  if (project === undefined) return hosted?.name ?? 'waymark'
  const { root, state = '' } = project
  const folder = dirname(state)
  if (basename(folder) === '.git') return basename(dirname(folder))
  return folder.endsWith('.git') ? basename(folder, '.git') : basename(root)
}
