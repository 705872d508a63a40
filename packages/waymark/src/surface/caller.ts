import type { CallContext } from '@waymark/baton'
import type { Agent } from '../context.ts'
import { agentIdOf } from '../domain/agent.ts'

interface Server {
  /** A name that was given to the whole process. */
  readonly actor?: string | undefined
  /** The identity of whoever is at the other end when there is only one, as on standard input and output. */
  readonly connectionId: string
}

/**
 * Who is calling. An identity belongs to a connection, not to a name: two agents in the same kind of host call
 * themselves the same and must not be taken for each other.
 */
export function callerOf({ actor, connectionId }: Server, call: CallContext): Agent {
  const { principal, session, client } = call
  if (principal !== undefined) {
    const { name } = principal.claims ?? {}
    return {
      name: typeof name === 'string' ? name.slice(0, 100) : principal.id.slice(0, 100),
      surface: 'mcp',
      id: agentIdOf(`principal ${principal.id}`),
      proved: true,
    }
  }
  const id = session === undefined ? connectionId : agentIdOf(`session ${session.id}`)
  return { name: actor ?? client?.name ?? null, surface: 'mcp', id }
}
