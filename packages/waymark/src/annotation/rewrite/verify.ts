import * as z from 'zod'
import type { ReadContext } from '../../core/context.ts'
import { FRESHNESS_STATES, type FreshnessState } from '../freshness.ts'
import type { Region } from '../record.ts'
import { defineOperation } from '../../core/operation.ts'
import { type Block, joined, type Line, line, own, paragraphs } from '../../core/show.ts'
import { place, shortCommit, showNotes, showUnreadable } from '../show.ts'
import type { AnnotationRow } from '../store.ts'
import { annotatedFiles, viewAnnotatedFile } from '../region/annotated-files.ts'
import type { FileView } from '../region/file-view.ts'
import { locateSurely } from '../trace/locate-region.ts'
import { type Code, openAnnotatedCode } from '../write/open-code.ts'
import { filled } from '../region/region-view.ts'
import type { CommitId } from '../../git/history/commit-id.ts'

const problem = z.object({
  problem: z.enum(['unreachable', 'missing_commit', 'drifted', 'moved', 'orphaned', 'unknown']),
  commit: z.string(),
  record: z.string(),
  file: z.string().optional(),
  anchor: z.string().optional(),
  changed: z.array(z.string()).optional(),
  now: z.string().optional().describe('Where the code is today'),
})
type Problem = z.output<typeof problem>

const verifyView = z.object({
  $schema: z.literal('waymark-verify/v1'),
  commits: z.object({
    annotated: z.int(),
    here: z.int().describe('In the history that is checked out'),
    elsewhere: z.int().describe('Only on other branches or tags'),
    unreachable: z.int().describe('In this clone, but in no branch or tag'),
    missing: z.int().describe('Not in this clone'),
  }),
  records: z.int(),
  regions: z.record(z.enum(FRESHNESS_STATES), z.int()),
  unreadable: z.int().describe('Lines of notes that could not be read'),
  problems: z.array(problem),
  problems_total: z.int(),
  notes: z.array(z.string()).optional().describe('What to know about these figures'),
})
type VerifyView = z.output<typeof verifyView>

export const verifyAnnotations = defineOperation({
  name: 'code.verify',
  summary: 'Check all annotations: whose commits are lost, whose code has changed or is gone',
  example: '',
  effect: 'read',
  input: z.object({
    limit: z.int().min(0).max(1_000).default(100).describe('How many problems to list at most'),
  }),
  output: verifyView,
  async run(context, { limit }) {
    const code = await openAnnotatedCode(context)
    const { readRefs } = code.settings
    const [commits, counts] = await Promise.all([
      code.annotations.commits(readRefs),
      code.annotations.counts(readRefs),
    ])
    const standing = await standingOf(code, commits)
    const lost = await lostRecords(code, standing)
    const judged = await judgeAll(context, code, standing)
    const problems = [...lost, ...judged.problems]
    const count = (wanted: Standing) =>
      [...standing.values()].filter((one) => one === wanted).length
    return {
      $schema: 'waymark-verify/v1' as const,
      commits: {
        annotated: commits.length,
        here: count('here'),
        elsewhere: count('elsewhere'),
        unreachable: count('unreachable'),
        missing: count('missing'),
      },
      records: counts.records,
      regions: judged.regions,
      unreadable: counts.unreadable,
      problems: problems.slice(0, limit),
      problems_total: problems.length,
      ...filled('notes', [...code.notices]),
    }
  },
  show: showVerify,
})

export type Standing = 'here' | 'elsewhere' | 'unreachable' | 'missing'

/** Where each commit stands: in the checked out history, on another branch, nowhere, or not even in this clone. */
export async function standingOf(
  { repository, head }: Code,
  commits: readonly CommitId[],
): Promise<ReadonlyMap<CommitId, Standing>> {
  if (head === undefined) return new Map(commits.map((commit) => [commit, 'missing']))
  const reach = await repository.reachable.from(head.id, commits)
  const doubtful = commits.filter((commit) => reach.get(commit) === 'elsewhere')
  const lost = await repository.reachable.unreferenced(doubtful)
  return new Map(
    commits.map((commit): [CommitId, Standing] => {
      const found = reach.get(commit) ?? 'missing'
      return [commit, lost.has(commit) ? 'unreachable' : found]
    }),
  )
}

