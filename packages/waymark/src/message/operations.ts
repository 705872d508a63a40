import * as z from 'zod'
import type { ReadContext } from '../core/context.ts'
import { isPerson, OWNER_ID } from '../agent/agent.ts'
import { messageBody, severity, subject } from './message.ts'
import { reference } from '../entity/reference.ts'
import { Failure } from '../core/error.ts'
import { defineOperation } from '../core/operation.ts'
import { violation } from '../core/input/parse.ts'
import { oneLine } from '../core/input/schema.ts'
import type { AgentRow } from '../agent/store.ts'
import type { MessageRow, Reader, ReceivedMessage } from './store.ts'
import {
  actingAgent,
  agentId,
  presentReader,
  requirePerson,
  toReader,
} from '../agent/acting-agent.ts'
import { type Change, change } from '../core/change.ts'
import {
  findEverybodyBut,
  findRecipient,
  noAgent,
  ownerNameFor,
  type Recipient,
} from './recipient.ts'
import { findTask } from '../task/find-task.ts'
import { assertMayWrite } from '../task/lease/rules.ts'
import { messageView, toMessageView } from './view.ts'
import { fence } from '../task/lease/input.ts'
import { joined, line } from '../core/show.ts'
import { toMessageDocument } from './search-document.ts'
import {
  showMessage,
  showMessages,
  showMessagesToAgent,
  showMessageToAgent,
  showSent,
  showSentToAgent,
} from './show.ts'
import { quote } from '../support/text/visible-text.ts'

const limit = z.int().min(1).max(200).default(50).describe('How many at most')
const afterId = z.int().min(0).default(0).describe('Only messages after this one')
const page = z.object({
  messages: z.array(messageView),
  unread: z.int().describe('How many messages are unread in all'),
  next_after_id: z.int().optional().describe('Where the next page begins, if there may be one'),
})

export const sendMessage = defineOperation({
  name: 'message.send',
  summary: 'Write to an agent, to the owner or to all agents, perhaps about a task',
  example: '"the parser is yours now" --to ada --task 12',
  effect: 'write',
  input: z.object({
    body: messageBody.describe('At most 16 KB'),
    to: z
      .string()
      .trim()
      .max(100)
      .optional()
      .describe('Id or name of an agent, or "owner" for the person; all agents if absent'),
    task: reference.optional().describe('The task it is about'),
    subject: subject.optional().describe('One line'),
    severity: severity.default('info').describe('How much it matters'),
    reply_to: z.int().min(1).optional().describe('Id of the message it answers'),
    agent_id: agentId,
    fence,
  }),
  output: z.object({
    message: messageView,
    delivered_to: z.array(z.string()).describe('Ids of the agents that can read it now'),
    delivered_names: z.array(z.string()).describe('Their names, where they have one'),
    note: z.string().optional().describe('What to know about whom it reaches'),
  }),
  positional: ['body'],
  async run(context, { body, to, task, subject, severity, reply_to, agent_id, fence }) {
    if (body.trim() === '') throw violation('body', 'required', 'must not be empty')
    const ownerName = to === undefined ? null : await ownerNameFor(context, to)
    return await change(context, async (change) => {
      const sender = await actingAgent(context, change, agent_id)
      const about = task === undefined ? undefined : await findTask(change, task, 'task')
      if (about !== undefined && fence !== undefined) {
        await assertMayWrite(context, change, about, { agentId: sender.id, fence })
      }
      const answered = await findAnswered(context, change, { id: reply_to, reader: sender })
      const recipient = to ?? (answered && otherSideOf(answered, sender)) ?? null
      const reader =
        recipient === null
          ? null
          : ((answered && arrivedSender(answered, recipient, sender)) ??
            (await findRecipient(context, change, { text: recipient, sender, ownerName })))
      const toAgent = reader?.id ?? null
      const message = await change.messages.insert({
        at: change.stamp.at,
        fromAgent: sender.id,
        toAgent,
        taskId: about?.id ?? answered?.taskId ?? null,
        subject: subject ?? null,
        body,
        severity,
        replyTo: answered?.id ?? null,
      })
      // A reply of the person closes the question.
      if (answered !== undefined && sender.id === OWNER_ID) {
        await change.messages.markRead(toReader(sender), [answered.id], change.stamp.at)
      }
      if (toAgent === null) await change.search.put(toMessageDocument(message))
      await change.announce('message.sent', String(message.id), {
        message_id: message.id,
        agent_id: sender.id,
        ...(toAgent !== null && { to: toAgent }),
        ...(message.taskId !== null && { task_id: message.taskId }),
        ...(message.taskKey !== null && { task_key: message.taskKey }),
        severity,
      })
      return {
        message: toMessageView({ ...message, readAt: null }),
        ...toDelivery(reader ?? (await findEverybodyBut(change, sender.id))),
      }
    })
  },
  show: showSent,
  showToAgent: showSentToAgent,
})

