import { setImmediate as nextTurn } from 'node:timers/promises'
import { leafOf, type Unit } from '../anchor.ts'
import { overlap } from '../place.ts'
import type { AnnotationRecord, LineRange, Region } from '../record.ts'
import type { AnnotationRow } from '../store.ts'
import { areTraced, isAnnotated, lineageOf } from '../trace/descendant.ts'
import type { Ancestor } from '../trace/lineage.ts'
import { namesakes } from '../trace/locate-unit.ts'
import type { Code } from '../write/open-code.ts'
import { settledBy } from './answer-time.ts'
import type { FileView } from './file-view.ts'
import { annotatedIn } from './annotated-in.ts'
import { blamedCommits } from './scope.ts'
import type { CommitId } from '../../git/history/commit-id.ts'

/** An annotated region that may be in a file of today. */
export interface Candidate {
  readonly commit: CommitId
  readonly record: AnnotationRecord
  readonly region: Region
  /** The file was never called like the annotated one. */
  readonly isFromElsewhere?: true
  /** Asked is what was taken out of the annotated unit, wherever that is itself. */
  readonly isPart?: true
}

export interface Candidates {
  readonly candidates: readonly Candidate[]
  /** How many annotations of the file were left out, because it is not known yet which of its units these lines are. */
  readonly unread: number
  /** Whether there was time to find out what these units were called before. */
  readonly isWhole: boolean
}

/** The part of a file that a question is about. */
export interface Part {
  readonly units: readonly Unit[]
  /** Undefined for the whole file. */
  readonly ranges: readonly LineRange[] | undefined
  /** When to answer, by `performance.now()`. */
  readonly end?: number
}

/**
 * All annotated regions that may be in a part of a file: its own under all names that it had, and those of other files that
 * these units were in, or that had exactly their content.
 */
export async function findCandidates(code: Code, view: FileView, part: Part): Promise<Candidates> {
  const { annotations } = code
  const { readRefs: refs } = code.settings
  const { units, ranges, end = Infinity } = part
  const hashes = units.map(({ contentHash }) => contentHash)
  const [{ rows, unread }, alike, known] = await Promise.all([
    findHere(code, view, part),
    annotations.byContent(refs, hashes),
    // What is known is not waited for, however late it is.
    settledBy(areTraced(view, units) ? Infinity : end, findAncestors(code, view, units)),
  ])
  const here = ranges === undefined ? rows : withoutRepeated([...rows, ...(known?.rows ?? [])])
  // In a whole file the annotated unit itself is asked for.
  const parts = ranges === undefined ? [] : (known?.parts ?? [])
  const own = regionsOf(here, (region) => view.names.has(region.file))
  const equal = regionsOf(
    alike,
    (region) => !view.names.has(region.file) && hashes.includes(region.content_hash ?? ''),
  )
  const equalKeys = new Set(equal.map(keyOf))
  const partsOfOwn = own.filter(({ region }) => {
    const anchor = region.ast_anchor?.name
    return parts.some((part) => isAnnotated({ region, code: { anchor: anchor ?? '' } }, part))
  })
  const others = regionsOf(
    known?.rows ?? [],
    (region) => !view.names.has(region.file) && region.ast_anchor !== undefined,
  ).filter((each) => !equalKeys.has(keyOf(each)))
  const elsewhere = [...equal, ...others].map((each) => ({
    ...each,
    isFromElsewhere: true as const,
  }))
  const taken = partsOfOwn.map((each) => ({ ...each, isPart: true as const }))
  return { candidates: [...own, ...taken, ...elsewhere], unread, isWhole: known !== undefined }
}

/** Regions of the file itself that units of this part of it have the names of today. */
export async function findNamesakes(
  code: Code,
  view: FileView,
  part: Part,
): Promise<readonly Candidate[]> {
  const { rows } = await findHere(code, view, part)
  const own = regionsOf(rows, (region) => view.names.has(region.file))
  return own.filter((candidate) => isNamedIn(view, candidate, part.ranges))
}

/**
 * Annotations of the file itself. For a question about some lines only those that can be about them: of the hundreds that
 * a file may have, reading all would take longer than everything else.
 */
