import { readdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Context } from '../../core/context.ts'
import { Failure } from '../../core/error.ts'
import { locateFolder, readFile, writeFile } from '../../snapshot/write-snapshot.ts'
import { findWorkTree, type WorkTree } from '../../support/files/work-tree.ts'
import { toYaml } from '../../support/yaml/yaml-text.ts'
import { markedId } from '../../task/import/backlog.ts'
import { toBacklog } from './backlog.ts'
import type { ExportContent } from './content.ts'
import type { Exported } from './exported.ts'

const FOLDERS = ['tasks', 'completed', 'drafts', 'decisions', 'docs'] as const
const CONFIG = 'config.yml'

interface Target {
  readonly path: string
  readonly isForced: boolean
  readonly isDryRun: boolean
}

/** A file that is there already. */
interface Present {
  /** In the folder. */
  readonly path: string
  /** As its name says. */
  readonly id: string
  /** The entity that an export has written to it. */
  readonly entity: string | undefined
  /** It was not written by others since. */
  readonly isOwn: boolean
}

/**
 * Writes the folder of Backlog.md. Files of an earlier export are replaced or removed. A file of others is only replaced
 * by force, and only if it has the id of one that is written.
 */
export async function exportBacklog(
  { project, signal }: Context,
  content: ExportContent,
  { path, isForced, isDryRun }: Target,
): Promise<Exported> {
  if (project === undefined) throw new Failure('not_initialised', 'there is no project to export')
  const tree = await findWorkTree(project.root, project.state)
  const folder = await locateFolder(tree, path, 'path')
  const present = await listPresent(tree, folder)
  const others = present.filter(({ isOwn }) => !isOwn)
  const { files, statuses, exported, remarks } = toBacklog(content, {
    own: new Map(present.flatMap(({ id, entity }) => (entity === undefined ? [] : [[entity, id]]))),
    foreign: new Set(others.flatMap(({ id, entity }) => (entity === undefined ? [id] : []))),
  })
  const ids = new Map([...files.keys()].map((file) => [idOf(file), file]))
  const replaced = others.filter(({ id }) => ids.has(id))
  if (replaced.length > 0 && !isForced) throw foreign(replaced[0]?.path ?? '')
  const config = await readFile(tree, join(folder, CONFIG))
  if (config !== undefined && statuses.length > 0) {
    remarks.add(`add ${statuses.join(' and ')} to statuses in ${path}/${CONFIG}`)
  }
  if (!isDryRun) {
    if (config === undefined) {
      await writeFile(tree, join(folder, CONFIG), toConfig(basename(project.root), statuses))
    }
    for (const [file, text] of files) {
      signal.throwIfAborted()
      await writeFile(tree, join(folder, file), text)
    }
    const kept = others.filter((file) => !replaced.includes(file)).map((file) => file.path)
    for (const { path: old } of present) {
      if (!files.has(old) && !kept.includes(old)) await rm(join(folder, old), { force: true })
    }
  }
  return { exported, files: files.size, remarks: remarks.list() }
}

async function listPresent(tree: WorkTree, folder: string): Promise<readonly Present[]> {
  const found: Present[] = []
  for (const inner of FOLDERS) {
    const names = await readdir(join(folder, inner), { recursive: true }).catch(() => [])
    for (const name of names.filter((name) => name.endsWith('.md'))) {
      const path = `${inner}/${name.replaceAll('\\', '/')}`
      const text = (await readFile(tree, join(folder, path))) ?? ''
      const own = ownIdIn(text)
      found.push({ path, id: idOf(path), entity: own ?? markedId(text), isOwn: own !== undefined })
    }
  }
  return found
}

function idOf(path: string): string {
  const [id] = /^[a-z]+-\d+(?:\.\d+)*/i.exec(basename(path)) ?? []
  return id?.toLowerCase() ?? path
}

/** Backlog.md drops fields that it does not know when it writes a file, so one with this field is as we wrote it. */
function ownIdIn(text: string): string | undefined {
  const [, matter = ''] = /^---\n([\s\S]*?)\n---\n/.exec(text) ?? []
  return /^waymark:\n {2}id: ([\da-f-]{36})$/m.exec(matter)?.[1]
}

function foreign(path: string): Failure {
  return new Failure(
    'conflict',
    `path: ${path} was not written by an export; import it first, pass force to replace it, or name another folder`,
    { details: { reason: 'foreign_file', field: 'path', path } },
  )
}

function toConfig(project: string, statuses: readonly string[]): string {
  return toYaml({
    project_name: project,
    default_status: 'To Do',
    statuses: ['To Do', 'In Progress', ...statuses, 'Done'],
  })
}
