import { firstCharacters } from '../../support/text/visible-text.ts'
import { parseYaml } from '../../support/yaml/parse-yaml.ts'
import { markedId, readBacklogFile, toOwn, withoutMarks } from '../../task/import/backlog.ts'
import {
  type ImportedKnowledge,
  type ImportedTask,
  type ImportSource,
  type Remarks,
  text,
  toIso,
} from '../../task/import/imported-task.ts'
import { readDecision } from './adr.ts'
import { toRef } from './knowledge.ts'
import { type MarkdownFile, type MarkdownPlace, readMarkdownFiles, toTags } from './markdown.ts'
import { splitMatter } from './sections.ts'

const TASK_FOLDERS = ['tasks', 'completed', 'drafts'] as const
const KNOWN = new Set<string>([...TASK_FOLDERS, 'decisions', 'docs'])

/** The folders of Backlog.md, or a folder of its task files. Undefined if there is neither. */
export async function readBacklog(place: MarkdownPlace): Promise<ImportSource | undefined> {
  const { files, path, remarks } = place
  const entries = await files.list(path)
  if (entries === undefined) return undefined
  const folders = entries.filter(({ kind }) => kind === 'folder').map(({ name }) => name)
  for (const name of folders.filter((name) => !KNOWN.has(name) && !name.startsWith('.'))) {
    const left = await readFolder(place, name)
    if (left.length > 0) remarks.add(`the folder ${name} was left out`)
  }
  const isWhole = folders.some((name) => KNOWN.has(name))
  const tasks: ImportedTask[] = []
  for (const folder of isWhole ? TASK_FOLDERS : ['']) {
    tasks.push(...(await readTasks(place, folder)))
  }
  const decisions = isWhole ? await readFolder(place, 'decisions') : []
  const docs = isWhole ? await readFolder(place, 'docs') : []
  const knowledge = [
    ...decisions.flatMap((file) => toDecision(file, remarks)),
    ...docs.map((file) => toDoc(file, remarks)),
  ]
  return { tasks, knowledge, remarks: remarks.list() }
}

async function readTasks(
  { files, path, remarks, signal }: MarkdownPlace,
  folder: string,
): Promise<ImportedTask[]> {
  const inner = folder === '' ? path : `${path}/${folder}`
  const tasks: ImportedTask[] = []
  for (const { name, kind } of (await files.list(inner)) ?? []) {
    signal.throwIfAborted()
    if (!name.endsWith('.md')) continue
    const file = `${inner}/${name}`
    if (kind !== 'file') {
      remarks.add(`${file} is no regular file and was left out`)
      continue
    }
    const parts = splitMatter((await files.readText(file)) ?? '')
    const matter = parts === undefined ? undefined : await parseYaml(parts.matter, file)
    const body = parts?.body ?? ''
    const isDraft = folder === 'drafts'
    const task = readBacklogFile({ name: file, matter, body, isDraft }, remarks)
    if (task !== undefined) tasks.push(task)
  }
  return tasks
}

async function readFolder(place: MarkdownPlace, folder: string): Promise<readonly MarkdownFile[]> {
  const inner = {
    ...place,
    path: `${place.path}/${folder}`,
    shared: `${place.shared}/${folder}`,
  }
  return (await readMarkdownFiles(inner)) ?? []
}

/** By its id, which stays the same when the title and with it the file name change. */
function toDecision(file: MarkdownFile, remarks: Remarks): readonly ImportedKnowledge[] {
  const id = text(file.matter['id'])?.toLowerCase() ?? file.path
  const named = { ...file, path: id, matter: withoutWaymark(file.matter) }
  const decision = readDecision(named, { tool: 'backlog', paths: new Map(), remarks })
  if (decision !== undefined) return [{ ...decision, own: toOwn(file.matter['waymark']) }]
  remarks.add(`${file.path} is no record of a decision and was left out`)
  return []
}

const READ: ReadonlySet<string> = new Set('id title type created_date updated_date tags'.split(' '))

function toDoc({ path, matter: given, body }: MarkdownFile, remarks: Remarks): ImportedKnowledge {
  const matter = withoutWaymark(given)
  remarks.addUnread(matter, READ)
  const id = text(matter['id'])?.toLowerCase() ?? path
  const kind = firstCharacters(text(matter['type']) ?? '', 50)
  return {
    ref: toRef('backlog', id),
    key: id,
    own: toOwn(given['waymark']) ?? toOwn({ id: markedId(body) }),
    type: 'note',
    title: text(matter['title']) ?? id,
    content: withoutMarks(body) || undefined,
    labels: toTags(matter['tags']),
    properties: { note_type: kind === '' || kind === 'other' ? null : kind },
    created_at: toIso(matter['created_date']),
    relations: [],
  }
}

/** The mark of an export is no field that is left out. */
function withoutWaymark(matter: MarkdownFile['matter']): MarkdownFile['matter'] {
  return Object.fromEntries(Object.entries(matter).filter(([name]) => name !== 'waymark'))
}
