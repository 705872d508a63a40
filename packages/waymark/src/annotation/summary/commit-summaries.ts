import * as z from 'zod'
import { FRESHNESS_STATES, type FreshnessState } from '../freshness.ts'
import type { FileChange } from '../../git/history/file-histories.ts'
import type { AnnotationRecord } from '../record.ts'
import type { FileView } from '../region/file-view.ts'
import type { LocatedRegion } from '../region/find-regions.ts'
import { filled } from '../region/region-view.ts'
import { blamedCommits, type Scope } from '../region/scope.ts'
import { type Code, isIncluded } from '../write/open-code.ts'
import type { CommitId } from '../../git/history/commit-id.ts'

/** The summary of an annotation, which applies to every file that its commit changed. */
export const commitSummary = z.object({
  text: z.string(),
  commit: z.string(),
  timestamp: z.string().describe('When it was annotated'),
  by: z.string().optional(),
  state: z.enum(FRESHNESS_STATES).describe('Whether the file has changed since'),
})
export type CommitSummary = z.output<typeof commitSummary>

export const commitSummaries = z
  .array(commitSummary)
  .optional()
  .describe('What was said of whole commits that changed this code, newest first')

export interface SummarisedCommit {
  readonly commit: CommitId
  readonly record: AnnotationRecord
  readonly state: FreshnessState
}

/** Maximum number in one answer. */
export const MOST_SUMMARIES = 20

/**
 * The annotations whose commits wrote the code in scope, newest first, without those whose summary repeats an intent in
 * `found`. Their commits come from the history of the file, so that no region needs to name it.
 */
export async function findSummaries(
  code: Code,
  scope: Scope,
  found: readonly LocatedRegion[],
): Promise<readonly SummarisedCommit[]> {
  const { view, ranges } = scope
  if (!isIncluded(code.settings, view.path)) return []
  const positions = new Map((view.history?.changes ?? []).map((one, at) => [one.commit, at]))
  const wanted = ranges === undefined ? positions.keys() : blamedCommits(view, ranges)
  const rows = await code.annotations.ofCommits(code.settings.readRefs, [...wanted])
  const stateAt = statesOf(view)
  const byCommit = rows
    .filter(({ record }) => ranges === undefined || !isAbout(record, view))
    .map(({ commit, record }) => ({ commit, record, state: stateAt(commit) ?? 'unknown' }))
  const byRegion = found.map(({ commit, record, verdict }) => ({
    commit,
    record,
    state: stateAt(commit) ?? verdict.state,
  }))
  const told = new Set(found.map(({ record, region }) => `${record.id} ${region.intent}`))
  const position = ({ commit }: SummarisedCommit) => positions.get(commit) ?? positions.size
  const unique = new Map([...byRegion, ...byCommit].map((one) => [one.record.id, one]))
  return [...unique.values()]
    .filter(({ record }) => !told.has(`${record.id} ${record.summary}`))
    .toSorted((a, b) => position(a) - position(b))
}

export function toCommitSummary({ commit, record, state }: SummarisedCommit): CommitSummary {
  return {
    text: record.summary,
    commit,
    timestamp: record.timestamp,
    ...filled('by', record.author),
    state,
  }
}

/** As many as one answer may have, and a note about the others. */
export function toCommitSummaries(
  all: readonly SummarisedCommit[],
  limit: number = MOST_SUMMARIES,
): { readonly summaries: CommitSummary[]; readonly notes: readonly string[] } {
  const left = all.length - limit
  return {
    summaries: all.slice(0, limit).map(toCommitSummary),
    notes: left > 0 ? [`${left} older summaries are not shown.`] : [],
  }
}

/** A record with regions in this file is about those, not about the other lines of its commit. */
function isAbout({ regions }: AnnotationRecord, { names }: FileView): boolean {
  return regions.some(({ file }) => names.has(file))
}

/**
 * The state of the file since each of its commits, told from the history alone: reading the file of each annotated
 * commit would cost too much.
 */
function statesOf({
  path,
  file,
  history,
}: FileView): (commit: CommitId) => FreshnessState | undefined {
  const changes = history?.changes ?? []
  const positions = new Map(changes.map(({ commit }, at) => [commit, at]))
  const written = new Set(history?.blame.map((hunk) => hunk.commit))
  // A commit that renames the file and writes no line of it leaves the text as it was.
  const isEdit = ({ commit, path }: FileChange, at: number) =>
    written.has(commit) || changes[at + 1]?.path === path
  const lastEdit = changes.findIndex(isEdit)
  // A merge that made a version of its own is not among the changes.
  const isChanged = history?.last !== changes[0]?.commit || file.text !== file.committed?.text
  return (commit) => {
    const at = positions.get(commit)
    if (at === undefined) return undefined
    if (isChanged || (lastEdit !== -1 && at > lastEdit)) return 'drifted'
    return changes[at]?.path === path ? 'fresh' : 'moved'
  }
}
