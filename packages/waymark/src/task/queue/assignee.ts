import { OWNER_ID } from '../../agent/agent.ts'
import type { AgentReader } from '../../agent/store.ts'
import type { QueueAgent } from './selection-store.ts'

/** The agent that the queue is read for, with the names that tasks may be assigned to it by. */
export async function toQueueAgent(
  { agents }: { readonly agents: AgentReader },
  { id, name }: Pick<QueueAgent, 'id' | 'name'>,
): Promise<QueueAgent> {
  const [, chosen, proved] = /^(.*?) ?\(([^()]+)\)$/.exec(name ?? '') ?? []
  // An authenticated person's name stands in brackets; all other agents work for the person of this clone.
  const person = proved ?? (await agents.byId(OWNER_ID))?.name
  const names = [id, name, chosen, person, person?.split(' ', 1)[0]]
  return { id, name, assignedAs: toAssignees([...names, ...(proved ? [] : [OWNER_ID])]) }
}

/** Whether a task of this assignee is for that agent, or for its person. */
export function isFor({ assignedAs = [] }: QueueAgent, assignee: string): boolean {
  return toAssignees([assignee]).some((name) => assignedAs.includes(name))
}

/** In lower case, also as SQLite knows it, whose `lower` changes ASCII only. */
function toAssignees(names: readonly (string | null | undefined)[]): readonly string[] {
  const given = names.filter((name) => typeof name === 'string' && name !== '') as string[]
  const ascii = given.map((name) => name.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()))
  return [...new Set([...given.map((name) => name.toLowerCase()), ...ascii])]
}