export const listMessages = defineOperation({
  name: 'message.list',
  summary: 'Read what was written to you or to everybody, oldest first',
  example: '--severity blocker',
  off: { unread_only: 'Include acknowledged messages' },
  effect: 'read',
  personal: true,
  input: z.object({
    unread_only: z.boolean().default(true).describe('Only what you have not acknowledged'),
    all: z
      .boolean()
      .default(false)
      .describe('Every message, also between agents, the newest ones; for the person only'),
    severity: severity.optional().describe('Only of this severity'),
    after_id: afterId,
    limit,
    agent_id: agentId,
  }),
  output: page,
  async run(context, { unread_only, all, severity, after_id, limit, agent_id }) {
    if (all) requirePerson(context, 'read the messages of others')
    const reader = await readerOf(context, agent_id)
    const { messages } = context.store
    if (all) {
      const query = { severity, afterId: after_id, limit, newest: after_id === 0 }
      return await toPage(context, reader, await messages.everything(reader, query), limit)
    }
    const found = await messages.inbox(reader, {
      unreadOnly: unread_only,
      severity,
      afterId: after_id,
      limit,
    })
    return await toPage(context, reader, found, limit)
  },
  show: showMessages,
  showToAgent: showMessagesToAgent,
})

export const threadMessages = defineOperation({
  name: 'message.thread',
  summary: 'Read everything that was written about a task, oldest first',
  example: '12',
  effect: 'read',
  personal: true,
  input: z.object({ task: reference, after_id: afterId, limit, agent_id: agentId }),
  output: page,
  positional: ['task'],
  async run(context, { task, after_id, limit, agent_id }) {
    const reader = await readerOf(context, agent_id)
    const { id } = await findTask(context.store, task, 'task')
    const query = { afterId: after_id, limit, taskId: id }
    const { messages } = context.store
    const found = readsAll(context, agent_id)
      ? await messages.everything(reader, query)
      : await messages.thread(id, reader, query)
    return await toPage(context, reader, found, limit)
  },
  show: showMessages,
  showToAgent: showMessagesToAgent,
})

export const searchMessages = defineOperation({
  name: 'message.search',
  summary: 'Find messages to you or to everybody by words in them',
  example: '"database lock"',
  effect: 'read',
  personal: true,
  input: z.object({
    text: oneLine({ max: 200 }).describe('Part of the subject or the text'),
    task: reference.optional().describe('Only about this task'),
    severity: severity.optional().describe('Only of this severity'),
    after_id: afterId,
    limit,
    agent_id: agentId,
  }),
  output: page,
  positional: ['text'],
  async run(context, { text, task, severity, after_id, limit, agent_id }) {
    const reader = await readerOf(context, agent_id)
    const { store } = context
    const taskId = task === undefined ? undefined : (await findTask(store, task, 'task')).id
    const query = { text, taskId, severity, afterId: after_id, limit }
    const found = readsAll(context, agent_id)
      ? await store.messages.everything(reader, query)
      : await store.messages.inbox(reader, query)
    return await toPage(context, reader, found, limit)
  },
  show: showMessages,
})

export const getMessage = defineOperation({
  name: 'message.get',
  summary: 'Show one message: a broadcast, or for the person any message',
  example: '7',
  effect: 'read',
  input: z.object({ id: z.int().min(1).describe('Id of the message') }),
  output: messageView,
  positional: ['id'],
  async run({ store, agent }, { id }) {
    const message = await store.messages.byId(id)
    const isVisible = isPerson(agent) || message?.toAgent === null
    if (message !== undefined && isVisible) return toMessageView({ ...message, readAt: null })
    // The same error for direct messages, so that it does not reveal that one exists.
    throw new Failure(
      'not_found',
      isPerson(agent) ? `no message ${id}` : `no broadcast message ${id}`,
      {
        details: { kind: 'message', field: 'id', id },
      },
    )
  },
  show: showMessage,
  showToAgent: showMessageToAgent,
})

