import * as z from 'zod'
import type { ReadContext } from '../../core/context.ts'
import { parseMoment } from '../../support/text/moment.ts'
import { toRepositoryPath } from '../place.ts'
import { fitLists, toLeftOutNotes } from './fit-lists.ts'
import { estimateTokens } from '../../support/text/token-estimate.ts'
import { trimToBudget } from './trim.ts'
import { CONTEXT_LEVELS } from '../record.ts'
import { defineOperation } from '../../core/operation.ts'
import { violation } from '../../core/input/parse.ts'
import {
  findSummaries,
  type SummarisedCommit,
  toCommitSummaries,
} from '../summary/commit-summaries.ts'
import { findConcerns } from './concerns.ts'
import { findDependents, prefetchDependents } from './dependents.ts'
import type { LocatedRegion } from '../region/find-regions.ts'
import { findInScope } from '../region/in-scope.ts'
import { type Code, isIncluded, openAnnotatedCode, resolveCommit } from '../write/open-code.ts'
import { filled, type RegionView, toRegionView } from '../region/region-view.ts'
import { showRead } from './show.ts'
import { readView, type ReadView } from './view.ts'
import { followRelated } from '../region/related.ts'
import {
  anchor,
  blamedCommits,
  lines,
  path,
  resolveScopeSoon,
  type Scope,
} from '../region/scope.ts'

export const readCode = defineOperation({
  name: 'code.read',
  summary:
    'Read the annotations of a file, symbol or line range, checked against the code of today',
  example: 'src/client.ts --lines 40:80',
  effect: 'read',
  input: z.object({
    path,
    anchor,
    lines,
    max_tokens: z
      .int()
      .min(1)
      .optional()
      .describe('Token budget of the answer; it is trimmed to fit'),
    max_regions: z.int().min(1).max(200).optional().describe('How many regions at most'),
    depth: z.int().min(0).max(5).default(1).describe('How many related annotations to follow'),
    since: z.string().max(100).optional().describe('Only annotations since this date or commit'),
    tag: z.array(z.string()).default([]).describe('Only with one of these tags'),
    context_level: z.enum(CONTEXT_LEVELS).optional().describe('Only this level'),
    min_confidence: z
      .number()
      .min(0)
      .max(1)
      .default(0)
      .describe('Only with at least this confidence'),
  }),
  output: readView,
  positional: ['path', 'anchor'],
  async run(context, input) {
    const code = await openAnnotatedCode(context, input.path)
    const [scope] = await Promise.all([
      resolveScopeSoon(code, input),
      prefetchDependents(code, toRepositoryPath(code.repository.root, input.path)),
    ])
    const { found, notes: more } = await findInScope(code, scope)
    const since = await parseSince(code, input.since)
    const ranked = rank(found.filter((each) => passes(each, { ...input, since })))
    const shown = ranked.slice(0, input.max_regions ?? code.settings.maxRegions)
    const { regions, hops } = await toRegions(context, code, scope, shown, input.depth)
    const said = await findSummaries(code, scope, found)
    const wanted = await passing(code, said, { ...input, since })
    const { summaries, notes } = toCommitSummaries(wanted)
    const [{ dependents }, concerns] = await Promise.all([
      findDependents(code, scope),
      findConcerns(code, scope),
    ])
    const answer: ReadView = {
      $schema: 'ultragit-read/v1' as const,
      query: toQuery(scope, input),
      ...filled('notes', [...notesFor(code, scope), ...more, ...notes]),
      regions: [...regions],
      ...filled('summaries', summaries),
      ...(dependents.length > 0 && {
        dependencies_on_this: dependents.map(({ file, anchor, nature, commit, confidence }) => ({
          from_file: file,
          from_anchor: anchor,
          nature,
          commit,
          confidence,
        })),
      }),
      ...(concerns.length > 0 && { cross_cutting: [...concerns] }),
      stats: {
        commits_examined: blamedCommits(scope.view, scope.ranges).size,
        annotations_found: new Set(found.map(({ record }) => record.id)).size,
        regions_returned: regions.length,
        related_hops: hops,
      },
    }
    return input.max_tokens === undefined ? answer : fit(answer, input.max_tokens)
  },
  show: showRead,
})

/** The lists beside the regions, from the one that is missed least. */
const CUT_FIRST = ['cross_cutting', 'summaries', 'dependencies_on_this'] as const

/**
 * The lists get half of the budget, or what the regions leave of it; and nothing where even that is too much. A note
 * about summaries would then take the room of a region.
 */
