import * as z from 'zod'
import type { ReadContext } from '../../core/context.ts'
import { toRepositoryPath } from '../place.ts'
import { cutText } from '../../support/text/reply-budget.ts'
import { fitLists, toLeftOutNotes } from './fit-lists.ts'
import { subjectOf } from '../../git/history/commits.ts'
import { defineOperation } from '../../core/operation.ts'
import { readingAgentId } from '../../agent/acting-agent.ts'
import { locksOn } from '../../task/lock/locks.ts'
import { readAuthorship } from './authorship.ts'
import {
  type CommitSummary,
  findSummaries,
  type SummarisedCommit,
  toCommitSummaries,
} from '../summary/commit-summaries.ts'
import { findConcerns } from './concerns.ts'
import { findDependents, prefetchDependents } from './dependents.ts'
import { describeEvidence } from '../region/describe-evidence.ts'
import type { LocatedRegion } from '../region/find-regions.ts'
import { findInScope } from '../region/in-scope.ts'
import { type Code, openAnnotatedCode } from '../write/open-code.ts'
import { rank } from './read.ts'
import { filled } from '../region/region-view.ts'
import { showWhy } from './show.ts'
import { showWhyToAgent } from './show-agent.ts'
import { type Statement, whyView, type WhyView } from './view.ts'
import {
  anchor,
  blamedCommits,
  lines,
  path,
  resolveScopeSoon,
  type Scope,
} from '../region/scope.ts'

const DEFAULT_BUDGET = 2_000
const LAST_COMMITS = 3
/** A summary may be as long as an article; `code.read` has all of it. */
const LONGEST_SUMMARY = 1_000

export const whyCode = defineOperation({
  name: 'code.why',
  summary:
    'Before an edit: why this code is the way it is, what must stay true, who relies on it, what is open',
  example: 'src/client.ts Client.connect',
  effect: 'read',
  input: z.object({
    path,
    anchor,
    lines,
    max_tokens: z.int().min(100).default(DEFAULT_BUDGET).describe('Token budget of the answer'),
  }),
  output: whyView,
  positional: ['path', 'anchor'],
  async run(context, input) {
    const code = await openAnnotatedCode(context, input.path)
    const [scope] = await Promise.all([
      resolveScopeSoon(code, input),
      prefetchDependents(code, toRepositoryPath(code.repository.root, input.path)),
    ])
    const { found: all, notes: more } = await findInScope(code, scope)
    const found = rank(all)
    const summarised = await findSummaries(code, scope, found)
    const { summaries, notes } = toCommitSummaries(summarised)
    const [{ dependents }, concerns, locks, commits, links, written] = await Promise.all([
      findDependents(code, scope),
      findConcerns(code, scope),
      locksOn(context, scope.view.path, {
        agentId: readingAgentId(context),
        now: await context.store.now(context),
      }),
      lastCommits(code, scope),
      linksOf(context, [...found, ...summarised.slice(0, summaries.length)]),
      readAuthorship(code, scope),
    ])
    return shorten(input.max_tokens, {
      $schema: 'waymark-why/v1' as const,
      file: scope.view.path,
      ...filled(
        'symbols',
        scope.units.map(({ name, lines }) => ({ name, lines })),
      ),
      ...filled('notes', [...scope.notices, ...more, ...notes]),
      ...filled('reserved_by', locks.reserved),
      ...filled('must_hold', found.flatMap(constraintsOf)),
      ...filled('reasons', statementsOf(found, ['intent'])),
      ...filled('summaries', summaries.map(toShort)),
      ...filled('learned', statementsOf(found, ['gotcha', 'dead_end', 'insight'])),
      ...filled('risks', found.flatMap(risksOf)),
      ...filled('unfinished', statementsOf(found, ['unfinished'])),
      ...filled('relied_on_by', [...dependents]),
      ...filled(
        'relies_on',
        found.flatMap(({ region }) => [...region.semantic_dependencies]),
      ),
      ...filled('together_with', [...concerns]),
      ...filled('belongs_to', links),
      ...filled('last_commits', commits),
      ...filled('written_by', [...written]),
    })
  },
  show: showWhy,
  showToAgent: showWhyToAgent,
})