export const ackMessages = defineOperation({
  name: 'message.ack',
  summary: 'Mark messages as read',
  example: '--id 7 --id 8',
  effect: 'write',
  input: z.object({
    ids: z.array(z.int().min(1)).min(1).max(200).describe('Ids of the messages'),
    agent_id: agentId,
  }),
  output: z.object({ acknowledged: z.array(z.int()), unread: z.int() }),
  async run(context, { ids, agent_id }) {
    return await change(context, async (change) => {
      const agent = await actingAgent(context, change, agent_id)
      const reader = toReader(agent)
      const acknowledged = await change.messages.markRead(reader, ids, change.stamp.at)
      const data = { agent_id: agent.id, message_ids: acknowledged }
      if (acknowledged.length > 0) await change.announce('message.read', agent.id, data)
      return { acknowledged, unread: await change.messages.countUnread(reader) }
    })
  },
  show: ({ acknowledged, unread }) => [
    line`${acknowledged.length} marked as read, ${unread} unread`,
  ],
  showToAgent: ({ acknowledged, unread }) => [
    line`acknowledged: ${joined(acknowledged, '; ')}`,
    line`unread: ${unread}`,
  ],
})

/** The person reads what was said between agents, unless the call is about one agent. */
function readsAll({ agent }: ReadContext, named: string | undefined): boolean {
  return named === undefined && isPerson(agent)
}

async function readerOf(context: ReadContext, named: string | undefined): Promise<Reader> {
  const reader = await presentReader(context, named)
  if (reader !== undefined) return reader
  if (named === undefined) {
    throw new Failure(
      'invalid_input',
      'agent_id: say whose messages you want to read, or who you are',
      {
        details: { field: 'agent_id', rule: 'required' },
      },
    )
  }
  throw noAgent(named)
}

interface Delivery {
  readonly delivered_to: string[]
  readonly delivered_names: string[]
  readonly note?: string
}

function toDelivery(to: Recipient | readonly Recipient[]): Delivery {
  const all = 'id' in to ? [to] : to
  if (all.some(({ isElsewhere }) => isElsewhere === true)) {
    return { delivered_to: [], delivered_names: [], note: 'goes to its clone with the next sync' }
  }
  const gone = all.find(({ leftAt }) => leftAt !== null)
  if (gone !== undefined) {
    const note = `${quote(gone.name ?? gone.id)} has left and reads it only after joining again`
    return { delivered_to: [], delivered_names: [], note }
  }
  return {
    delivered_to: all.map(({ id }) => id),
    delivered_names: all.map(({ id, name }) => name ?? id),
    ...(all.length === 0 && {
      note: 'no other agent is online; those that join later do not get it',
    }),
  }
}

async function findAnswered(
  { agent }: ReadContext,
  change: Change,
  { id, reader }: { readonly id: number | undefined; readonly reader: AgentRow },
): Promise<MessageRow | undefined> {
  if (id === undefined) return undefined
  const message = await change.messages.byId(id)
  const isVisible =
    isPerson(agent) ||
    message?.toAgent === null ||
    [message?.toAgent, message?.fromAgent].includes(reader.id)
  if (message !== undefined && isVisible) return message
  throw new Failure('not_found', `there is no message ${id} to answer`, {
    details: { kind: 'message', field: 'reply_to', id },
  })
}

/** The person writes back to the other clone; what an agent writes back waits for the person, in all clones. */
function arrivedSender(
  { fromAgent, fromName, arrivedFrom }: MessageRow,
  recipient: string,
  sender: AgentRow,
): Recipient | undefined {
  if (arrivedFrom === null || recipient !== fromAgent) return undefined
  return sender.id === OWNER_ID
    ? { id: fromAgent, name: fromName, leftAt: null, isElsewhere: true }
    : { id: OWNER_ID, name: null, leftAt: null }
}

/** A reply goes to the author; a reply to one's own message goes to its recipient; null is a broadcast. */
function otherSideOf({ fromAgent, toAgent }: MessageRow, sender: AgentRow): string | null {
  return fromAgent === sender.id ? toAgent : fromAgent
}

async function toPage(
  { store }: ReadContext,
  reader: Reader,
  found: readonly ReceivedMessage[],
  limit: number,
): Promise<z.output<typeof page>> {
  const last = found.at(-1)
  return {
    messages: found.map(toMessageView),
    unread: await store.messages.countUnread(reader),
    ...(found.length === limit && last !== undefined && { next_after_id: last.id }),
  }
}
