import { dirname, join } from 'node:path'
import { namedFiles } from '../../backup/named-files.ts'
import type { Context } from '../../core/context.ts'
import { fileExists, makeFolder } from '../../support/files/put-file.ts'
import { assertReachable, findWorkTree } from '../../support/files/worktree/work-tree.ts'
import { hasCode } from '../../support/system-error.ts'
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
  if (isDryRun) {
    if (!isForced) await refuseExisting(files, path)
  } else {
    if (path.startsWith('.beads/') && project !== undefined) {
      const folder = join(project.root, dirname(path))
      assertReachable(await findWorkTree(project.root, project.state), folder)
      await makeFolder(folder)
    }
    const text = lines.map((issue) => `${issue}\n`).join('')
    await files.put(path, (file) => file.writeFile(text), { isNew: !isForced })
  }
  return { exported, files: 1, remarks }
}

async function refuseExisting(files: ReturnType<typeof namedFiles>, path: string): Promise<void> {
  const missing = (error: unknown): undefined => {
    if (!hasCode(error, ['ENOENT', 'ENOTDIR'])) throw error
  }
  await using file = await files.openBytes(path).catch(missing)
  if (file !== undefined) throw fileExists()
}
