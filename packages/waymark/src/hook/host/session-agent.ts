import { realpathSync } from 'node:fs'
import { agentIdOf, type AgentId } from '../../agent/agent.ts'
import { conversationOf, isConversation } from '../../agent/session/conversation.ts'
import { type AgentSession, isGone } from '../../agent/session/session.ts'
import type { ReadStore } from '../../core/store/store.ts'
import type { HookHost } from './hosts.ts'

/** The agent that a hook acts for. */
export interface HookAgent {
  readonly id: AgentId
  readonly name: string
  /** Absent for an agent that has run commands only, or that this may not be the session of. */
  readonly session?: string
}

export interface FoundAgent {
  /** Undefined if there is none, or if several sessions of the host are here and it is unknown which one runs the hook. */
  readonly agent: HookAgent | undefined
  /** The id of the session says so. */
  readonly isCertain?: true
  /** Every agent that may be the one: what they hold is not held by others. */
  readonly own: ReadonlySet<AgentId>
}

export interface HookPlace {
  /** Name of the host, as in `--host`. */
  readonly host: string
  readonly facts: Pick<HookHost, 'clients' | 'namesSession'>
  /** A name that replaces that of the client. */
  readonly actor: string | undefined
  /** The host's id of the session. */
  readonly session: string | undefined
  /** Top folder of the working tree. */
  readonly root: string
  readonly now: number
}

type Source = Pick<ReadStore, 'agents' | 'agentSessions'>

/** By the id of the session; else the session of this host in this working tree; else the agent of its commands. */
export async function findHookAgent(source: Source, place: HookPlace): Promise<FoundAgent> {
  const known = await bySessionId(source, place)
  if (known !== undefined) return { ...only(toAgent(known)), isCertain: true }
  const here = await sessionsHere(source, place)
  const live = here.filter((one) => !isGone(one, place.now) && !isOther(one, place))
  if (live.length > 1) return { agent: undefined, own: new Set(live.map(({ agentId }) => agentId)) }
  const [session] = live
  if (session !== undefined) return only({ id: session.agentId, name: session.name })
  const name = place.actor ?? `${place.host}-cli`
  const row = await source.agents.byId(agentIdOf(name))
  return row === undefined ? { agent: undefined, own: new Set() } : only({ id: row.id, name })
}

/** The agent that the session which begins will continue as: of the last one of this host and working tree that ended. */
export async function findPredecessor(
  source: Source,
  place: HookPlace,
): Promise<HookAgent | undefined> {
  const ended = (await sessionsHere(source, place)).find((session) => isGone(session, place.now))
  return ended && toAgent(ended)
}

async function bySessionId(
  { agentSessions }: Source,
  { host, session }: HookPlace,
): Promise<AgentSession | undefined> {
  return session === undefined
    ? undefined
    : await agentSessions.bySession(conversationOf(host, session))
}

/** Whether a session has the name of another conversation than the one that the hook is of. */
function isOther({ session }: AgentSession, { session: own, facts }: HookPlace): boolean {
  return own !== undefined && facts.namesSession === 'always' && isConversation(session)
}

async function sessionsHere(
  { agentSessions }: Source,
  { facts, actor, root }: HookPlace,
): Promise<readonly AgentSession[]> {
  const names = actor === undefined ? facts.clients : [actor]
  const found = await Promise.all(names.map((name) => agentSessions.ofHost(name)))
  return found
    .flat()
    .filter(({ owner, worktree }) => owner === '' && isSameFolder(worktree, root))
    .toSorted((one, other) => other.seenAt - one.seenAt)
}

function isSameFolder(one: string, other: string): boolean {
  if (one === other) return true
  try {
    return realpathSync.native(one) === realpathSync.native(other)
  } catch {
    return false
  }
}

function toAgent({ agentId: id, name, session }: AgentSession): HookAgent {
  return { id, name, session }
}

function only(agent: HookAgent): FoundAgent {
  return { agent, own: new Set([agent.id]) }
}
