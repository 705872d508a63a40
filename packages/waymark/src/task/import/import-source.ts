import type { Context } from '../../core/context.ts'
import { readBacklogFile, splitMatter } from './backlog.ts'
import { readBeads } from './beads.ts'
import { type ImportSource, Remarks } from './imported-task.ts'
import { readSpec } from './lodestar.ts'
import { readTaskMaster } from './task-master.ts'
import { Failure } from '../../core/error.ts'
import { withField } from '../../support/files/file-failure.ts'
import { filesOf, type ProjectFiles } from '../../support/files/project-files.ts'
import { parseYaml } from '../../support/yaml/parse-yaml.ts'

export const IMPORT_FORMATS = ['beads', 'task_master', 'backlog', 'lodestar'] as const
export type ImportFormat = (typeof IMPORT_FORMATS)[number]

/** Where each tool keeps its tasks. */
export const USUAL_PATHS = {
  beads: '.beads/issues.jsonl',
  task_master: '.taskmaster/tasks/tasks.json',
  backlog: 'backlog',
  lodestar: '.lodestar/spec.yaml',
} as const satisfies Record<ImportFormat, string>

export async function readImportSource(
  context: Context,
  format: ImportFormat,
  path: string,
): Promise<ImportSource> {
  const files = filesOf(context)
  if (files === undefined) throw new Failure('internal', 'there are no files to import from')
  return await withField('path', () => readFormat(files, format, path))
}

async function readFormat(
  files: ProjectFiles,
  format: ImportFormat,
  path: string,
): Promise<ImportSource> {
  switch (format) {
    case 'beads':
      return readBeads(await readText(files, path))
    case 'task_master':
      return readTaskMaster(await readText(files, path))
    case 'lodestar':
      return readSpec(await parseYaml(await readText(files, path), path))
    case 'backlog':
      return await readBacklog(files, path)
  }
}

/** The folders of Backlog.md that hold tasks, or a folder of such files itself. */
async function readBacklog(files: ProjectFiles, path: string): Promise<ImportSource> {
  const remarks = new Remarks()
  const tasks = []
  let isFound = false
  for (const folder of [`${path}/tasks`, `${path}/completed`, `${path}/drafts`, path]) {
    const names = await files.list(folder)
    if (names === undefined || (folder === path && isFound)) continue
    isFound = true
    for (const name of names.filter((name) => name.endsWith('.md'))) {
      const file = `${folder}/${name}`
      const parts = splitMatter((await files.readText(file)) ?? '')
      const matter = parts === undefined ? undefined : await parseYaml(parts.matter, file)
      const task = readBacklogFile({ name: file, matter, body: parts?.body ?? '' }, remarks)
      if (task !== undefined) tasks.push(task)
    }
  }
  if (!isFound) throw missing(path)
  return { tasks, remarks: remarks.list() }
}

async function readText(files: ProjectFiles, path: string): Promise<string> {
  const text = await files.readText(path)
  if (text === undefined) throw missing(path)
  return text
}

function missing(path: string): Failure {
  return new Failure(
    'not_found',
    `path: ${path.slice(0, 200)} is not in the project; name the file that the tasks are in`,
    {
      details: { field: 'path', id: path, kind: 'file' },
    },
  )
}
