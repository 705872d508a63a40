import * as z from 'zod'
import { CHANGED_PARTS, FRESHNESS_STATES } from '../freshness.ts'
import {
  CONSTRAINT_SOURCES,
  CONTEXT_LEVELS,
  CORRECTION_TYPES,
  PROVENANCE_OPERATIONS,
  REGION_KINDS,
} from '../record.ts'
import { subjectOf } from '../../git/history/commits.ts'
import { hunksIn } from '../../git/history/blame.ts'
import { describeEvidence } from './describe-evidence.ts'
import type { FileView } from './file-view.ts'
import type { LocatedRegion } from './find-regions.ts'
import type { Code } from '../write/open-code.ts'
import type { CommitId } from '../../git/history/commit-id.ts'

export const lineRange = z.object({ start: z.int(), end: z.int() })
export const constraint = z.object({ text: z.string(), source: z.enum(CONSTRAINT_SOURCES) })
export const link = z.object({
  type: z.string(),
  id: z.string(),
  number: z.int().optional(),
  title: z.string().optional(),
})
const anchor = z.object({
  type: z.string(),
  name: z.string(),
  signature: z.string().optional(),
})

export const freshnessView = z.object({
  state: z.enum(FRESHNESS_STATES),
  changed: z.array(z.enum(CHANGED_PARTS)).optional(),
  changed_by: z.array(z.object({ commit: z.string(), subject: z.string() })).optional(),
  was: z
    .object({
      file: z.string().optional(),
      anchor: z.string().optional(),
      lines: lineRange.optional(),
    })
    .optional(),
  evidence: z
    .string()
    .optional()
    .describe('Why this code is taken for the annotated one, where it is not unchanged'),
  reverted_by: z.string().optional().describe('Commit that took the annotated one back'),
  commits_since: z.int(),
})

export type FreshnessView = z.output<typeof freshnessView>

export const correctionView = z.object({
  field: z.string().optional(),
  correction_type: z.enum(CORRECTION_TYPES),
  correction_text: z.string(),
  target_value: z.string().optional(),
  replacement: z.string().optional(),
  timestamp: z.string(),
  author: z.string(),
})
export type CorrectionView = z.output<typeof correctionView>

export const regionView = z.object({
  record: z.string().describe('Id of the annotation'),
  commit: z.string(),
  timestamp: z.string(),
  author: z.string().optional(),
  context_level: z.enum(CONTEXT_LEVELS),
  confidence: z.number(),
  confidence_factors: z
    .object({
      recency: z.number(),
      context_level: z.number(),
      anchor_match: z.number(),
      provenance: z.number(),
      evidence: z.number().describe('1 if the code is unchanged; all others are multiplied by it'),
    })
    .optional(),
  freshness: freshnessView,
  file: z.string(),
  kind: z.enum(REGION_KINDS),
  ast_anchor: anchor.optional(),
  lines: lineRange.optional().describe('Lines of today'),
  intent: z.string(),
  reasoning: z.string().optional(),
  constraints: z.array(constraint).optional(),
  semantic_dependencies: z
    .array(z.object({ file: z.string(), anchor: z.string(), nature: z.string() }))
    .optional(),
  related: z
    .array(
      z.object({
        commit: z.string(),
        anchor: z.string(),
        relationship: z.string(),
        confidence: z.number(),
        intent: z.string(),
      }),
    )
    .optional(),
  tags: z.array(z.string()).optional(),
  risk_notes: z.string().optional(),
  corrections: z.array(correctionView).optional(),
  task: z.string().optional(),
  links: z.array(link).optional(),
  provenance: z
    .object({
      operation: z.enum(PROVENANCE_OPERATIONS),
      derived_from: z.array(z.string()),
      synthesis_notes: z.string().optional(),
    })
    .optional(),
  reattached: z
    .literal(true)
    .optional()
    .describe('Its commit is not in this history, but the code is exactly the same'),
})

export type RegionView = z.input<typeof regionView>

const MOST_CHANGERS = 3

/** A region as every answer shows it. What is empty is left out. */
export async function toRegionView(
  code: Code,
  view: FileView,
  located: LocatedRegion,
): Promise<RegionView> {
  const { record, region, verdict } = located
  const { unit, lines } = verdict
  const { provenance } = record
  return {
    record: record.id,
    commit: located.commit,
    timestamp: record.timestamp,
    ...filled('author', record.author),
    context_level: record.context_level,
    confidence: located.confidence,
    confidence_factors: located.factors,
    freshness: await toFreshness(code, view, located),
    file: located.path,
    kind: region.kind,
    ...filled('ast_anchor', unit === undefined ? region.ast_anchor : toAnchor(unit)),
    ...filled('lines', lines),
    intent: region.intent,
    ...filled('reasoning', region.reasoning),
    ...filled('constraints', [...region.constraints]),
    ...filled('semantic_dependencies', [...region.semantic_dependencies]),
    ...filled('tags', [...region.tags]),
    ...filled('risk_notes', region.risk_notes),
    ...filled('corrections', [...region.corrections]),
    ...filled('task', record.task),
    ...filled('links', [...record.links]),
    ...((provenance.operation !== 'initial' || provenance.derived_from.length > 0) && {
      provenance: {
        operation: provenance.operation,
        derived_from: [...provenance.derived_from],
        ...filled('synthesis_notes', provenance.synthesis_notes),
      },
    }),
    ...(located.isReattached && { reattached: true as const }),
  }
}

async function toFreshness(
  code: Code,
  view: FileView,
  located: LocatedRegion,
): Promise<FreshnessView> {
  const { verdict, region } = located
  const was = {
    ...(region.file !== located.path && { file: region.file }),
    ...(verdict.changed.includes('name') && filled('anchor', region.ast_anchor?.name)),
    ...(verdict.state === 'orphaned' && filled('lines', region.lines)),
  }
  return {
    state: verdict.state,
    ...filled('changed', [...verdict.changed]),
    ...filled('changed_by', await changersOf(code, view, located)),
    ...(Object.keys(was).length > 0 && { was }),
    ...filled('evidence', describeEvidence(verdict)),
    ...filled('reverted_by', located.revertedBy),
    commits_since: located.commitsSince,
  }
}

/** The newest commits that wrote lines of the region after it was annotated. */
async function changersOf(
  { repository }: Code,
  { history, uncommitted }: FileView,
  { verdict, committedAt }: LocatedRegion,
): Promise<{ commit: CommitId; subject: string }[]> {
  if (verdict.lines === undefined || history === undefined) return []
  if (!verdict.changed.some((part) => part !== 'file')) return []
  const lines = uncommitted.toOlder(verdict.lines)
  if (lines === undefined) return []
  const ids = new Set(hunksIn(history.blame, lines).map(({ commit }) => commit))
  const commits = await repository.commits.getAll([...ids])
  return commits
    .filter(({ at }) => at > committedAt)
    .toSorted((a, b) => b.at - a.at)
    .slice(0, MOST_CHANGERS)
    .map((commit) => ({ commit: commit.id, subject: subjectOf(commit) }))
}

function toAnchor({ type, name, signature }: { type: string; name: string; signature: string }) {
  return { type, name, signature }
}

/** `{ name: value }`, or nothing if there is nothing to tell. */
export function filled<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { [K in Name]?: Value } {
  const isEmpty = value === undefined || (Array.isArray(value) && value.length === 0)
  return (isEmpty ? {} : { [name]: value }) as { [K in Name]?: Value }
}
