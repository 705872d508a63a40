import type { CallContext } from '@waymark/baton'
import type { Access, Agent } from '../core/context.ts'
import { agentIdOf, ownedAgentId, ownerIdOf, withProvedName, type AgentId } from '../agent/agent.ts'
import { MACHINE_CLOCK } from '../core/clock/machine-clock.ts'
import { lookUp } from '../support/look-up.ts'
import { once } from '../support/once.ts'
import { thisProcess } from '../support/process-identity.ts'
import { sha256 } from '../support/hash/sha256.ts'
import { SCOPES } from '../core/scopes.ts'
import { type Environment, findConversation, findHost } from './mcp/client-host.ts'

interface Server {
  /** A name that was given to the whole process. */
  readonly actor?: string | undefined
  /** The identity of the client when there is only one, as on stdio. */
  readonly connectionId: AgentId
  /** When it connected. */
  readonly connectedAt: number
  /** The environment that the host gave to the server it has started. */
  readonly hostEnv?: Environment | undefined
}

type Principal = NonNullable<CallContext['principal']>

/**
 * The agent of a call. Its identity is that of the connection and not the name: two agents in the same kind of host
 * have the same name and must not be mixed up. The session may continue as an earlier agent (`identify-caller.ts`).
 */
export function callerOf(
  { actor, connectionId, connectedAt, hostEnv }: Server,
  call: CallContext,
): Agent {
  const { principal, session, client } = call
  const host = findHost(client)
  const name = actor ?? host?.name ?? client?.name ?? null
  if (principal === undefined) {
    if (session !== undefined) {
      return { name, surface: 'mcp', id: toSessionName(session.id), ...ofSession(session) }
    }
    const conversation = findConversation(host, call.meta, hostEnv)
    return {
      name,
      surface: 'mcp',
      id: conversation === undefined ? connectionId : agentIdOf(conversation),
      session: conversation ?? connectionId,
      connectedAt,
      process: ownProcess(),
    }
  }
  // Without sessions, agents of one owner differ only by client name, which grants no rights.
  const part = session === undefined ? `client ${client?.name ?? ''}` : `session ${session.id}`
  return { surface: 'mcp', ...ownedAgent(principal, { name, part }), ...ofSession(session) }
}

/** Names an HTTP session where its id, which clients keep to themselves, must not be seen. */
export function toSessionName(sessionId: string): AgentId {
  return agentIdOf(`session ${sessionId}`)
}

/** In the machine's time, like stored responses: the clock of one process may be faked. */
const ownProcess = once(() => ({
  name: thisProcess(),
  startedAt: Math.floor(MACHINE_CLOCK.now() - performance.now()),
}))

function ofSession(session: CallContext['session']): Pick<Agent, 'connectedAt' | 'session'> {
  if (session === undefined) return {}
  const { id, createdAt } = session
  return {
    session: toSessionName(id),
    ...(createdAt !== undefined && { connectedAt: createdAt }),
  }
}

/** An agent of an authenticated principal. */
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

/**
 * The owner's name in a token; a shared secret has none. Issuers vouch only for the subject, and many let users choose
 * their display name, so the subject is appended to it.
 */
function nameOf({ claims = {} }: Principal): string | undefined {
  const { sub, name, preferred_username: username } = claims
  if (typeof sub !== 'string' || sub === '') return undefined
  const proved = toProvedName(sub)
  const chosen = [name, username].find((given) => typeof given === 'string' && given !== '')
  return withProvedName(typeof chosen === 'string' ? chosen.slice(0, LONGEST_CHOSEN) : '', proved)
}

const LONGEST_CHOSEN = 30
const LONGEST_SUBJECT = 40
const PLAIN_SUBJECT = new RegExp(`^[\\w.@|:+=/-]{1,${LONGEST_SUBJECT}}$`)

/** The subject; a long or unusual one is shortened and made unique by a hash. */
function toProvedName(sub: string): string {
  if (PLAIN_SUBJECT.test(sub)) return sub
  const mark = `~${sha256(sub).slice(0, 16)}`
  return `${sub.replaceAll(/[^\w.@|:+=/-]/g, '').slice(0, LONGEST_SUBJECT - mark.length)}${mark}`
}

/** Write access implies read access, since every write returns what it changed. */
export const IMPLIED_SCOPES: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  SCOPES.filter((scope) => scope.endsWith(':write')).map((scope) => [
    scope,
    [scope.replace(':write', ':read')],
  ]),
)

/** What a caller may do on a server: no more than the server allows, and no more than a token grants. */
export function accessOf(
  access: Access,
  principal: { readonly scopes?: readonly string[] } | undefined,
): Access {
  if (principal?.scopes === undefined) return access
  const implied = principal.scopes.flatMap((scope) => lookUp(IMPLIED_SCOPES, scope) ?? [])
  return { ...access, scopes: new Set([...principal.scopes, ...implied]) }
}

type Arguments = Readonly<Record<string, unknown>>

/** The names of the idempotency key, in all dialects. */
const NAMES = ['idempotency_key', 'idempotencyKey'] as const

/** Removes the key from the arguments of a call: tools do not have it in their schema. */
export function takeIdempotencyKey(
  args: Arguments,
  { meta }: Pick<CallContext, 'meta'>,
): { readonly idempotencyKey?: string; readonly rest: Arguments } {
  const found = NAMES.map((name) => args[name] ?? meta[name]).find((key) => key !== undefined)
  if (found === undefined) return { rest: args }
  const rest = Object.entries(args).filter(([name]) => !NAMES.some((known) => known === name))
  // A key that is not a string is refused where all keys are validated.
  return {
    idempotencyKey: typeof found === 'string' ? found : '',
    rest: Object.fromEntries(rest),
  }
}
