import type { Context } from '../../core/context.ts'
import { Failure } from '../../core/error.ts'
import { violation } from '../../core/input/parse.ts'
import { withField } from '../../support/files/file-failure.ts'
import { parseYaml } from '../../support/yaml/parse-yaml.ts'
import { readBeads } from '../../task/import/beads.ts'
import { type ImportSource, Remarks } from '../../task/import/imported-task.ts'
import { readSpec, SPEC_PATH } from '../../task/import/lodestar.ts'
import { readTaskMaster } from '../../task/import/task-master.ts'
import { readDecisions } from './adr.ts'
import { readBacklog } from './backlog-folder.ts'
import type { ImportSourceName } from '../names.ts'
import { fromTypedPath } from '../../core/project/typed-path.ts'
import { type ImportFiles, importFiles, toSharedPath } from './files.ts'
import { type MarkdownPlace, readMarkdownFiles, readNotes } from './markdown.ts'
import { readMemory } from './memory.ts'

/** Where each tool keeps its files; the first that is there is read. */
const USUAL_PATHS: Readonly<Record<ImportSourceName, readonly string[]>> = {
  beads: ['.beads/issues.jsonl'],
  task_master: ['.taskmaster/tasks/tasks.json'],
  backlog: ['backlog', '.backlog'],
  lodestar: [SPEC_PATH],
  memory: ['memory.jsonl', 'memory.json'],
  adr: [
    'docs/adr',
    'docs/decisions',
    'doc/adr',
    'docs/architecture/decisions',
    'doc/architecture/decisions',
    'adr',
  ],
  markdown: ['docs'],
}

interface Found {
  readonly path: string
  readonly source: ImportSource
}

export async function readImportSource(
  context: Context,
  name: ImportSourceName,
  given: string | undefined,
): Promise<Found> {
  const paths = given === undefined ? USUAL_PATHS[name] : [await fromTypedPath(context, given)]
  for (const path of paths) {
    const files = importFiles(context, path)
    const source = await withField('path', () => read(context, name, { files, path }))
    if (source !== undefined) return { path, source }
  }
  throw missing(paths)
}

interface Place {
  readonly files: ImportFiles
  readonly path: string
}

/** Undefined if there is nothing at this path. */
async function read(
  context: Context,
  name: ImportSourceName,
  { files, path }: Place,
): Promise<ImportSource | undefined> {
  const remarks = new Remarks()
  const { signal, project } = context
  const shared = toSharedPath(project?.root ?? '', path)
  const place: MarkdownPlace = { files, path, shared, remarks, signal }
  switch (name) {
    case 'backlog':
      return await readBacklog(place)
    case 'adr':
      return toSource(place, await readMarkdownFiles(place), readDecisions)
    case 'markdown':
      return toSource(place, await readMarkdownFiles(place), readNotes)
    case 'beads':
    case 'task_master':
    case 'lodestar':
    case 'memory': {
      const text = await files.readText(path)
      return text === undefined ? undefined : await READERS[name](text, path)
    }
  }
}

const READERS = {
  beads: readBeads,
  task_master: readTaskMaster,
  lodestar: async (text: string, path: string) => readSpec(await parseYaml(text, path)),
  memory: readMemory,
}

type Files = NonNullable<Awaited<ReturnType<typeof readMarkdownFiles>>>

function toSource(
  { shared, remarks }: MarkdownPlace,
  files: Files | undefined,
  toKnowledge: (files: Files, remarks: Remarks) => ImportSource['knowledge'],
): ImportSource | undefined {
  if (files === undefined) return undefined
  const knowledge = toKnowledge(files, remarks) ?? []
  const source = { tasks: [], knowledge, remarks: remarks.list() }
  const isAlone = files.length === 1 && files[0]?.path === shared
  // Alone, it is all that was asked for.
  if (isAlone && knowledge.length === 0)
    throw violation('path', 'bad_format', `${source.remarks.join('; ')}; nothing was imported`)
  return source
}

function missing(paths: readonly string[]): Failure {
  const [path = ''] = paths
  const names = paths.map((name) => name.slice(0, 200)).join(', ')
  const problem =
    paths.length === 1
      ? `${names} is not in the project; name the file or folder to import`
      : `none of ${names} is in the project; name the file or folder to import`
  return new Failure('not_found', `path: ${problem}`, {
    details: { field: 'path', id: path, kind: 'file' },
  })
}
