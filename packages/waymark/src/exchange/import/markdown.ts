import { posix } from 'node:path'
import { Failure } from '../../core/error.ts'
import { violation } from '../../core/input/parse.ts'
import { parseYaml } from '../../support/yaml/parse-yaml.ts'
import {
  type ImportedKnowledge,
  isRecord,
  type Remarks,
  text,
  texts,
  toIso,
} from '../../task/import/imported-task.ts'
import type { ImportFiles } from './files.ts'
import { toRef } from './knowledge.ts'
import { linkedFiles, splitMatter, toMarkdown, toOutline } from './sections.ts'

const MOST_FILES = 10_000
const DEEPEST = 20
/** Folders that hold what others wrote. */
const SKIPPED: ReadonlySet<string> = new Set(['node_modules', 'vendor'])

export interface MarkdownFile {
  /** From the top of the project, with slashes. */
  readonly path: string
  /** The front matter, already parsed. */
  readonly matter: Readonly<Record<string, unknown>>
  readonly body: string
}

export interface MarkdownPlace {
  readonly files: ImportFiles
  /** As the caller named it. */
  readonly path: string
  /** The path under which other clones know it. */
  readonly shared: string
  readonly remarks: Remarks
  readonly signal: AbortSignal
}

/** The Markdown files of a folder and the folders in it, or the one file. Undefined if there is neither. */
export async function readMarkdownFiles(
  place: MarkdownPlace,
): Promise<readonly MarkdownFile[] | undefined> {
  const names = await walk(place, '', 0)
  if (names !== undefined) {
    if (names.length > MOST_FILES) {
      const problem = `holds more than ${MOST_FILES} Markdown files; name a folder in it`
      throw violation('path', 'too_many', problem, { max: MOST_FILES })
    }
    const found = []
    for (const name of names) found.push(await readMarkdownFile(place, name))
    return found.filter((file) => file !== undefined)
  }
  const file = await readMarkdownFile(place, '')
  return file && [file]
}

async function walk(
  place: MarkdownPlace,
  folder: string,
  depth: number,
): Promise<string[] | undefined> {
  const { files, path, shared, remarks, signal } = place
  signal.throwIfAborted()
  const entries = await files.list(join(path, folder))
  if (entries === undefined) return undefined
  const names: string[] = []
  for (const { name, kind } of entries) {
    const inner = join(folder, name)
    const isHidden = name.startsWith('.') || SKIPPED.has(name)
    if (kind === 'folder' && !isHidden && depth < DEEPEST) {
      names.push(...((await walk(place, inner, depth + 1)) ?? []))
    } else if (kind === 'folder' && !isHidden) {
      remarks.add(`${join(shared, inner)} is nested too deep and was left out`)
    } else if (kind === 'other') {
      remarks.add(`${join(shared, inner)} is a link or no regular file and was left out`)
    } else if (kind === 'file' && /\.(?:md|markdown)$/i.test(name)) {
      names.push(inner)
    }
    if (names.length > MOST_FILES) break
  }
  return names
}

async function readMarkdownFile(
  { files, path, shared, remarks, signal }: MarkdownPlace,
  name: string,
): Promise<MarkdownFile | undefined> {
  signal.throwIfAborted()
  const at = join(shared, name)
  const given = await files.readText(join(path, name)).catch((error: unknown) => {
    const isEncoding = error instanceof Failure && error.details['reason'] === 'not_utf8'
    // Alone, it is all that was asked for.
    if (!isEncoding || name === '') throw error
    remarks.add(`${at} is not UTF-8 text and was left out`)
    return undefined
  })
  if (given === undefined) return undefined
  const source = given.replace(/^\uFEFF/, '')
  const parts = splitMatter(source)
  if (parts === undefined) return { path: at, matter: {}, body: source }
  try {
    const matter = await parseYaml(parts.matter, at)
    if (isRecord(matter)) return { path: at, matter, body: parts.body }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    remarks.add(`the front matter of ${at} cannot be read: ${error.message.replace('path: ', '')}`)
  }
  // Two rules with text between them are no front matter.
  return { path: at, matter: {}, body: source }
}

const READ: ReadonlySet<string> = new Set(
  'title tags author authors date created created_date updated updated_date'.split(' '),
)

/** A note for each file. Links between them become references. */
export function readNotes(
  files: readonly MarkdownFile[],
  remarks: Remarks,
): readonly ImportedKnowledge[] {
  const paths = new Set(files.map(({ path }) => path))
  return files.flatMap((file) => {
    if (file.body.trim() === '' && Object.keys(file.matter).length === 0) {
      remarks.add(`${file.path} is empty and was left out`)
      return []
    }
    remarks.addUnread(file.matter, READ)
    return [toNote(file, paths)]
  })
}

function toNote({ path, matter, body }: MarkdownFile, paths: ReadonlySet<string>) {
  const { title: heading, intro, sections } = toOutline(body)
  const title = text(matter['title']) ?? heading
  // A heading that is the title already is not repeated in the text.
  const isTitle = heading !== undefined && title === heading
  const content = isTitle ? [intro, ...sections.map(toMarkdown)].join('\n\n').trim() : body.trim()
  return {
    ref: toRef('markdown', path),
    key: path,
    type: 'note' as const,
    title: title ?? posix.basename(path).replace(/\.[^.]*$/, ''),
    content: content === '' ? undefined : content,
    labels: toTags(matter['tags']),
    properties: {},
    author: texts(matter['author'] ?? matter['authors']).join(', ') || undefined,
    created_at: toIso(matter['created_date'] ?? matter['created'] ?? matter['date']),
    relations: toReferences({ path, body }, paths, 'markdown'),
  }
}

/** Tags as a list, or as words between commas. */
export function toTags(value: unknown): readonly string[] {
  const given = typeof value === 'string' ? value.split(',') : texts(value)
  return given.map((tag) => tag.trim().replace(/^#/, '')).filter((tag) => tag !== '')
}

/** References to those of these files that a text links to. */
export function toReferences(
  { path, body }: Pick<MarkdownFile, 'path' | 'body'>,
  paths: ReadonlySet<string>,
  tool: string,
) {
  const targets = linkedFiles(body).map((target) => resolveLink(path, target))
  const others = new Set(targets.filter((target) => target !== path && paths.has(target)))
  return [...others].map((target) => ({ type: 'references', ref: toRef(tool, target) }))
}

/** The path that a link in this file leads to. */
export function resolveLink(from: string, target: string): string {
  const base = target.startsWith('/') ? target.slice(1) : posix.join(posix.dirname(from), target)
  return posix.normalize(base)
}

function join(folder: string, name: string): string {
  if (name === '') return folder
  return folder === '' ? name : `${folder}/${name}`
}
