import * as z from 'zod'
import { agentId, findReader } from '../agent/acting-agent.ts'
import { isPerson, OWNER_ID } from '../agent/agent.ts'
import { defineOperation } from '../core/operation.ts'
import type { EntityRow } from '../entity/store.ts'
import { findOpenQuestions } from './questions.ts'
import { showInboxBlocks } from './show.ts'
import { messageView, toMessageView } from './view.ts'

const MOST_DECISIONS = 20

const waitingEntity = z.object({
  number: z.int(),
  type: z.string(),
  title: z.string(),
  by: z.string().optional(),
})

const inbox = z.object({
  questions: z.array(messageView).describe('Messages to the owner that wait for an answer'),
  notes: z.array(waitingEntity).describe('Notes tagged "question" without the tag "answered"'),
  proposed: z.array(waitingEntity).describe('Decisions that are proposed'),
  messages: z.array(messageView).describe('Other unread messages'),
  unread: z.int().describe('Unread messages in all'),
})
export type Inbox = z.output<typeof inbox>

export const showInbox = defineOperation({
  name: 'message.inbox',
  summary: 'Show what waits for you: questions, proposed decisions and unread messages',
  example: '',
  effect: 'read',
  personal: true,
  input: z.object({
    limit: z.int().min(1).max(200).default(50).describe('How many messages at most'),
    agent_id: agentId,
  }),
  output: inbox,
  async run(context, { limit, agent_id }) {
    const { store, agent } = context
    const reader = await findReader(context, agent_id)
    const unread = reader === undefined ? 0 : await store.messages.countUnread(reader)
    const query = { unreadOnly: true, limit }
    const received = reader === undefined ? [] : await store.messages.inbox(reader, query)
    if (agent_id !== undefined || !isPerson(agent)) {
      const messages = received.map(toMessageView)
      return { questions: [], notes: [], proposed: [], messages, unread }
    }
    const { messages, notes } = await findOpenQuestions(store)
    const decisions = { type: 'decision', statuses: ['proposed'], limit: MOST_DECISIONS }
    const proposed = await store.entities.latest(decisions)
    return {
      questions: messages.map((message) => toMessageView({ ...message, readAt: null })),
      notes: notes.map(toWaiting),
      proposed: proposed.entities.map(toWaiting),
      messages: received.filter(({ toAgent }) => toAgent !== OWNER_ID).map(toMessageView),
      unread,
    }
  },
  show: showInboxBlocks,
})

function toWaiting({ number, type, title, createdBy }: EntityRow) {
  return { number, type, title, ...(createdBy !== null && { by: createdBy }) }
}
