import * as z from 'zod'
import { BRIEF_PARTS, fitBrief, nextStep } from './brief.ts'
import { defineOperation } from '../core/operation.ts'
import { oneLine } from '../core/input/schema.ts'
import { agentId, presentReader, readingAgentId } from '../agent/acting-agent.ts'
import { findCode } from './code.ts'
import { findChangedTwice, findChanges, noteBriefCursor } from './changes.ts'
import { findDecisions, findQuestions } from './knowledge.ts'
import { findNotes } from './notes.ts'
import { findOthers, findReserved } from './others.ts'
import { findLeases, findReady, findUnread } from './work.ts'
import { time } from '../entity/view.ts'
import { settleExpiredLeases } from '../task/lease/expire-leases.ts'
import { findOwnQuestions } from '../message/questions.ts'
import { showBriefLines } from './show.ts'
import { received } from '../sync/received.ts'

/** Fixed cost of a brief beyond its items. */
const FRAME_TOKENS = 118
/** With a topic or paths, news and other work leave the room to what is known about them. */
const FOCUSED = { ready: 5, changes: 3 } as const

const named = z.object({ number: z.int(), title: z.string() })
const authored = named.extend({ by: z.string().optional(), received: received.optional() })

const parts = z.object({
  leases: z.array(authored.extend({ fence: z.int(), expires_at: time, seconds_left: z.int() })),
  messages: z.array(
    z.object({
      id: z.int(),
      from: z.string(),
      from_owner: z.literal(true).optional(),
      severity: z.string(),
      text: z.string(),
    }),
  ),
  ready: z.array(
    authored.extend({
      priority: z.int(),
      due_date: z.string().optional(),
      assignee: z.string().optional(),
    }),
  ),
  decisions: z.array(
    authored.extend({
      status: z.string().optional(),
      code: z.string().optional().describe('What has become of the code that it belongs to'),
      updated: time,
    }),
  ),
  code: z.array(
    z.object({
      file: z.string(),
      at: z.string().optional(),
      kind: z.string(),
      text: z.string(),
      state: z.string().describe('What has become of the code since'),
      by: z.string().optional(),
    }),
  ),
  questions: z.array(authored),
  changed_twice: z.array(named.extend({ fields: z.array(z.string()) })),
  reserved: z.array(
    named.extend({ path: z.string(), pattern: z.string(), by: z.string(), until: time }),
  ),
  notes: z.array(
    authored.extend({
      kind: z.string().optional(),
      answer: z.string().optional().describe('If it is a question that was answered'),
    }),
  ),
  agents: z.array(
    named.partial().extend({
      name: z.string(),
      owner: z.literal(true).optional().describe('The person'),
      gone: z.literal(true).optional().describe('Its session has ended'),
      other_clone: z.literal(true).optional(),
      reserves: z.array(z.string()).optional().describe('Paths that are reserved with the task'),
    }),
  ),
  changes: z.array(authored.extend({ what: z.string(), at: time })),
})
export type BriefParts = z.output<typeof parts>

const briefView = parts.extend({
  reserved: parts.shape.reserved
    .optional()
    .describe('Paths of yours that other agents have reserved, with holder and task'),
  notes: parts.shape.notes
    .optional()
    .describe('Notes about topic, paths or your task; dead ends and gotchas first'),
  changed_twice: parts.shape.changed_twice
    .optional()
    .describe('Changed on both sides of a sync, and only the later change stands: choose'),
  agents: parts.shape.agents.optional().describe('Who else is here, and the task they hold'),
  next: z.string().describe('The one thing to do now'),
  unread: z.int().describe('Unread messages in all'),
  asked_owner: z
    .array(z.object({ id: z.int(), text: z.string() }))
    .describe('Your questions that the person has not answered yet'),
  ready_total: z.int().describe('Ready tasks in all'),
  since: time.optional().describe('When you looked last; changes are those since then'),
  cursor: z.int().describe('The newest event; events after it are news to you'),
  changes_after: z
    .int()
    .optional()
    .describe('If changes were left out: the cursor of your last look, to read the events from'),
  left_out: z.partialRecord(z.enum(BRIEF_PARTS), z.int()).describe('What did not fit'),
})
export type Brief = z.output<typeof briefView>

