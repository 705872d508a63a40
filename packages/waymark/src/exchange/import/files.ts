import { open } from 'node:fs/promises'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import type { Context } from '../../core/context.ts'
import { Failure } from '../../core/error.ts'
import { notPlain } from '../../support/files/not-plain.ts'
import {
  filesOf,
  listFolder,
  type ProjectFiles,
  readText,
} from '../../support/files/project-files.ts'
import { hasCode } from '../../support/system-error.ts'

/** The files that an import may read. */
export type ImportFiles = Pick<ProjectFiles, 'readText' | 'list'>

/**
 * The files of the project. Local command line users may also name a file outside of it, because other tools keep theirs
 * elsewhere.
 */
export function importFiles(context: Context, path: string): ImportFiles {
  const files = filesOf(context)
  const { project, shell, agent } = context
  if (files === undefined || project === undefined) {
    throw new Failure('not_initialised', 'there is no project to import into')
  }
  const isLocal = agent.surface === 'cli' && shell !== undefined
  return isLocal && leadsOut(project.root, path) ? localFiles(project.root) : files
}

/** The path from the top of the project, with slashes; of a file elsewhere only the last parts, which are no secret. */
export function toSharedPath(root: string, path: string, within = ''): string {
  const full = resolve(root, path)
  const shared = leadsOut(root, path) ? full.split(sep).slice(-1) : [relative(root, full)]
  return [...shared, within]
    .filter((part) => part !== '')
    .join('/')
    .replaceAll(sep, '/')
}

function leadsOut(root: string, path: string): boolean {
  const inside = relative(root, resolve(root, path))
  return inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)
}

function localFiles(root: string): ImportFiles {
  return {
    async readText(path) {
      try {
        await using file = await open(resolve(root, path), 'r')
        const stats = await file.stat()
        if (!stats.isFile()) throw notPlain(stats)
        return await readText(file, path)
      } catch (error) {
        if (hasCode(error, ['ENOENT', 'ENOTDIR'])) return undefined
        throw error
      }
    },
    list: (folder) => listFolder(resolve(root, folder)),
  }
}