async function lostRecords(
  { settings, annotations }: Code,
  standing: ReadonlyMap<CommitId, Standing>,
): Promise<readonly Problem[]> {
  const lost = [...standing].filter(([, one]) => one === 'unreachable' || one === 'missing')
  const commits = lost.map(([commit]) => commit)
  const rows = await annotations.ofCommits(settings.readRefs, commits)
  // A record with a copy in the current history is not lost.
  const alive = new Set<string>()
  for (const { record } of rows) {
    const copies = await annotations.byRecord(settings.readRefs, record.id)
    if (copies.some(({ commit }) => isAlive(standing.get(commit)))) alive.add(record.id)
  }
  return rows
    .filter(({ record }) => !alive.has(record.id))
    .map(({ commit, record }) => ({
      problem: standing.get(commit) === 'missing' ? 'missing_commit' : 'unreachable',
      commit,
      record: record.id,
    }))
}

function isAlive(standing: Standing | undefined): boolean {
  return standing === 'here' || standing === 'elsewhere'
}

interface Judged {
  readonly regions: Record<FreshnessState, number>
  readonly problems: readonly Problem[]
}

/** Compares every region of the checked out history with the current code. */
async function judgeAll(
  context: ReadContext,
  code: Code,
  standing: ReadonlyMap<CommitId, Standing>,
): Promise<Judged> {
  const regions = { fresh: 0, drifted: 0, moved: 0, orphaned: 0, unknown: 0 }
  const problems: Problem[] = []
  for (const file of await annotatedFiles(code)) {
    const view = await viewAnnotatedFile(code, file)
    const rows = await code.annotations.inFiles({
      refs: code.settings.readRefs,
      role: 'region',
      paths: file.names,
    })
    for (const row of rows.filter(({ commit }) => standing.get(commit) === 'here')) {
      for (const region of row.record.regions.filter((each) => file.names.includes(each.file))) {
        const found = await judge(code, view, row, region)
        regions[found.state] += 1
        if (found.problem !== undefined) problems.push(found.problem)
      }
    }
    context.signal.throwIfAborted()
  }
  return { regions, problems }
}

async function judge(
  code: Code,
  view: FileView | undefined,
  { commit, record }: AnnotationRow,
  region: Region,
): Promise<{ readonly state: FreshnessState; readonly problem?: Problem }> {
  const { state, changed, unit } =
    view === undefined
      ? { state: 'orphaned' as const, changed: [], unit: undefined }
      : await locateSurely(code.repository, view, { commit, region })
  if (state === 'fresh') return { state }
  const place = [view?.path, unit?.name].filter((part) => part !== undefined)
  return {
    state,
    problem: {
      problem: state,
      commit,
      record: record.id,
      file: region.file,
      ...filled('anchor', region.ast_anchor?.name),
      ...filled('changed', [...changed]),
      ...(state === 'moved' && { now: place.join(':') }),
    },
  }
}

function showVerify(view: VerifyView): readonly Block[] {
  const { notes, commits, regions, unreadable, problems } = view
  return paragraphs([
    showNotes(notes),
    [line`commits: ${showCounts(commits)}`],
    [line`regions: ${showCounts(regions)}`],
    showUnreadable(unreadable),
    problems.length > 0
      ? problems.map(showProblem)
      : [line`everything ${unreadable > 0 ? 'else ' : ''}is where it should be`],
  ])
}

function showCounts(counts: Readonly<Record<string, number>>): Line {
  return joined(Object.entries(counts).map(([name, count]) => line`${count} ${own(name)}`))
}

function showProblem({ problem, file, anchor, now, commit }: Problem): Line {
  const where = file === undefined ? undefined : line` ${place(file, anchor)}`
  const today = now === undefined ? undefined : line` → ${now}`
  return line`- ${problem}:${where}${today} (commit ${shortCommit(commit)})`
}
