import * as z from 'zod'
import { type Brief, showBrief } from '../../brief/operations.ts'
import { toBriefText } from '../../brief/text.ts'
import type { DialectTool } from '../dialect.ts'
import { define, type Fields, maxTokens, words } from './define-tool.ts'

export function briefTool(): DialectTool {
  return define({
    name: 'brief',
    description:
      'Call first, and when you lost track: what to do next, your claims, messages, ready tasks, news since you last looked, decisions that matter for paths or topic.',
    input: z.object({
      paths: words.optional().describe('files you will touch'),
      topic: z.string().optional(),
      max_tokens: maxTokens,
    }),
    operations: [showBrief],
    toInput: (args) => args,
    toResult: withoutEmpty,
    toText: (result) => toBriefText({ ...EMPTY, ...result } as unknown as Brief),
  })
}

const EMPTY = {
  leases: [],
  messages: [],
  ready: [],
  decisions: [],
  code: [],
  questions: [],
  changes: [],
  left_out: {},
}

/** What to do next comes first, and parts that are empty are not there. */
function withoutEmpty({ next, ...output }: Fields): Fields {
  return Object.fromEntries(
    Object.entries({ next, ...output }).filter(
      ([, value]) =>
        !(typeof value === 'object' && value !== null && Object.keys(value).length === 0),
    ),
  )
}
