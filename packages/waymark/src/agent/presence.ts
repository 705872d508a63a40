import { basename } from 'node:path'
import type { Store } from '../core/store/store.ts'
import { peekBranch } from '../git/peek-head.ts'
import { ONLINE, type Presence, presenceOf } from './agent.ts'
import { type AgentSession, isGone } from './session/session.ts'
import type { AgentRow } from './store.ts'

/** An agent with what its session says: whether it is still there, and where it works. */
export interface PresentAgent {
  readonly agent: AgentRow
  readonly presence: Presence
  /** Name of the folder that it works in. */
  readonly worktree?: string
  /** What is checked out there now. */
  readonly branch?: string
}

type Source = Pick<Store, 'agents' | 'agentSessions'>

const MOST = 1000

/** Agents with one of these presences, most recently seen first. */
export async function findAgents(
  source: Source,
  { presences, now, limit = MOST }: Wanted & { readonly limit?: number },
): Promise<PresentAgent[]> {
  const found = await withPresence(source, { presences, now })
  return found
    .slice(0, limit)
    .map(({ agent, presence, session }) => ({ agent, presence, ...placeOf(session) }))
}

interface Wanted {
  readonly presences: readonly Presence[]
  readonly now: number
}

/** Who is there and whose session has ended, most recently seen first, without where they work. */
export async function findPresent(
  source: Source,
  now: number,
): Promise<readonly Pick<PresentAgent, 'agent' | 'presence'>[]> {
  return await withPresence(source, { presences: [...ONLINE, 'gone'], now })
}

/** The agents that are online, without those whose session has ended. */
export async function findOnline(source: Source, now: number): Promise<readonly AgentRow[]> {
  const found = await withPresence(source, { presences: ONLINE, now })
  return found.map(({ agent }) => agent)
}

async function withPresence({ agents, agentSessions }: Source, { presences, now }: Wanted) {
  const isWanted = new Set(presences)
  const rows = await agents.present({
    presences: isWanted.has('offline') ? [...ONLINE, 'offline'] : ONLINE,
    now,
    limit: MOST,
  })
  const sessions = await agentSessions.ofAll(rows.map(({ id }) => id))
  return rows
    .map((agent) => ({ agent, session: sessions.get(agent.id) }))
    .map((found) => ({ ...found, presence: toPresence(found.agent, found.session, now) }))
    .filter(({ presence }) => isWanted.has(presence))
}

export async function countOnline(source: Source, now: number): Promise<number> {
  return (await findOnline(source, now)).length
}

function toPresence(agent: AgentRow, session: AgentSession | undefined, now: number): Presence {
  const presence = presenceOf(agent, now)
  return presence !== 'offline' && session !== undefined && isGone(session, now) ? 'gone' : presence
}

function placeOf(session: AgentSession | undefined): Pick<PresentAgent, 'worktree' | 'branch'> {
  if (session === undefined || session.worktree === '') return {}
  const branch = peekBranch(session.worktree)
  return { worktree: basename(session.worktree), ...(branch !== undefined && { branch }) }
}
