import { nameOfAgent, namesOwner, OWNER_ID, presenceOf, toAgentId } from '../agent/agent.ts'
import { findOnline } from '../agent/presence.ts'
import type { AgentRow } from '../agent/store.ts'
import type { Change } from '../core/change.ts'
import type { Context } from '../core/context.ts'
import { Failure } from '../core/error.ts'
import { toTime } from '../entity/view.ts'
import { quote } from '../support/text/visible-text.ts'

/** How many names an error lists. */
const MOST_NAMES = 10

export interface Recipient extends Pick<AgentRow, 'id' | 'name' | 'leftAt'> {
  /** An agent of another clone. */
  readonly isElsewhere?: true
}

/**
 * The name of the person in Git's settings, if it can be what `to` means. Looked up before the transaction, since it may
 * start git.
 */
export async function ownerNameFor(
  { store, project }: Context,
  to: string,
): Promise<string | null> {
  const known = (await store.agents.byId(OWNER_ID))?.name
  if (typeof known === 'string') return known
  const isKnown = namesOwner(to) || (await store.agents.byId(toAgentId(to))) !== undefined
  if (isKnown || project === undefined) return null
  const { readUserName } = await import('../git/config/user-name.ts')
  return await readUserName(project.root)
}

interface Wanted {
  readonly text: string
  readonly sender: AgentRow
  readonly ownerName: string | null
}

/**
 * The owner, or an agent by its id or an unambiguous name. The owner's name means the owner, also where an agent uses it. The
 * sender's own agents need no authenticated suffix; other agents do, or an agent that takes a free name would receive
 * messages meant for another.
 */
export async function findRecipient(
  { agent }: Context,
  change: Change,
  { text, sender, ownerName }: Wanted,
): Promise<Recipient> {
  const { agents, stamp } = change
  if (namesOwner(text) || text === ownerName) {
    return { id: OWNER_ID, name: (await agents.byId(OWNER_ID))?.name ?? ownerName, leftAt: null }
  }
  const found = await agents.byId(toAgentId(text))
  if (found !== undefined) return found
  const called = await agents.byName(text)
  const [only, ...others] = likeliest(
    called.length > 0 ? called : await agents.byName(nameOfAgent(agent, text)),
    stamp.at,
  )
  if (only === undefined) throw noRecipient(text, await findEverybodyBut(change, sender.id))
  if (others.length === 0) return only
  const candidates = [only, ...others].map((one) => toCandidate(one, stamp.at))
  const ids = candidates.map(({ id, presence }) => `${id} (${presence})`).join(', ')
  throw new Failure('ambiguous_id', `to: several agents are called ${quote(text)}: ${ids}`, {
    details: { field: 'to', id: text, candidates },
  })
}

/** All agents that are online, except the sender. */
export async function findEverybodyBut(
  change: Change,
  sender: string,
): Promise<readonly AgentRow[]> {
  return (await findOnline(change, change.stamp.at)).filter(({ id }) => id !== sender)
}

export function noAgent(id: string): Failure {
  return new Failure('not_found', `no agent ${quote(id)} has joined`, {
    details: { kind: 'agent', field: 'agent_id', id },
  })
}

function noRecipient(id: string, here: readonly AgentRow[]): Failure {
  const names = here
    .filter((agent) => agent.id !== OWNER_ID)
    .slice(0, MOST_NAMES)
    .map((agent) => agent.name ?? agent.id)
  const listed =
    names.length === 0
      ? ''
      : ` ${names.map((name) => quote(name)).join(', ')} ${names.length === 1 ? 'is' : 'are'} here, and`
  return new Failure(
    'not_found',
    `to: no agent ${quote(id)} has joined;${listed} "${OWNER_ID}" asks the person`,
    { details: { kind: 'agent', field: 'to', id, names } },
  )
}

/** Of agents with one name, those online; without any, those that may return without joining again. */
function likeliest(agents: readonly AgentRow[], now: number): readonly AgentRow[] {
  const present = agents.filter((agent) => presenceOf(agent, now) !== 'offline')
  const staying = agents.filter(({ leftAt }) => leftAt === null)
  return [present, staying].find(({ length }) => length > 0) ?? agents
}

function toCandidate(agent: AgentRow, now: number) {
  const { id, role, client, seenAt } = agent
  return {
    id,
    ...(role !== null && { role }),
    ...(client !== null && { client }),
    presence: presenceOf(agent, now),
    seen_at: toTime(seenAt),
  }
}
