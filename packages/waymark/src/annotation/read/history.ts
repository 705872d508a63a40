import * as z from 'zod'
import type { ReadContext } from '../../core/context.ts'
import { subjectOf } from '../../git/history/commits.ts'
import { defineOperation } from '../../core/operation.ts'
import { findSummaries, toCommitSummaries } from '../summary/commit-summaries.ts'
import { describeEvidence } from '../region/describe-evidence.ts'
import type { LocatedRegion } from '../region/find-regions.ts'
import { findInScope } from '../region/in-scope.ts'
import { type Code, openAnnotatedCode } from '../write/open-code.ts'
import { filled } from '../region/region-view.ts'
import { showHistory } from './show.ts'
import { historyView, type TimelineEntry } from './view.ts'
import { followRelated } from '../region/related.ts'
import { anchor, blamedCommits, path, resolveScopeSoon } from '../region/scope.ts'

export const codeHistory = defineOperation({
  name: 'code.history',
  summary: 'Tell what changed in a file or symbol and why, step by step, oldest first',
  example: 'src/client.ts Client.connect',
  off: { follow_related: 'Only annotations of the file or symbol itself' },
  effect: 'read',
  input: z.object({
    path,
    anchor,
    limit: z
      .int()
      .min(1)
      .max(200)
      .optional()
      .describe('How many entries, the newest (default: 10)'),
    follow_related: z.boolean().default(true).describe('Also what the annotations refer to'),
  }),
  output: historyView,
  positional: ['path', 'anchor'],
  async run(context, input) {
    const code = await openAnnotatedCode(context, input.path)
    const scope = await resolveScopeSoon(code, input)
    const { found: all, notes: more } = await findInScope(code, scope)
    const found = all.toSorted(byTime)
    const limit = input.limit ?? code.settings.historyLimit
    const newest = found.slice(-limit)
    const { summaries, notes } = toCommitSummaries(await findSummaries(code, scope, found), limit)
    const depth = input.follow_related ? 1 : 0
    const timeline = await Promise.all(newest.map((each) => toEntry(context, code, each, depth)))
    return {
      $schema: 'ultragit-history/v1' as const,
      query: { file: scope.view.path, ...filled('anchor', input.anchor) },
      ...filled('notes', [...scope.notices, ...more, ...notes]),
      timeline,
      ...filled('summaries', summaries),
      stats: {
        commits_in_blame: blamedCommits(scope.view, scope.ranges).size,
        annotations_found: found.length,
        related_followed: timeline.flatMap((entry) => entry.related_context ?? []).length,
      },
    }
  },
  show: showHistory,
})

function byTime(a: LocatedRegion, b: LocatedRegion): number {
  return a.committedAt - b.committedAt || (a.record.timestamp < b.record.timestamp ? -1 : 1)
}

async function toEntry(
  context: ReadContext,
  code: Code,
  { commit, record, region, verdict, revertedBy }: LocatedRegion,
  depth: number,
): Promise<TimelineEntry> {
  const [known, related] = await Promise.all([
    code.repository.commits.get(commit),
    followRelated(code, region, depth),
  ])
  return {
    commit,
    timestamp: record.timestamp,
    commit_message: known === undefined ? '' : subjectOf(known),
    ...filled('author', record.author),
    context_level: record.context_level,
    provenance: record.provenance.operation,
    ...filled('anchor', region.ast_anchor?.name),
    kind: region.kind,
    intent: region.intent,
    ...filled('reasoning', region.reasoning),
    ...filled('constraints', [...region.constraints]),
    ...filled('risk_notes', region.risk_notes),
    state: verdict.state,
    ...filled('evidence', describeEvidence(verdict)),
    ...(verdict.state === 'orphaned' && filled('gone_by', verdict.evidence?.by)),
    ...filled('reverted_by', revertedBy),
    ...filled('related_context', [...related]),
  }
}
