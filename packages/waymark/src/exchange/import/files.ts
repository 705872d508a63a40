import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, isAbsolute, posix, relative, resolve, sep } from 'node:path'
import type { Context } from '../../core/context.ts'
import { Failure } from '../../core/error.ts'
import { notPlain } from '../../support/files/not-plain.ts'
import {
  filesOf,
  listFolder,
  type ProjectFiles,
  readText,
} from '../../support/files/project-files.ts'
import { sha256 } from '../../support/hash/sha256.ts'
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

/**
 * The path from the top of the project, with slashes. Elsewhere only the last part, which is no secret: the hash of the
 * folders above it tells apart what has the same name, also from files of the project.
 */
export function toSharedPath(root: string, path: string): string {
  const full = resolve(root, path)
  const shared = relative(root, full).replaceAll(sep, '/')
  if (!leadsOut(root, path)) return shared
  return `../${sha256(posix.dirname(shared)).slice(0, 8)}/${basename(full)}`
}

/** By its spelling: where links lead is for those to say who open it. */
export function leadsOut(root: string, path: string): boolean {
  const inside = relative(root, resolve(root, path))
  return inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)
}

// Opening a pipe does not wait for a writer. Windows has no such flag.
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

function localFiles(root: string): ImportFiles {
  return {
    async readText(path) {
      try {
        await using file = await open(resolve(root, path), READ)
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
