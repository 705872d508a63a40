import { resolveAnchor } from '../anchor.ts'
import { hashCode } from '../code-text.ts'
import {
  type AnnotatedCode,
  judgeFile,
  judgeLines,
  judgeUnit,
  type TracedLines,
  type Verdict,
} from '../freshness.ts'
import type { LineRange, Region } from '../record.ts'
import { linesOf, readFileAt } from '../../git/current-file.ts'
import { mapLines } from '../rewrite/line-map.ts'
import type { Repository } from '../../git/repository.ts'
import type { FileView } from './file-view.ts'

/** A region of the annotation of a commit. */
export interface AnnotatedRegion {
  readonly commit: string
  readonly region: Region
}

/** Looking for lines by their content costs as much as the file has lines times as many as are looked for. */
const MOST_LINES_COMPARED = 200_000

/** Where a region is in today's file, and what has become of it. */
export async function locateRegion(
  repository: Repository,
  view: FileView,
  annotated: AnnotatedRegion,
): Promise<Verdict> {
  const { region } = annotated
  const { path, outline } = view
  const code = await whatWasAnnotated(repository, annotated)
  const { anchor } = code
  if (anchor !== undefined && outline.supported) {
    const named = judgeUnit({ ...code, anchor }, { path, units: outline.units })
    if (named.state !== 'orphaned') return named
    const traced = await trace(repository, view, annotated)
    return judgeUnit({ ...code, anchor }, { path, units: outline.units, traced })
  }
  if (region.lines !== undefined) {
    const traced = await trace(repository, view, annotated)
    return judgeLines(code, { path, units: [], traced })
  }
  const isSame =
    code.contentHash === undefined
      ? undefined
      : code.contentHash === hashCode(view.file.text, outline.layout)
  return judgeFile(code, path, isSame)
}

/** Hashes of what was annotated: as they stand in the note, or worked out from the commit if it has none. */
async function whatWasAnnotated(
  repository: Repository,
  { commit, region }: AnnotatedRegion,
): Promise<AnnotatedCode> {
  const { file, ast_anchor, content_hash, signature_hash } = region
  const anchor = ast_anchor === undefined ? {} : { anchor: ast_anchor.name }
  if (content_hash !== undefined) {
    const signature = signature_hash === undefined ? {} : { signatureHash: signature_hash }
    return { file, ...anchor, contentHash: content_hash, ...signature }
  }
  const then = await readFileAt(repository, commit, file)
  if (then === undefined) return { file, ...anchor }
  const outline = await repository.outlines.of({ path: file, ...then })
  if (ast_anchor === undefined) {
    const text = region.lines === undefined ? then.text : sliceLines(then.text, region.lines)
    return { file, contentHash: hashCode(text, outline.layout) }
  }
  const match = resolveAnchor(outline.units, ast_anchor.name)
  const unit = match?.kind === 'fuzzy' ? undefined : match?.units[0]
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
  const then = await readFileAt(repository, commit, region.file)
  if (then === undefined) return blamed ?? traceByContent(view, region, lines)
  const mapped = (await mapLines(then.text, view.file.text)).toNewer(lines)
  return mapped === undefined ? blamed : toTraced(mapped, mapped.kept, lines)
}

function traceByBlame(
  { history, uncommitted }: FileView,
  commit: string,
  path: string,
  { start, end }: LineRange,
): TracedLines | undefined {
  const parts = (history?.blame ?? []).flatMap((hunk) => {
    if (hunk.commit !== commit || hunk.path !== path) return []
    const first = Math.max(hunk.originalStart, start)
    const last = Math.min(hunk.originalStart + hunk.count - 1, end)
    const shift = hunk.start - hunk.originalStart
    return first > last
      ? []
      : (uncommitted.toNewer({ start: first + shift, end: last + shift }) ?? [])
  })
  const [head, tail] = [parts[0], parts.at(-1)]
  if (head === undefined || tail === undefined) return undefined
  const kept = parts.reduce((sum, part) => sum + part.kept, 0)
  return toTraced({ start: head.start, end: tail.end }, kept, { start, end })
}

/** Without the commit there is only the hash of the text: the lines are where a text of that length has it. */
function traceByContent(
  { file, outline }: FileView,
  { content_hash: hash }: Region,
  { start, end }: LineRange,
): TracedLines | undefined {
  const lines = linesOf(file.text)
  const count = end - start + 1
  if (hash === undefined || lines.length * count > MOST_LINES_COMPARED) return undefined
  for (let at = 0; at + count <= lines.length; at += 1) {
    const text = lines.slice(at, at + count).join('\n')
    if (hashCode(text, outline.layout) === hash) {
      return { start: at + 1, end: at + count, isWhole: true }
    }
  }
  return undefined
}

function toTraced(today: LineRange, kept: number, annotated: LineRange): TracedLines {
  const count = annotated.end - annotated.start + 1
  const { start, end } = today
  return { start, end, isWhole: kept === count && end - start + 1 === count }
}

export function sliceLines(text: string, { start, end }: LineRange): string {
  return linesOf(text)
    .slice(start - 1, end)
    .join('\n')
}
