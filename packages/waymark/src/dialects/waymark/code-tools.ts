import * as z from 'zod'
import { annotateCode } from '../../annotation/write/annotate.ts'
import { readCode } from '../../annotation/read/read.ts'
import type { RegionView } from '../../annotation/region/region-view.ts'
import type { DialectTool } from '../dialect.ts'
import { shorten, tokensOf } from './budget.ts'
import { define, type Fields, maxTokens, pick, plain, titled, words } from './define-tool.ts'

const text = z.string().optional()
const SHORT_COMMIT = 10

export function codeTools(): readonly DialectTool[] {
  return [whyTool(), annotateTool()]
}

function whyTool(): DialectTool {
  return define({
    name: 'code_why',
    description:
      'Before you change code: why it is so, what must stay true, what depends on it, checked against today’s code.',
    input: z.object({
      path: z.string(),
      anchor: text.describe('function or type'),
      lines: text.describe('42:67'),
      max_tokens: maxTokens,
    }),
    operations: [readCode],
    toInput: (args) => ({ ...args, max_tokens: tokensOf(args) }),
    toResult: (output, args) => {
      const { regions, dependencies_on_this, cross_cutting, notes, trimmed } = output
      return {
        regions: shorten((regions as RegionView[]).map(toRegionRow), args),
        ...pick({ dependencies_on_this, cross_cutting, notes, trimmed }, [
          'dependencies_on_this',
          'cross_cutting',
          'notes',
          'trimmed',
        ]),
      }
    },
    toText: whyLines,
  })
}

function toRegionRow(region: RegionView): Fields {
  const { lines, constraints, freshness, commit, timestamp, ast_anchor } = region
  return {
    ...pick({ ...region, anchor: ast_anchor?.name }, ['file', 'anchor', 'kind', 'intent']),
    ...(lines !== undefined && { lines: `${lines.start}:${lines.end}` }),
    ...pick(region, ['reasoning', 'risk_notes', 'tags', 'author']),
    ...pick({ constraints: constraints?.map((each) => each.text) }, ['constraints']),
    freshness: freshness.state,
    confidence: region.confidence,
    commit: commit.slice(0, SHORT_COMMIT),
    date: timestamp.slice(0, 10),
  }
}

function whyLines({
  regions,
  dependencies_on_this,
  cross_cutting,
  notes,
  trimmed,
}: Fields): string {
  const rows = (regions as Fields[]).flatMap((row) => {
    const { file, anchor, lines, kind, intent, freshness, commit, date, author } = row
    const place = [file, anchor, lines].filter(Boolean).map(titled).join(' ')
    const origin = [freshness, commit, date, author].filter(Boolean).map(titled).join(', ')
    return [
      `${place} [${plain(kind)}] ${titled(intent)} (${origin})`,
      ...detail('why', row['reasoning']),
      ...detail('must hold', row['constraints']),
      ...detail('risk', row['risk_notes']),
    ]
  })
  const dependents = ((dependencies_on_this as Fields[] | undefined) ?? []).map(
    ({ from_file, from_anchor, nature }) =>
      `depends on this: ${titled(from_file)} ${titled(from_anchor)}: ${plain(nature)}`,
  )
  const concerns = ((cross_cutting as Fields[] | undefined) ?? []).map(
    ({ description }) => `with other places: ${plain(description)}`,
  )
  const lines = [
    ...rows,
    ...dependents,
    ...concerns,
    ...((notes as string[] | undefined) ?? []).map(plain),
  ]
  if (lines.length === 0) return 'nothing is recorded about this code'
  return [...lines, ...(trimmed === undefined ? [] : ['there is more: raise max_tokens'])].join(
    '\n',
  )
}

function detail(name: string, value: unknown): readonly string[] {
  return value === undefined ? [] : [`  ${name}: ${plain(value)}`]
}

function annotateTool(): DialectTool {
  // Loose because the operation knows more fields than are worth listing, and refuses all others.
  const region = z.looseObject({
    file: z.string(),
    anchor: text,
    lines: text,
    intent: z.string().describe('why it is so'),
    constraints: words.optional(),
  })
  return define({
    name: 'annotate',
    description: 'After a commit: record why the code is as it is, for whoever changes it next.',
    input: z.object({
      summary: text,
      commit: text.describe('default HEAD'),
      regions: z.array(region).optional(),
      links: words.optional().describe('numbers of decisions, tasks'),
    }),
    operations: [annotateCode],
    toInput: (args) => args,
    toResult: ({ commit, regions_written, warnings }) => ({
      commit: plain(commit).slice(0, SHORT_COMMIT),
      regions_written,
      ...pick({ warnings }, ['warnings']),
    }),
    toText: ({ commit, regions_written, warnings }) =>
      [
        `annotated ${plain(commit)}: ${plain(regions_written)} regions`,
        ...((warnings as string[] | undefined) ?? []).map(plain),
      ].join('\n'),
  })
}
