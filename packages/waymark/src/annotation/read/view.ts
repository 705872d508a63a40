import * as z from 'zod'
import { reservation } from '../../task/lock/locks.ts'
import { CONTEXT_LEVELS, PROVENANCE_OPERATIONS, REGION_KINDS } from '../record.ts'
import { constraint, freshnessView, lineRange, link, regionView } from '../region/region-view.ts'
import { authorship } from './authorship.ts'
import { commitSummaries } from '../summary/commit-summaries.ts'
import { concernView } from './concerns.ts'
import { dependentView } from './dependents.ts'
import { folderSummary } from '../summary/folder-summaries.ts'

const trimmedView = z.object({
  original_regions: z.int(),
  returned_regions: z.int(),
  dropped_commits: z.array(z.string()),
  strategy: z.literal('lowest_ranked_first'),
  estimated_tokens: z.int(),
})

export const readView = z.object({
  $schema: z.literal('ultragit-read/v1'),
  query: z.object({
    file: z.string(),
    anchor: z.string().optional(),
    lines: z.array(z.int()).optional(),
    depth: z.int(),
  }),
  notes: z.array(z.string()).optional().describe('How the question was understood'),
  regions: z.array(regionView),
  summaries: commitSummaries,
  dependencies_on_this: z
    .array(
      z.object({
        from_file: z.string(),
        from_anchor: z.string(),
        nature: z.string(),
        commit: z.string(),
        confidence: z.number(),
      }),
    )
    .optional(),
  cross_cutting: z.array(concernView).optional(),
  stats: z.object({
    commits_examined: z.int(),
    annotations_found: z.int(),
    regions_returned: z.int(),
    related_hops: z.int(),
  }),
  trimmed: trimmedView.optional(),
})
export type ReadView = z.output<typeof readView>

const statement = z.object({
  text: z.string(),
  detail: z.string().optional(),
  at: z.string().optional().describe('Symbol or lines it is about'),
  state: freshnessView.shape.state,
  changed: freshnessView.shape.changed,
  evidence: freshnessView.shape.evidence,
  reverted_by: freshnessView.shape.reverted_by,
  by: z.string().optional(),
  commit: z.string(),
  confidence: z.number(),
})
export type Statement = z.output<typeof statement>

export const whyView = z.object({
  $schema: z.literal('waymark-why/v1'),
  file: z.string(),
  symbols: z.array(z.object({ name: z.string(), lines: lineRange })).optional(),
  notes: z
    .array(z.string())
    .optional()
    .describe('How the question was understood, and what was left out'),
  reserved_by: z.array(reservation).optional().describe('Who is working on this file now'),
  must_hold: z.array(statement).optional().describe('Constraints'),
  reasons: z.array(statement).optional().describe('Why it is this way'),
  summaries: commitSummaries,
  learned: z.array(statement).optional().describe('Gotchas, dead ends and insights'),
  risks: z.array(statement).optional(),
  unfinished: z.array(statement).optional(),
  relied_on_by: z
    .array(
      dependentView.pick({
        file: true,
        anchor: true,
        nature: true,
        state: true,
        confidence: true,
      }),
    )
    .optional(),
  relies_on: z
    .array(z.object({ file: z.string(), anchor: z.string(), nature: z.string() }))
    .optional(),
  together_with: z.array(concernView).optional(),
  belongs_to: z.array(link).optional().describe('Decisions and tasks'),
  last_commits: z
    .array(
      z.object({ commit: z.string(), subject: z.string(), author: z.string(), date: z.string() }),
    )
    .optional(),
  written_by: z
    .array(authorship)
    .optional()
    .describe('Which agent wrote the lines, where that was recorded'),
})
export type WhyView = z.output<typeof whyView>

const timelineEntry = z.object({
  commit: z.string(),
  timestamp: z.string(),
  commit_message: z.string().describe('First line of the message'),
  author: z.string().optional(),
  context_level: z.enum(CONTEXT_LEVELS),
  provenance: z.enum(PROVENANCE_OPERATIONS),
  anchor: z.string().optional(),
  kind: z.enum(REGION_KINDS),
  intent: z.string(),
  reasoning: z.string().optional(),
  constraints: z.array(constraint).optional(),
  risk_notes: z.string().optional(),
  state: freshnessView.shape.state,
  evidence: freshnessView.shape.evidence,
  gone_by: z.string().optional().describe('Commit that deleted the code'),
  reverted_by: freshnessView.shape.reverted_by,
  related_context: z
    .array(
      z.object({
        commit: z.string(),
        anchor: z.string(),
        relationship: z.string(),
        intent: z.string(),
      }),
    )
    .optional(),
})
export type TimelineEntry = z.output<typeof timelineEntry>

export const historyView = z.object({
  $schema: z.literal('ultragit-history/v1'),
  query: z.object({ file: z.string(), anchor: z.string().optional() }),
  notes: z.array(z.string()).optional().describe('How the question was understood'),
  timeline: z.array(timelineEntry),
  summaries: commitSummaries,
  stats: z.object({
    commits_in_blame: z.int(),
    annotations_found: z.int(),
    related_followed: z.int(),
  }),
})
export type HistoryView = z.output<typeof historyView>

const unitView = z.object({
  file: z.string(),
  anchor: z.object({ type: z.string(), name: z.string(), signature: z.string().optional() }),
  lines: lineRange.optional(),
  kind: z.enum(REGION_KINDS),
  intent: z.string(),
  constraints: z.array(constraint).optional(),
  risk_notes: z.string().optional(),
  last_modified: z.string().describe('When it was annotated'),
  commit: z.string(),
  confidence: z.number(),
  state: freshnessView.shape.state,
})

export type UnitSummary = z.output<typeof unitView>

export const summaryView = z.object({
  $schema: z.literal('ultragit-summary/v1'),
  query: z.object({ path: z.string(), anchor: z.string().optional() }),
  notes: z
    .array(z.string())
    .optional()
    .describe('How the question was understood, what is not shown'),
  units: z.array(unitView),
  summaries: z
    .array(folderSummary)
    .optional()
    .describe('What was said of whole commits that changed this file or folder, newest first'),
  stats: z.object({
    files: z.int().describe('Files that were looked at'),
    ast_units_in_file: z.int(),
    annotated_units: z.int(),
    unannotated_units: z.int(),
  }),
})
export type SummaryView = z.output<typeof summaryView>

export const dependentsView = z.object({
  $schema: z.literal('ultragit-deps/v1'),
  query: z.object({ file: z.string(), anchor: z.string().optional() }),
  notes: z.array(z.string()).optional().describe('How the question was understood'),
  dependents: z.array(dependentView),
  stats: z.object({
    commits_scanned: z.int(),
    dependencies_found: z.int(),
    scan_method: z.literal('reverse_index'),
  }),
})
export type DependentsView = z.output<typeof dependentsView>
