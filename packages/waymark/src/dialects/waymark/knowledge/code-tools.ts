import * as z from 'zod'
import { annotateCode } from '../../../annotation/write/annotate.ts'
import type { WhyView } from '../../../annotation/read/view.ts'
import { whyCode } from '../../../annotation/read/why.ts'
import type { DialectTool } from '../../dialect.ts'
import { shorten, tokensOf } from '../budget.ts'
import { define, maxTokens, pick, words } from '../define-tool.ts'

const text = z.string().optional()
const SHORT_COMMIT = 10

export function codeTools(): readonly DialectTool[] {
  return [whyTool(), annotateTool()]
}

function whyTool(): DialectTool {
  return define({
    name: 'code_why',
    description:
      'Before you change a file: why it is the way it is, what must stay true, what depends on it.',
    input: z.object({
      path: z.string(),
      anchor: text.describe('function or type'),
      lines: text.describe('42:67'),
      max_tokens: maxTokens,
    }),
    operation: whyCode,
    toInput: (args) => ({ ...args, max_tokens: tokensOf(args) }),
    toFitting: (known, args) => shorten(known, args, withoutSchema),
    toResult: withoutSchema,
  })
}

function withoutSchema({ $schema: _schema, ...known }: WhyView) {
  return known
}

function annotateTool(): DialectTool {
  // Loose because the operation knows more fields than are worth listing, and refuses all others.
  const region = z.looseObject({
    file: z.string(),
    anchor: text,
    lines: text,
    intent: z.string().describe('why it is this way'),
    constraints: words.optional(),
  })
  return define({
    name: 'annotate',
    description: 'After a commit: record why the code is as it is. regions: places in it.',
    input: z.object({
      summary: text,
      commit: text.describe('default HEAD'),
      regions: z.array(region).optional(),
      links: words.optional().describe('numbers of decisions, tasks'),
    }),
    operation: annotateCode,
    toInput: (args) => args,
    toResult: ({ commit, regions_written, warnings }) => ({
      commit: commit.slice(0, SHORT_COMMIT),
      regions_written,
      ...pick({ warnings }, ['warnings']),
    }),
  })
}
