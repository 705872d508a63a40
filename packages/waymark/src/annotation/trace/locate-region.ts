import { unitsNamed } from '../anchor.ts'
import {
  type AnnotatedCode,
  judgeFile,
  judgeLines,
  type TracedLines,
  type Verdict,
} from '../freshness.ts'
import { isByLines, type LineRange, type Region } from '../record.ts'
import type { Repository } from '../../git/repository.ts'
import type { FileView } from '../region/file-view.ts'
import { type AnnotatedRegion, NO_DEADLINE } from './annotated-region.ts'
import { blamedLines } from './blamed-lines.ts'
import type { CommitId } from '../../git/history/commit-id.ts'
import { locateUnit, type Search } from './locate-unit.ts'

/** The location and freshness of a region in the current file; undefined if there was no time left to find out. */
export async function locateRegion(
  repository: Repository,
  view: FileView,
  annotated: AnnotatedRegion,
  search: Search,
): Promise<Verdict | undefined> {
  const { region } = annotated
  const { path, outline } = view
  const code = await whatWasAnnotated(repository, annotated)
  const { anchor } = code
  if (anchor !== undefined && outline.supported && !isByLines(region)) {
    return await locateUnit(repository, view, { ...annotated, code: { ...code, anchor } }, search)
  }
  if (region.lines !== undefined) {
    if (search.deadline.isOver()) return undefined
    return judgeLines(code, path, await trace(repository, view, annotated))
  }
  const isSame = await isUnchanged(repository, view, code.contentHash)
  return judgeFile(code, path, isSame)
}

/** Without a deadline there is always an answer. */
export async function locateSurely(
  repository: Repository,
  view: FileView,
  annotated: AnnotatedRegion,
): Promise<Verdict> {
  const search = { deadline: NO_DEADLINE, units: view.outline.units }
  const verdict = await locateRegion(repository, view, annotated, search)
  return verdict ?? { state: 'unknown', changed: [], fit: 'overlap' }
}

/** Whether the whole file is unchanged; undefined if unknown. */
async function isUnchanged(
  { texts }: Repository,
  { file, outline }: FileView,
  before: string | undefined,
): Promise<boolean | undefined> {
  if (before === undefined) return undefined
  const hash = await texts.hash(file, outline.layout)
  return hash === undefined ? undefined : hash === before
}

/** Hashes of the annotated code: from the note, or computed from the commit if it has none. */
export async function whatWasAnnotated(
  repository: Repository,
  { commit, region }: AnnotatedRegion,
): Promise<AnnotatedCode> {
  const { file, ast_anchor, content_hash, signature_hash } = region
  const anchor = ast_anchor === undefined ? {} : { anchor: ast_anchor.name }
  if (content_hash !== undefined) {
    const signature = signature_hash === undefined ? {} : { signatureHash: signature_hash }
    return { file, ...anchor, contentHash: content_hash, ...signature }
  }
  const then = await repository.versions.at(commit, file)
  if (then === undefined) return { file, ...anchor }
  const outline = await repository.outlines.of({ path: file, ...then })
  if (ast_anchor === undefined) {
    const contentHash = await repository.texts.hash(then, outline.layout, region.lines)
    return { file, ...(contentHash !== undefined && { contentHash }) }
  }
  const [unit] = unitsNamed(outline.units, ast_anchor.name)
  if (unit === undefined) return { file, ...anchor }
  return { file, ...anchor, contentHash: unit.contentHash, signatureHash: unit.signatureHash }
}

/** Which of today's lines are the annotated ones. */
async function trace(
  repository: Repository,
  view: FileView,
  { commit, region }: AnnotatedRegion,
): Promise<TracedLines | undefined> {
  const { lines } = region
  if (lines === undefined) return undefined
  const blamed = traceByBlame(view, commit, region.file, lines)
  if (blamed?.isWhole === true) return blamed
  const then = await repository.versions.at(commit, region.file)
  if (then === undefined) return blamed ?? (await traceByContent(repository, view, region))
  const mapped = (await repository.texts.compare(then.text, view.file.text)).toNewer(lines)
  return mapped === undefined ? blamed : toTraced(mapped, mapped.kept, lines)
}

/** The part of today's text that blame attributes to these lines of a commit. */
export function traceByBlame(
  view: FileView,
  commit: CommitId,
  path: string,
  range: LineRange,
): TracedLines | undefined {
  const parts = blamedLines(view, commit, path, range)
  const [head, tail] = [parts[0], parts.at(-1)]
  if (head === undefined || tail === undefined) return undefined
  const kept = parts.reduce((sum, part) => sum + part.kept, 0)
  return toTraced({ start: head.start, end: tail.end }, kept, range)
}

/** Without the commit there is only the hash of the text: the lines are where a text of that length has it. */
async function traceByContent(
  { texts }: Repository,
  { file, outline: { layout } }: FileView,
  { content_hash: hash, lines }: Region,
): Promise<TracedLines | undefined> {
  if (hash === undefined || lines === undefined) return undefined
  const count = lines.end - lines.start + 1
  const start = await texts.find(file.text, { count, layout, hash })
  return start === undefined ? undefined : { start, end: start + count - 1, isWhole: true }
}

function toTraced(today: LineRange, kept: number, annotated: LineRange): TracedLines {
  const count = annotated.end - annotated.start + 1
  const { start, end } = today
  return { start, end, isWhole: kept === count && end - start + 1 === count }
}
