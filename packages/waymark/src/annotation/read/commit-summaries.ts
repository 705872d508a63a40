import * as z from 'zod'
import { FRESHNESS_STATES, type FreshnessState } from '../freshness.ts'
import type { AnnotationRecord } from '../record.ts'
import type { FileView } from '../region/file-view.ts'
import type { LocatedRegion } from '../region/find-regions.ts'
import { filled } from '../region/region-view.ts'
import { blamedCommits, type Scope } from '../region/scope.ts'
import type { AnnotationRow } from '../store.ts'
import { type Code, isIncluded } from '../write/open-code.ts'

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
  readonly commit: string
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
  const byCommit = rows
    .filter(({ record }) => ranges === undefined || !isAbout(record, view))
    .map((row) => ({ ...toSource(row), state: stateOf(view, row.commit, positions) }))
  const byRegion = found.map(({ commit, record, verdict }) => ({
    commit,
    record,
    state: positions.has(commit) ? stateOf(view, commit, positions) : verdict.state,
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

function toSource({ commit, record }: AnnotationRow) {
  return { commit, record }
}

/** A record with regions in this file is about those, not about the other lines of its commit. */
function isAbout({ regions }: AnnotationRecord, { names }: FileView): boolean {
  return regions.some(({ file }) => names.has(file))
}

/** Told from the history alone: reading the file of each annotated commit would cost too much. */
function stateOf(
  { path, file, history }: FileView,
  commit: string,
  positions: ReadonlyMap<string, number>,
): FreshnessState {
  const at = positions.get(commit)
  if (at === undefined || history === undefined) return 'unknown'
  if (file.text !== file.committed?.text) return 'drifted'
  const since = history.changes.slice(0, at)
  // A commit that only renames the file changes no line of it.
  const written = new Set(history.blame.map((hunk) => hunk.commit))
  if (since.some((change) => written.has(change.commit))) return 'drifted'
  return history.changes[at]?.path === path ? 'fresh' : 'moved'
}
