import type { AnnotationRow } from '../store.ts'
import { type FileView, viewWithoutHistory } from './file-view.ts'
import { type Code, isIncluded } from '../write/open-code.ts'

/** A file that has annotations, under the names that they know it by. */
export interface AnnotatedFile {
  /** Undefined if nothing of today comes from it. */
  readonly path: string | undefined
  readonly names: readonly string[]
}

/** All files that were ever annotated, each with what became of it. */
export async function annotatedFiles(code: Code): Promise<readonly AnnotatedFile[]> {
  return await filesOfToday(code, await code.annotations.files(code.settings.readRefs))
}

/** What became of these files. */
export async function filesOfToday(
  code: Code,
  named: readonly string[],
): Promise<readonly AnnotatedFile[]> {
  const { repository, head, settings } = code
  if (head === undefined) return named.map((path) => ({ path: undefined, names: [path] }))
  const files = await repository.trees.files(head.id)
  const gone = named.filter((path) => !files.has(path))
  const renames =
    gone.length === 0
      ? new Map<string, string>()
      : await repository.trees.renames(head.id, await oldestOf(code, gone))
  const byPath = new Map<string, string[]>()
  const lost: AnnotatedFile[] = []
  for (const name of named) {
    const today = files.has(name) ? name : renames.get(name)
    if (today === undefined) lost.push({ path: undefined, names: [name] })
    else byPath.set(today, [...(byPath.get(today) ?? []), name])
  }
  const present = [...byPath].filter(([path]) => isIncluded(settings, path))
  return [...present.map(([path, names]) => ({ path, names })), ...lost]
}

/** A file with all the names that its annotations know it by, without its history. */
export async function viewAnnotatedFile(
  code: Code,
  { path, names }: AnnotatedFile,
): Promise<FileView | undefined> {
  const view = path === undefined ? undefined : await viewWithoutHistory(code, path)
  return view === undefined ? undefined : { ...view, names: new Set([view.path, ...names]) }
}

/** No file can have been renamed before it was annotated, as far as its annotations are concerned. */
async function oldestOf(
  { repository, settings, annotations }: Code,
  paths: readonly string[],
): Promise<number> {
  const rows = await annotations.inFiles({
    refs: settings.readRefs,
    role: 'region',
    paths,
  })
  const commits = await repository.commits.getAll([...new Set(rows.map(({ commit }) => commit))])
  return Math.min(...rows.map(timeOf), ...commits.map(({ at }) => at))
}

function timeOf({ record }: AnnotationRow): number {
  const at = Date.parse(record.timestamp)
  return Number.isNaN(at) ? 0 : at
}