function toStatement(located: LocatedRegion, text: string, detail?: string): Statement {
  const { record, region, verdict, commit, confidence, revertedBy } = located
  const { unit, lines } = verdict
  const place = unit?.name ?? region.ast_anchor?.name ?? (lines && `${lines.start}:${lines.end}`)
  return {
    text,
    ...filled('detail', detail),
    ...filled('at', place),
    state: verdict.state,
    ...filled('changed', [...verdict.changed]),
    ...filled('evidence', describeEvidence(verdict)),
    ...filled('reverted_by', revertedBy?.slice(0, 12)),
    ...filled('by', record.author),
    commit: commit.slice(0, 12),
    confidence,
  }
}

function statementsOf(found: readonly LocatedRegion[], kinds: readonly string[]): Statement[] {
  return found
    .filter(({ region }) => kinds.includes(region.kind))
    .map((each) => {
      const { kind, intent, reasoning } = each.region
      return toStatement(
        each,
        kinds.length > 1 ? `${kind.replace('_', ' ')}: ${intent}` : intent,
        reasoning,
      )
    })
}

function constraintsOf(located: LocatedRegion): readonly Statement[] {
  const removed = new Set(
    located.region.corrections
      .filter(({ field, correction_type: type }) => field === 'constraints' && type === 'remove')
      .map(({ target_value: value }) => value),
  )
  return located.region.constraints
    .filter(({ text }) => !removed.has(text))
    .map(({ text, source }) =>
      toStatement(located, source === 'inferred' ? `(inferred) ${text}` : text),
    )
}

function risksOf(located: LocatedRegion): readonly Statement[] {
  const { risk_notes: risk } = located.region
  return risk === undefined ? [] : [toStatement(located, risk)]
}

function toShort(summary: CommitSummary): CommitSummary {
  const { text, commit } = summary
  return { ...summary, text: cutText(text, LONGEST_SUMMARY), commit: commit.slice(0, 12) }
}

async function lastCommits({ repository }: Code, { view, ranges }: Scope) {
  const commits = await repository.commits.getAll([...blamedCommits(view, ranges)])
  return commits
    .toSorted((a, b) => b.at - a.at)
    .slice(0, LAST_COMMITS)
    .map((commit) => ({
      commit: commit.id.slice(0, 12),
      subject: subjectOf(commit),
      author: commit.author,
      date: new Date(commit.at).toISOString().slice(0, 10),
    }))
}

async function linksOf(context: ReadContext, found: readonly Pick<SummarisedCommit, 'record'>[]) {
  const byId = new Map(found.flatMap(({ record }) => record.links).map((each) => [each.id, each]))
  return await Promise.all(
    [...byId.values()].map(async ({ type, id }) => {
      const entity = await context.store.entities.byId(id)
      return entity === undefined
        ? { type, id }
        : { type, id, number: entity.number, title: entity.title }
    }),
  )
}

/** From the list that matters least before an edit to the one that matters most. */
const CUT_FIRST = [
  'symbols',
  'written_by',
  'last_commits',
  'together_with',
  'relies_on',
  'belongs_to',
  'summaries',
  'risks',
  'learned',
  'reasons',
  'unfinished',
  'relied_on_by',
  'must_hold',
  'reserved_by',
] as const

function shorten(budget: number, answer: WhyView): WhyView {
  const fitted = fitLists(answer, {
    budget,
    order: CUT_FIRST,
    keepOne: ['must_hold', 'reserved_by'],
  })
  const told = toLeftOutNotes(fitted.leftOut)
  return told.length === 0
    ? answer
    : { ...fitted.answer, notes: [...(answer.notes ?? []), ...told] }
}
