import * as z from 'zod'
import { countLines, sliceLines } from '../outline/lines.ts'
import { oneLine } from '../../core/input/schema.ts'
import { defineOperation } from '../../core/operation.ts'
import { BLANK, type Block, bold, dim, type Line, line, own, yellow } from '../../core/show.ts'
import { findRegions } from '../region/find-regions.ts'
import { openAnnotatedCode, openAnnotatedCommit } from '../write/open-code.ts'
import {
  type CommitSummary,
  commitSummaries,
  findSummaries,
  toCommitSummaries,
} from '../summary/commit-summaries.ts'
import { blamedRanges, blameOf, namedCommit, toNamedCommit } from '../region/blame-view.ts'
import { rank } from './read.ts'
import { nameLinks } from '../region/name-links.ts'
import { filled, regionView, type RegionView, toRegionView } from '../region/region-view.ts'
import { anchor, isInScope, lines, path, resolveScope } from '../region/scope.ts'
import { shortCommit } from '../show.ts'

const MOST_LINES = 5_000

const marginView = z.object({
  $schema: z.literal('waymark-view/v1'),
  file: z.string(),
  notes: z.array(z.string()).optional().describe('How the question was understood'),
  first_line: z.int(),
  lines: z.array(z.string()),
  regions: z.array(regionView),
  summaries: commitSummaries,
  rev: namedCommit.optional().describe('The commit that was asked for'),
  blame: blamedRanges.optional(),
  commits: z.array(namedCommit).optional().describe('Those that blame names, newest first'),
})
type MarginView = z.output<typeof marginView>

export const showCode = defineOperation({
  name: 'code.show',
  summary: 'Show a file with its annotations in the margin',
  example: 'src/client.ts',
  effect: 'read',
  input: z.object({
    path,
    anchor,
    lines,
    rev: oneLine({ max: 200 })
      .optional()
      .describe('Commit, branch or tag to show the file at; otherwise as it is now'),
    blame: z.boolean().default(false).describe('Also who last changed each line'),
  }),
  output: marginView,
  positional: ['path', 'anchor'],
  async run(context, input) {
    const { rev } = input
    const code =
      rev === undefined
        ? await openAnnotatedCode(context, input.path)
        : await openAnnotatedCommit(context, rev)
    const scope = await resolveScope(code, input)
    const { view, ranges, notices } = scope
    const { text } = view.file
    const count = countLines(text)
    const first = Math.min(...(ranges?.map(({ start }) => start) ?? [1]))
    const last = Math.min(
      count,
      first + MOST_LINES - 1,
      Math.max(...(ranges?.map(({ end }) => end) ?? [count])),
    )
    const found = (await findRegions(code, view)).filter((each) => isInScope(scope, each))
    const ranked = await Promise.all(rank(found).map((each) => toRegionView(code, view, each)))
    const regions = await nameLinks(context, ranked)
    const { summaries, notes } = toCommitSummaries(await findSummaries(code, scope, found))
    return {
      $schema: 'waymark-view/v1' as const,
      file: view.path,
      ...filled('notes', [...notices, ...notes]),
      first_line: first,
      lines: last < first ? [] : sliceLines(text, { start: first, end: last }).split('\n'),
      regions,
      ...filled('summaries', summaries),
      ...(rev !== undefined && code.head && { rev: toNamedCommit(code.head) }),
      ...(input.blame && (await blameOf(code, view, { start: first, end: last }))),
    }
  },
  show: showMargin,
})

/** A letter in the margin of each annotated line, and below the file what each letter stands for. */
function showMargin(view: MarginView): readonly Block[] {
  const { file, first_line: first, lines, regions, summaries = [] } = view
  const legend = [...regions.map(showMark), ...summaries.map(showSummary)]
  return [
    bold(file),
    ...lines.map((text, at) => showSourceLine(text, first + at, regions)),
    ...(legend.length === 0 ? [] : [BLANK, ...legend]),
  ]
}

const WIDEST_MARGIN = 3
const MARKS = 'abcdefghijklmnopqrstuvwxyz'

function markOf(at: number): string {
  return MARKS.charAt(at % MARKS.length)
}

function showSourceLine(text: string, number: number, regions: readonly RegionView[]): Line {
  // A region without lines is about the whole file and marks none of them.
  const marks = regions.map(({ lines }, at) =>
    lines !== undefined && lines.start <= number && number <= lines.end ? markOf(at) : '',
  )
  const margin = marks.join('').slice(0, WIDEST_MARGIN).padEnd(WIDEST_MARGIN)
  const shown = text.replaceAll('\t', '    ')
  return line`${dim(String(number).padStart(5))} ${yellow(own(margin))}│ ${shown}`
}

function showMark({ intent, freshness, commit, author }: RegionView, at: number): Line {
  const origin = showOrigin({ state: freshness.state, commit, by: author })
  return line`${yellow(own(markOf(at)))} ${intent} ${origin}`
}

/** Applies to the whole file, so it has no letter. */
function showSummary({ text, ...origin }: CommitSummary): Line {
  return line`* ${text} ${showOrigin(origin)}`
}

function showOrigin({ state, commit, by }: Pick<CommitSummary, 'state' | 'commit' | 'by'>): Line {
  const who = by === undefined ? undefined : line` — ${by}`
  return dim(line`(${state}, ${shortCommit(commit)}${who})`)
}
