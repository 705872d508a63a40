import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Context } from '../../core/context.ts'
import { Failure } from '../../core/error.ts'
import { Progress } from '../../core/progress.ts'
import { assertFolders, locateFolder, readFile, writeFile } from '../../snapshot/write-snapshot.ts'
import { listFolder } from '../../support/files/project-files.ts'
import { findWorkTree, type WorkTree } from '../../support/files/worktree/work-tree.ts'
import { toYaml } from '../../support/yaml/yaml-text.ts'
import { hashImported, Remarks } from '../../task/import/imported-task.ts'
import { readBacklog } from '../import/backlog-folder.ts'
import { importFiles } from '../import/files.ts'
import { exportedIn, toBacklog } from './backlog.ts'
import type { ExportContent } from './content.ts'
import type { Exported, ExportTarget } from './exported.ts'

const FOLDERS: ReadonlySet<string> = new Set('tasks completed drafts decisions docs'.split(' '))
const CONFIG = 'config.yml'
const BATCH_SIZE = 32

/** A file that is there already. */
interface Present {
  /** In the folder. */
  readonly path: string
  /** As its name says. */
  readonly id: string
  /** The entity that an export has written to it. */
  readonly entity?: string
  /** As an export has written it. */
  readonly isOwn: boolean
  readonly text: string
}

/**
 * Writes the folder of Backlog.md. Files of an earlier export are replaced or removed. One that others wrote or edited is
 * only replaced if it has the id of one that is written, and was imported as it is or by force.
 */
export async function exportBacklog(
  context: Context,
  content: ExportContent,
  { path, isForced, isDryRun }: ExportTarget,
): Promise<Exported> {
  const { project } = context
  if (project === undefined) throw new Failure('not_initialised', 'there is no project to export')
  const tree = await findWorkTree(project.root, project.state)
  const folder = await locateFolder(tree, path, 'path')
  const present = await listPresent(tree, folder, context.signal)
  const others = present.filter(({ isOwn }) => !isOwn)
  const { files, statuses, exported, remarks } = toBacklog(content, {
    own: new Map(present.flatMap(({ id, entity }) => (entity === undefined ? [] : [[entity, id]]))),
    foreign: new Set(others.flatMap(({ id, entity }) => (entity === undefined ? [id] : []))),
  })
  await assertFolders(folder, files.keys())
  const ids = new Map([...files.keys()].map((file) => [idOf(file), file]))
  const replaced = others.filter(({ id }) => ids.has(id))
  if (!isForced && replaced.length > 0) await refuseUnknown(context, { path, content, replaced })
  const config = await readFile(tree, join(folder, CONFIG))
  const unknown = config === undefined ? [] : statuses.filter((status) => !config.includes(status))
  if (unknown.length > 0) {
    remarks.add(`add ${unknown.join(' and ')} to statuses in ${path}/${CONFIG}`)
  }
  if (!isDryRun) {
    if (config === undefined) {
      await writeFile(tree, join(folder, CONFIG), toConfig(basename(project.root), statuses))
    }
    // Before the first is written: where names differ only in case, the old file and the new one are the same.
    const kept = others.filter((file) => !replaced.includes(file)).map((file) => file.path)
    for (const { path: old } of present) {
      if (!files.has(old) && !kept.includes(old)) await rm(join(folder, old), { force: true })
    }
    const texts = new Map(present.map((file) => [file.path, file.text]))
    const outdated = [...files].filter(([file, text]) => texts.get(file) !== text)
    const advance = new Progress(context).phase('writing', outdated.length)
    // Several at once, to share disk flushes.
    for (let at = 0; at < outdated.length; at += BATCH_SIZE) {
      context.signal.throwIfAborted()
      const some = outdated.slice(at, at + BATCH_SIZE)
      await Promise.all(some.map(([file, text]) => writeFile(tree, join(folder, file), text)))
      advance(at + some.length)
    }
  }
  return { exported, files: files.size, remarks: remarks.list() }
}

async function listPresent(
  tree: WorkTree,
  folder: string,
  signal: AbortSignal,
): Promise<readonly Present[]> {
  const found: Present[] = []
  const entries = (await listFolder(folder)) ?? []
  const folders = entries.filter(({ name, kind }) => kind === 'folder' && FOLDERS.has(name))
  const waiting = folders.map(({ name }) => name)
  // Links are not followed: they may lead out of the folder, or in a circle.
  for (let inner = waiting.pop(); inner !== undefined; inner = waiting.pop()) {
    signal.throwIfAborted()
    for (const { name, kind } of (await listFolder(join(folder, inner))) ?? []) {
      const path = `${inner}/${name}`
      if (kind === 'folder') waiting.push(path)
      if (kind !== 'file' || !name.endsWith('.md')) continue
      const text = (await readFile(tree, join(folder, path))) ?? ''
      found.push({ path, id: idOf(path), text, ...exportedIn(text) })
    }
  }
  return found
}

function idOf(path: string): string {
  const [id] = /^[a-z]+-\d+(?:\.\d+)*/i.exec(basename(path)) ?? []
  return id?.toLowerCase() ?? path
}

interface Replacement {
  readonly path: string
  readonly content: ExportContent
  readonly replaced: readonly Present[]
}

/** Refuses to replace a file that says more than was imported from it. */
async function refuseUnknown(
  context: Context,
  { path, content, replaced }: Replacement,
): Promise<void> {
  const files = importFiles(context, path)
  const place = { files, path, shared: path, remarks: new Remarks(), signal: context.signal }
  const { tasks = [], knowledge = [], remarks = [] } = (await readBacklog(place)) ?? {}
  const hashes = new Set(content.entities.map(({ properties }) => properties['external_hash']))
  const known = [...tasks, ...knowledge].filter((item) => hashes.has(hashImported(item)))
  const ids = new Set(known.map(({ key }) => key))
  const unknown = replaced.find(({ id }) => !ids.has(id))
  if (unknown !== undefined)
    throw foreign(unknown.path, 'was not written by an export or was edited since; import it first')
  if (remarks.length === 0) return
  throw foreign(replaced[0]?.path ?? '', `would not come back as it is: ${remarks.join('; ')}`)
}

function foreign(path: string, why: string): Failure {
  return new Failure(
    'conflict',
    `path: ${path} ${why}, or pass force to replace it, or name another folder`,
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
