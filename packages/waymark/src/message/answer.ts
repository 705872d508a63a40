import * as z from 'zod'
import { actingAgent, requirePerson, toReader } from '../agent/acting-agent.ts'
import { OWNER_ID, type AgentId } from '../agent/agent.ts'
import type { AgentRow } from '../agent/store.ts'
import { type Change, change } from '../core/change.ts'
import { Failure } from '../core/error.ts'
import { violation } from '../core/input/parse.ts'
import { defineOperation } from '../core/operation.ts'
import { editedTags } from '../entity/tag/edited-tags.ts'
import { emitEntityEvent } from '../entity/view.ts'
import type { EntityRow } from '../entity/store.ts'
import { messageBody } from './message.ts'
import { withAnswer } from './note-answer.ts'
import { findOpenQuestions, type OpenQuestions } from './questions.ts'
import { showAnswer } from './show.ts'
import type { MessageRow } from './store.ts'
import { messageView, toMessageView } from './view.ts'

export const answerQuestion = defineOperation({
  name: 'message.answer',
  summary: 'Answer a question of an agent as the owner, which closes it',
  example: '3 "yes, drop the old table"',
  effect: 'write',
  input: z.object({
    question: z
      .string()
      .trim()
      .max(20)
      .describe('Number of a message or of a note tagged "question"; m3 is a message, #3 a note'),
    body: messageBody.describe('The answer, at most 16 KB'),
  }),
  output: z.object({
    message: messageView.optional().describe('The answer as it was sent'),
    note: z.int().optional().describe('Number of the note that it was added to'),
    open: z.int().describe('How many questions are still open'),
  }),
  positional: ['question', 'body'],
  async run(context, { question, body }) {
    requirePerson(context, 'answer as the owner')
    if (body.trim() === '') throw violation('body', 'required', 'must not be empty')
    const wanted = parseQuestion(question)
    return await change(context, async (change) => {
      const open = await findOpenQuestions(change)
      const { message, note } = await findQuestion(change, open, wanted)
      const owner = await actingAgent(context, change)
      const sent =
        message === undefined
          ? await answerNote(change, owner, note, body)
          : await answerMessage(change, owner, message, body)
      return {
        ...(sent !== undefined && { message: toMessageView({ ...sent, readAt: null }) }),
        ...(note !== undefined && { note: note.number }),
        open: open.messages.length + open.notes.length - 1,
      }
    })
  },
  show: showAnswer,
})

interface Wanted {
  readonly text: string
  readonly kind: 'message' | 'note' | undefined
  readonly number: number
}

function parseQuestion(text: string): Wanted {
  const [, mark = '', digits = ''] = /^(m|#)?(\d{1,15})$/i.exec(text) ?? []
  if (digits === '') {
    const rule = 'must be a number such as 3, m3 for a message or #3 for a note'
    throw violation('question', 'bad_format', rule, { value: text })
  }
  const kind = mark === '' ? undefined : mark === '#' ? 'note' : 'message'
  return { text, kind, number: Number(digits) }
}

type Question =
  | { readonly message: MessageRow; readonly note?: undefined }
  | { readonly message?: undefined; readonly note: EntityRow }

async function findQuestion(
  change: Change,
  { messages, notes }: OpenQuestions,
  { text, kind, number }: Wanted,
): Promise<Question> {
  const message = kind === 'note' ? undefined : messages.find(({ id }) => id === number)
  const note = kind === 'message' ? undefined : notes.find((row) => row.number === number)
  if (message !== undefined && note !== undefined) {
    const message = `question: ${number} is a message and a note; say m${number} or #${number}`
    throw new Failure('ambiguous_id', message, { details: { field: 'question', id: text } })
  }
  if (message !== undefined) return { message }
  if (note !== undefined) return { note }
  const answer = kind === 'note' ? undefined : await change.messages.answerTo(number)
  if (answer !== undefined) {
    const remedy = `waymark message send --reply-to ${number}`
    throw new Failure(
      'conflict',
      `question: message ${number} was answered by message ${answer}; to add to it: ${remedy}`,
      { details: { reason: 'already_answered', field: 'question', id: number, answer } },
    )
  }
  const names = [...messages.map(({ id }) => `m${id}`), ...notes.map((row) => `#${row.number}`)]
  const listed = names.length === 0 ? 'none is open' : `open are ${names.join(' and ')}`
  throw new Failure('not_found', `question: there is no open question ${text}; ${listed}`, {
    details: { kind: 'question', field: 'question', id: text, open: names },
  })
}

async function answerMessage(
  change: Change,
  owner: AgentRow,
  question: MessageRow,
  body: string,
): Promise<MessageRow> {
  await change.messages.markRead(toReader(owner), [question.id], change.stamp.at)
  return await send(change, {
    toAgent: question.fromAgent,
    taskId: question.taskId,
    subject: null,
    body,
    replyTo: question.id,
  })
}

/** The author is told too, if it is an agent of this store; the origin of a synced note is only a claim. */
async function answerNote(
  change: Change,
  owner: AgentRow,
  note: EntityRow,
  body: string,
): Promise<MessageRow | undefined> {
  const content = withAnswer(note.content, owner.name ?? 'the owner', body)
  const tags = editedTags(note.tags, {
    replaced: undefined,
    added: ['answered'],
    removed: [],
    field: 'question',
  })
  const row = await change.entities.update(note.id, { content, tags }, change.stamp)
  if (row === undefined) {
    throw new Failure('internal', `note ${note.number} vanished inside its transaction`)
  }
  await emitEntityEvent(change, 'entity.updated', row)
  const author = note.arrival === null ? note.origin?.agent : undefined
  if (author === undefined || (await change.agents.byId(author)) === undefined) return undefined
  return await send(change, {
    toAgent: author,
    taskId: null,
    subject: note.title,
    body,
    replyTo: null,
  })
}

type Answer = Pick<MessageRow, 'taskId' | 'subject' | 'body' | 'replyTo'> & {
  readonly toAgent: AgentId
}

async function send(change: Change, answer: Answer): Promise<MessageRow> {
  const message = await change.messages.insert({
    ...answer,
    at: change.stamp.at,
    fromAgent: OWNER_ID,
    severity: 'info',
  })
  await change.announce('message.sent', String(message.id), {
    message_id: message.id,
    agent_id: OWNER_ID,
    to: answer.toAgent,
    ...(message.taskId !== null && { task_id: message.taskId }),
    ...(message.taskKey !== null && { task_key: message.taskKey }),
    severity: 'info',
    ...(answer.replyTo !== null && { answers: answer.replyTo }),
  })
  return message
}
