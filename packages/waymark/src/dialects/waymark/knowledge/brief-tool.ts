import * as z from 'zod'
import { showBrief } from '../../../brief/operations.ts'
import type { DialectTool } from '../../dialect.ts'
import { define, maxTokens, pick, words } from '../define-tool.ts'

export function briefTool(): DialectTool {
  return define({
    name: 'brief',
    description:
      'Call first, and when lost: next step, your claims, messages, ready tasks, who else is here, news; for paths or topic: decisions, notes, reserved paths.',
    input: z.object({
      paths: words.optional().describe('files you will touch'),
      topic: z.string().optional(),
      max_tokens: maxTokens,
    }),
    // Hosts that search for tools load this one at once; it names the others.
    meta: { 'anthropic/alwaysLoad': true },
    operation: showBrief,
    toInput: (args) => args,
    toResult: withoutEmpty,
  })
}

/** What to do next comes first, and parts that are empty are not there. */
export function withoutEmpty(brief: z.output<typeof showBrief.output>) {
  const { next, unread, ready_total, cursor, left_out } = brief
  return {
    next,
    ...pick(brief, ['leases', 'messages', 'reserved', 'notes', 'ready', 'decisions', 'code']),
    ...pick(brief, ['questions', 'agents', 'changes']),
    unread,
    ready_total,
    ...pick(brief, ['asked_owner', 'since']),
    cursor,
    ...pick(brief, ['changes_after']),
    ...(Object.keys(left_out).length > 0 && { left_out }),
  }
}
