import type { CallContext } from '@waymark/baton'
import type { Agent } from '../context.ts'
import { agentIdOf, ownedAgentId, ownerIdOf } from '../domain/agent.ts'

interface Server {
  /** A name that was given to the whole process. */
  readonly actor?: string | undefined
  /** The identity of whoever is at the other end when there is only one, as on standard input and output. */
  readonly connectionId: string
}

type Principal = NonNullable<CallContext['principal']>

/**
 * Who is calling. An identity belongs to a connection, not to a name: two agents in the same kind of host call
 * themselves the same and must not be taken for each other.
 */
export function callerOf({ actor, connectionId }: Server, call: CallContext): Agent {
  const { principal, session, client } = call
  const name = actor ?? client?.name ?? null
  if (principal === undefined) {
    const id = session === undefined ? connectionId : agentIdOf(`session ${session.id}`)
    return { name, surface: 'mcp', id }
  }
  // Without sessions, only what the client calls itself tells the agents of one owner apart; it gives no rights.
  const part = session === undefined ? `client ${client?.name ?? ''}` : `session ${session.id}`
  return { surface: 'mcp', ...ownedAgent(principal, { name, part }) }
}

/** One of the agents of whoever has proved who they are. */
export function ownedAgent(
  principal: Principal,
  { name, part }: { readonly name: string | null; readonly part: string },
): Omit<Agent, 'surface'> {
  const owner = ownerIdOf(principal.id)
  const proved = nameOf(principal)
  return {
    name: proved ?? name,
    id: ownedAgentId(owner, part),
    owner,
    ...(proved !== undefined && { proved: true }),
  }
}

/** What a token says its owner is called; a secret that several share says nothing. */
function nameOf({ claims = {} }: Principal): string | undefined {
  const names = [claims['name'], claims['preferred_username'], claims['sub']]
  const name = names.find((given): given is string => typeof given === 'string' && given !== '')
  return name?.slice(0, 100)
}