async function findHere(
  code: Code,
  view: FileView,
  { units, ranges }: Part,
): Promise<{ readonly rows: readonly AnnotationRow[]; readonly unread: number }> {
  const paths = [...view.names]
  const isNamed = view.outline.supported || view.isPartial === true
  if (ranges === undefined || !isNamed) return { rows: await annotatedIn(code, paths), unread: 0 }
  const asked = { refs: code.settings.readRefs, paths }
  const rows = await code.annotations.likelyInFiles({
    ...asked,
    leaves: new Set(units.map(({ name }) => leafOf(name))),
    hashes: units.map(({ contentHash }) => contentHash),
    commits: blamedCommits(view, ranges),
  })
  const all = view.isPartial === true ? await code.annotations.countInFiles(asked) : rows.length
  return { rows, unread: all - rows.length }
}

function withoutRepeated(rows: readonly AnnotationRow[]): readonly AnnotationRow[] {
  return [
    ...new Map(rows.map((row) => [`${row.ref} ${row.commit} ${row.record.id}`, row])).values(),
  ]
}

const MOST_COMMITS = 500
/** Before other requests get their turn. */
const TRACED_AT_ONCE = 16

interface Ancestry {
  /** Annotations of all files that the units were in, under the names that they had there. */
  readonly rows: readonly AnnotationRow[]
  /** What they were taken out of. */
  readonly parts: readonly Ancestor[]
}

async function findAncestors(
  { repository, annotations, settings }: Code,
  view: FileView,
  units: readonly Unit[],
): Promise<Ancestry> {
  if (view.history === undefined) return { rows: [], parts: [] }
  // One git process for the commits that most of them came with, instead of one for each.
  const ranges = units.map(({ lines }) => lines)
  await repository.trees.changedBy([...blamedCommits(view, ranges)].slice(0, MOST_COMMITS))
  const lineages: Ancestor[] = []
  for (let at = 0; at < units.length; at += TRACED_AT_ONCE) {
    const some = units.slice(at, at + TRACED_AT_ONCE)
    const traced = await Promise.all(some.map((unit) => lineageOf(repository, view, unit)))
    lineages.push(...traced.flat())
    await nextTurn()
  }
  if (lineages.length === 0) return { rows: [], parts: [] }
  const rows = await annotations.likelyInFiles({
    refs: settings.readRefs,
    paths: [...new Set(lineages.flatMap(({ paths }) => paths))],
    leaves: new Set(lineages.map(({ name }) => leafOf(name))),
  })
  return { rows, parts: lineages.filter(({ isPart }) => isPart) }
}

/** A region is withdrawn by a correction that removes it as a whole. */
function regionsOf(
  rows: readonly AnnotationRow[],
  isWanted: (region: Region) => boolean,
): readonly Candidate[] {
  return rows.flatMap(({ commit, record }) =>
    record.regions
      .filter((region) => isWanted(region) && !isWithdrawn(region))
      .map((region) => ({ commit, record, region })),
  )
}

function isWithdrawn({ corrections }: Region): boolean {
  return corrections.some(
    ({ correction_type: type, field }) => type === 'remove' && field === undefined,
  )
}

/** The name under which the verdict about a region is cached. */
export function keyOf({ commit, region }: Candidate): string {
  const { file, lines, ast_anchor: anchor, content_hash: hash } = region
  const place = [file, anchor?.type, anchor?.name, lines?.start, lines?.end, hash]
  return `${commit} ${place.join(' ')}`
}

/** Those that a question about some lines is most likely about come first: time may run out. */
export function likelyFirst(
  view: FileView,
  candidates: readonly Candidate[],
  ranges: readonly LineRange[] | undefined,
): readonly Candidate[] {
  const writers = blamedCommits(view, ranges)
  const rankOf = (candidate: Candidate) => {
    if (candidate.isFromElsewhere === true) return 2
    if (writers.has(candidate.commit) || isNamedIn(view, candidate, ranges)) return 0
    return candidate.region.ast_anchor === undefined || namesakesOf(view, candidate).length === 0
      ? 1
      : 3
  }
  const ranked = candidates.map((candidate) => ({ candidate, rank: rankOf(candidate) }))
  return ranked.toSorted((a, b) => a.rank - b.rank).map(({ candidate }) => candidate)
}

/** Whether a unit of that name has some of these lines. */
export function isNamedIn(
  view: FileView,
  candidate: Candidate,
  ranges: readonly LineRange[] | undefined,
): boolean {
  const units = namesakesOf(view, candidate)
  return units.some(({ lines }) => ranges?.some((range) => overlap(range, lines)) ?? true)
}

function namesakesOf({ outline }: FileView, { region }: Candidate) {
  const anchor = region.ast_anchor?.name
  return anchor === undefined
    ? []
    : namesakes(outline.units, { region, code: { file: region.file, anchor } })
}
