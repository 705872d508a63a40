import { toRepositoryPath } from '../place.ts'
import { Failure } from '../../core/error.ts'
import { type CurrentFile, readCommittedFile, readCurrentFile } from '../../git/current-file.ts'
import type { FileHistory } from '../../git/history/file-histories.ts'
import type { LineMap } from '../rewrite/line-map.ts'
import { type Outline, STILL_PARSED } from '../outline/outlines.ts'
import type { Code } from '../write/open-code.ts'
import { answerBy, settledBy } from './answer-time.ts'

/** A file as it is today: its text, what is in it, and where it comes from. */
export interface FileView {
  readonly path: string
  readonly file: CurrentFile
  readonly outline: Outline
  /** Undefined for a file that was never committed, or when the history was not requested. */
  readonly history: FileHistory | undefined
  /** Its name and all names that it had before. */
  readonly names: ReadonlySet<string>
  /** From the lines of the last commit to those of the working tree. */
  readonly uncommitted: LineMap
  /** The parser is still at work: the outline says so, and only lines are known. */
  readonly isPartial?: true
}

export interface ViewOptions {
  /** Rather without an outline than late, where the background can make it. */
  readonly isSoon?: boolean
}

/** The file at `path`, given as callers give paths. */
export async function viewFile(
  code: Code,
  given: string,
  options: ViewOptions = {},
): Promise<FileView> {
  const path = toRepositoryPath(code.repository.root, given)
  const view = await findFile(code, path, options)
  if (view !== undefined) return view
  const name = given.slice(0, 200)
  const message = (await isFolder(code, path))
    ? `${name} is a folder; name a file in it`
    : `File not found: ${name}${lineRemedy(name)}`
  throw new Failure('not_found', message, { details: { field: 'path', kind: 'file', id: name } })
}

/** `src/main.ts:40` is how editors and compilers name a line; here lines are a field of their own. */
function lineRemedy(path: string): string {
  const [, file, first, last] = /^(.+?):([1-9]\d*)(?:[-:]([1-9]\d*))?$/.exec(path) ?? []
  if (file === undefined || first === undefined) return ''
  return `; the path is ${file}, and lines are a field of their own: ${first}:${last ?? first}`
}

async function isFolder({ repository, head }: Code, path: string): Promise<boolean> {
  if (path === '') return true
  const found = head && (await repository.objects.info(`${head.id}:${path}`))
  return found?.type === 'tree'
}

/** Undefined if there is no such file, neither in the working tree nor in the commit that is checked out. */
export async function findFile(
  code: Code,
  path: string,
  { isSoon = false }: ViewOptions = {},
): Promise<FileView | undefined> {
  const file = await readFile(code, path)
  if (file === undefined) return undefined
  const outlined = code.repository.outlines.of(file)
  const finding = historyOf(code, file)
  const [view, history] = await Promise.all([
    isSoon
      ? finding.then((history) => toViewSoon(code, file, { outlined, history }))
      : toView(code, file),
    finding,
  ])
  if (history === undefined) return view
  return { ...view, history, names: await namesOf(code, path, history) }
}

/** The file without its history, which is by far the most expensive part of it. */
export async function viewWithoutHistory(code: Code, path: string): Promise<FileView | undefined> {
  const file = await readFile(code, path)
  return file === undefined ? undefined : await toView(code, file)
}

async function readFile({ repository, head, isAtCommit }: Code, path: string) {
  if (path === '') return undefined
  if (isAtCommit === true) return head && (await readCommittedFile(repository, head.id, path))
  return await readCurrentFile(repository, head?.id, path)
}

async function toViewSoon(
  code: Code,
  file: CurrentFile,
  {
    outlined,
    history,
  }: { readonly outlined: Promise<Outline>; readonly history: FileHistory | undefined },
): Promise<FileView> {
  const end = answerBy(code, { file, history })
  const outline = await settledBy(end, outlined)
  if (outline !== undefined) return await toView(code, file)
  return { ...(await toView(code, file, STILL_PARSED)), isPartial: true }
}

async function toView({ repository }: Code, file: CurrentFile, known?: Outline): Promise<FileView> {
  const { path, text, committed } = file
  const [outline, uncommitted] = await Promise.all([
    known ?? repository.outlines.of(file),
    repository.texts.compare(committed?.text ?? text, text),
  ])
  return { path, file, outline, history: undefined, names: new Set([path]), uncommitted }
}

async function historyOf(
  { repository, head }: Code,
  { path, committed }: CurrentFile,
): Promise<FileHistory | undefined> {
  if (committed === undefined || head === undefined) return undefined
  const history = await repository.histories.of(head.id, path)
  repository.reachable.learn(
    head.id,
    [...history.blame, ...history.changes].map(({ commit }) => commit),
  )
  return history
}

/** Git's `--follow` takes a copy for a new name; a file that is still there under a name has not given it up. */
async function namesOf(
  { repository, head }: Code,
  path: string,
  { blame, changes }: FileHistory,
): Promise<ReadonlySet<string>> {
  const certain = new Set([path, ...blame.map((hunk) => hunk.path)])
  const followed = [...new Set(changes.map((change) => change.path))].filter(
    (name) => !certain.has(name),
  )
  const infos = await repository.objects.infos(followed.map((name) => `${head?.id ?? ''}:${name}`))
  return new Set([...certain, ...followed.filter((_, at) => infos[at] === undefined)])
}
