import { dirname } from 'node:path'
import { namedFiles } from '../../backup/named-files.ts'
import type { Context } from '../../core/context.ts'
import { makeFolder } from '../../support/files/put-file.ts'
import { kindOf } from '../../support/files/worktree/git-dirs.ts'
import { findWorkTree, locateNewFolder } from '../../support/files/worktree/work-tree.ts'
import { leadsOut } from '../import/files.ts'
import { toBeads } from './beads.ts'
import type { ExportContent } from './content.ts'
import type { Exported, ExportTarget } from './exported.ts'

/**
 * Writes the file of beads. One that is there is only replaced by force: it may know more. Local command line users may
 * also name a file outside of the project; in it, no link is followed, because a clone can bring one.
 */
export async function exportBeads(
  context: Context,
  content: ExportContent,
  { path, isForced, isDryRun }: ExportTarget,
): Promise<Exported> {
  const { lines, exported, remarks } = toBeads(content)
  const { shell, project } = context
  const root = project?.root ?? ''
  const files = namedFiles(context, shell && leadsOut(root, path) ? root : undefined)
  const text = lines.map((issue) => `${issue}\n`).join('')
  if (!path.startsWith('.beads/') || (await makeOwnFolder(context, dirname(path), isDryRun))) {
    await files.put(path, (file) => file.writeFile(text), { isNew: !isForced, isDryRun })
  }
  return { exported, files: 1, remarks }
}

/** Makes the folder that beads looks for. False if only a dry run has left it unmade: then nothing is in the way. */
async function makeOwnFolder(
  { project }: Context,
  folder: string,
  isDryRun: boolean,
): Promise<boolean> {
  if (project === undefined) return true
  const place = await locateNewFolder(await findWorkTree(project.root, project.state), folder)
  if (isDryRun) return kindOf(place) !== undefined
  await makeFolder(place)
  return true
}