function fit(answer: ReadView, budget: number): ReadView {
  const share = Math.max(budget - tokensOf(answer.regions), Math.floor(budget / 2))
  const shortened = shorten(answer, budget, share)
  if (tokensOf(shortened) <= budget) return shortened
  const { summaries: _left, ...rest } = answer
  return shorten(rest, budget, 0)
}

function shorten({ regions, ...frame }: ReadView, budget: number, share: number): ReadView {
  const { answer: shown, leftOut } = fitLists(frame, { budget: share, order: CUT_FIRST })
  const notes = [...(frame.notes ?? []), ...toLeftOutNotes(leftOut)]
  const rest = { ...shown, ...filled('notes', notes), regions: [] }
  const { regions: kept, trimmed } = trimToBudget(regions, budget, tokensOf(rest))
  return {
    ...rest,
    regions: [...kept],
    stats: { ...frame.stats, regions_returned: kept.length },
    ...(trimmed !== undefined && {
      trimmed: { ...trimmed, dropped_commits: [...trimmed.dropped_commits] },
    }),
  }
}

function tokensOf(value: unknown): number {
  return estimateTokens(JSON.stringify(value))
}

/** The surest first; of equally sure ones the newest. */
export function rank(located: readonly LocatedRegion[]): readonly LocatedRegion[] {
  return located.toSorted((a, b) => b.confidence - a.confidence || b.committedAt - a.committedAt)
}

interface Filter {
  readonly since: number | undefined
  readonly tag: readonly string[]
  readonly context_level?: string | undefined
  readonly min_confidence: number
}

function passes(
  { record, region, confidence, committedAt }: LocatedRegion,
  filter: Filter,
): boolean {
  if (filter.since !== undefined && committedAt < filter.since) return false
  if (filter.context_level !== undefined && record.context_level !== filter.context_level)
    return false
  if (filter.tag.length > 0 && !region.tags.some((tag) => filter.tag.includes(tag))) return false
  return confidence >= filter.min_confidence
}

/** Tags and confidence belong to regions, so a filter by them leaves no summary. */
async function passing(
  { repository }: Code,
  all: readonly SummarisedCommit[],
  { tag, min_confidence, context_level: level, since }: Filter,
): Promise<readonly SummarisedCommit[]> {
  if (tag.length > 0 || min_confidence > 0) return []
  const leveled = all.filter(({ record }) => level === undefined || record.context_level === level)
  if (since === undefined) return leveled
  const commits = await repository.commits.getAll(leveled.map(({ commit }) => commit))
  const recent = new Set(commits.filter(({ at }) => at >= since).map(({ id }) => id))
  return leveled.filter(({ commit }) => recent.has(commit))
}

async function parseSince(code: Code, since: string | undefined): Promise<number | undefined> {
  if (since === undefined) return undefined
  const moment = parseMoment(since.trim())
  if (moment !== undefined) return moment
  const id = await resolveCommit(code.repository, since, 'since').catch(() => undefined)
  const commit = id === undefined ? undefined : await code.repository.commits.get(id)
  if (commit !== undefined) return commit.at
  throw violation('since', 'bad_format', 'must be a date like 2026-11-15 or a commit', {
    value: since,
  })
}

async function toRegions(
  context: ReadContext,
  code: Code,
  { view }: Scope,
  located: readonly LocatedRegion[],
  depth: number,
): Promise<{ readonly regions: readonly RegionView[]; readonly hops: number }> {
  let hops = 0
  const regions = await Promise.all(
    located.map(async (each) => {
      const related = await followRelated(code, each.region, depth)
      hops = Math.max(hops, ...related.map(({ hop }) => hop))
      return {
        ...(await toRegionView(code, view, each)),
        ...(related.length > 0 && { related: [...related] }),
      }
    }),
  )
  return { regions, hops }
}

function toQuery(
  { view, ranges }: Scope,
  input: { anchor?: string | undefined; lines?: string | undefined; depth: number },
) {
  const [range] = ranges ?? []
  return {
    file: view.path,
    ...(input.anchor !== undefined && { anchor: input.anchor }),
    ...(input.lines !== undefined && range !== undefined && { lines: [range.start, range.end] }),
    depth: input.depth,
  }
}

function notesFor({ settings }: Code, { view, notices }: Scope): string[] {
  if (isIncluded(settings, view.path)) return [...notices]
  return [...notices, `${view.path} is left out by ultragit.include or ultragit.exclude.`]
}
