import { isPerson } from '../../agent/agent.ts'
import type { ReadContext } from '../../core/context.ts'
import { findOpenQuestions } from '../../message/questions.ts'
import type { Card } from './card.ts'

/** Cards with the questions about them that wait for the person. Agents do not see what is asked of others. */
export async function withQuestions(
  { store, agent }: ReadContext,
  cards: readonly Card[],
): Promise<readonly Card[]> {
  if (!isPerson(agent)) return cards
  const { messages } = await findOpenQuestions(store)
  if (messages.length === 0) return cards
  const counts = new Map<string, number>()
  for (const { taskId } of messages) {
    if (taskId !== null) counts.set(taskId, (counts.get(taskId) ?? 0) + 1)
  }
  return cards.map((card) => ({ ...card, questions: counts.get(card.id) ?? 0 }))
}