export const showBrief = defineOperation({
  name: 'brief.show',
  summary: 'Say where you are: what to do next, your leases, messages, ready work and news',
  example: '"rework the parser" --path src/parser.ts',
  effect: 'read',
  personal: true,
  input: z.object({
    paths: z
      .array(oneLine({ max: 1024 }))
      .max(20)
      .default([])
      .describe('Files that you are about to work on; else those that differ from the last commit'),
    topic: oneLine({ max: 2000 }).optional().describe('What you are about to do, in your words'),
    max_tokens: z.int().min(200).max(8000).default(1000).describe('How long it may be'),
    agent_id: agentId,
  }),
  output: briefView,
  positional: ['topic'],
  async run(context, { paths: named, topic, max_tokens, agent_id }) {
    await settleExpiredLeases(context)
    const me = readingAgentId(context, agent_id)
    const now = await context.store.now(context)
    const leases = await findLeases(context, me, now)
    const { messages, unread } = await findUnread(context, await presentReader(context, agent_id))
    const { ready, total, open, ...why } = await findReady(context, me, now)
    const { paths, code, linked } = await findCode(context, named)
    const about = { paths, topic, task: leases[0]?.number, linked }
    const { changes, total: changed, since, lastCursor, cursor } = await findChanges(context, me)
    const { questions, total: asked } = await findQuestions(context)
    const isFocused = topic !== undefined || named.length > 0
    const others = await findOthers(context, { agentId: me, now })
    const found: BriefParts = {
      leases,
      messages,
      reserved: await findReserved(context, paths, { agentId: me, now }),
      notes: await findNotes(context, about),
      ready: isFocused ? ready.slice(0, FOCUSED.ready) : ready,
      decisions: await findDecisions(context, about),
      code: [...code],
      changed_twice: await findChangedTwice(context),
      questions,
      agents: others.agents,
      changes: isFocused ? changes.slice(0, FOCUSED.changes) : changes,
    }
    const { kept, leftOut } = fitBrief(found, max_tokens - FRAME_TOKENS)
    const changesLeft = changed - kept.changes.length
    await noteBriefCursor(context, me, { eventId: cursor, at: now })
    return {
      next: nextStep({ leases, messages, unread, ready, blocked: open - total, ...why }),
      ...withoutEmpty(kept),
      unread,
      asked_owner: await findOwnQuestions(context, me),
      ready_total: total,
      ...(since !== undefined && { since }),
      cursor,
      ...(changesLeft > 0 && lastCursor !== undefined && { changes_after: lastCursor }),
      left_out: {
        ...leftOut,
        ...beyond('messages', unread - kept.messages.length),
        ...beyond('ready', total - kept.ready.length),
        ...beyond('questions', asked - kept.questions.length),
        ...beyond('agents', others.total - kept.agents.length),
        ...beyond('changes', changesLeft),
      },
    }
  },
  show: showBriefLines,
})

/** Parts that were added later are absent where they are empty: in most briefs they are. */
function withoutEmpty({ reserved, notes, agents, changed_twice, ...parts }: BriefParts) {
  return {
    ...parts,
    ...(reserved.length > 0 && { reserved }),
    ...(notes.length > 0 && { notes }),
    ...(agents.length > 0 && { agents }),
    ...(changed_twice.length > 0 && { changed_twice }),
  }
}

/** Counts omitted items, also those that were never read. */
function beyond(
  part: 'messages' | 'ready' | 'questions' | 'agents' | 'changes',
  count: number,
): Partial<Record<typeof part, number>> {
  return count > 0 ? { [part]: count } : {}
}
