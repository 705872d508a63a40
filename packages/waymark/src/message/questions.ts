import * as z from 'zod'
import { callerId, isPerson } from '../agent/agent.ts'
import type { ReadContext } from '../core/context.ts'
import type { EntityReader, EntityRow } from '../entity/store.ts'
import { toExcerpt } from './excerpt.ts'
import type { MessageReader, MessageRow } from './store.ts'

const MOST = 50

/** A question that waits for the person: a message to the owner, or a note that is tagged `question`. */
export const openQuestion = z.object({
  id: z.int().optional().describe('Of a message'),
  number: z.int().optional().describe('Of a note'),
  text: z.string(),
  from: z.string().optional().describe('Name of the agent that asks'),
})
export type OpenQuestion = z.output<typeof openQuestion>

interface Source {
  readonly messages: MessageReader
  readonly entities: EntityReader
}

export interface OpenQuestions {
  readonly messages: readonly MessageRow[]
  readonly notes: readonly EntityRow[]
}

/** Everything that waits for an answer of the person, oldest first. */
export async function findOpenQuestions({ messages, entities }: Source): Promise<OpenQuestions> {
  const asked = { type: 'note', tag: 'question', exceptTag: 'answered', limit: MOST }
  return {
    messages: await messages.openQuestions(MOST),
    notes: (await entities.latest(asked)).entities.toReversed(),
  }
}

/** The open questions, for a screen of the person; agents have none. */
export async function findQuestionsForPerson({
  store,
  agent,
}: ReadContext): Promise<OpenQuestion[]> {
  if (!isPerson(agent)) return []
  const { messages, notes } = await findOpenQuestions(store)
  return [
    ...messages.map(toAsked),
    ...notes.map(({ number, title, createdBy }) => ({
      number,
      text: title,
      ...(createdBy !== null && { from: createdBy }),
    })),
  ]
}

/** The questions of the calling agent that the person has not answered yet. */
export async function findOwnQuestions(
  { store, agent }: ReadContext,
  me: string | undefined = callerId(agent),
): Promise<{ readonly id: number; readonly text: string }[]> {
  if (me === undefined || isPerson(agent)) return []
  const rows = await store.messages.openQuestions(MOST, me)
  return rows.map((row) => ({ id: row.id, text: toExcerpt(row) }))
}

function toAsked(row: MessageRow) {
  return { id: row.id, text: toExcerpt(row), from: row.fromName ?? row.fromAgent }
}
