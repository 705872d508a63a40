import type { CallContext } from '@waymark/baton'
import { conversationOf } from '../../agent/session/conversation.ts'

/** What is known of a host, as it was seen to behave. */
interface Host {
  /** The name that people know it by. */
  readonly name: string
  /** Its client by `clientInfo.name` or `clientInfo.title`. */
  readonly client: RegExp
  /** The parts of an answer that its model gets to read, where both are sent. */
  readonly passesOn: 'text' | 'structured' | 'both'
  /** Parameters that it adds to every tool and sends along. */
  readonly ownParameters?: readonly string[]
  /** Where it names the conversation: in the `_meta` of a call, or in the environment of the server. */
  readonly session?: { readonly meta?: readonly string[]; readonly variable?: string }
}

const HOSTS: readonly Host[] = [
  {
    name: 'claude-code',
    client: /^claude[- ]code$/i,
    passesOn: 'structured',
    session: { variable: 'CLAUDE_CODE_SESSION_ID' },
  },
  {
    name: 'codex',
    client: /^codex(-mcp-client)?$/i,
    passesOn: 'structured',
    // Threads of one session are agents of their own.
    session: { meta: ['threadId', 'sessionId'] },
  },
  {
    name: 'gemini',
    client: /^gemini[- ]cli(-mcp-client.*)?$/i,
    passesOn: 'text',
    ownParameters: ['wait_for_previous'],
  },
  {
    name: 'copilot',
    client: /^(github )?copilot[- ]cli$/i,
    passesOn: 'both',
    session: { variable: 'COPILOT_AGENT_SESSION_ID' },
  },
  {
    name: 'qwen',
    client: /^qwen([- ]code|-cli-mcp-client.*)$/i,
    passesOn: 'both',
    session: { variable: 'QWEN_CODE_SESSION_ID' },
  },
  { name: 'opencode', client: /^opencode$/i, passesOn: 'text' },
  { name: 'kilo', client: /^kilo$/i, passesOn: 'text' },
  { name: 'cline', client: /^(@cline\/core|cline)$/i, passesOn: 'both' },
  { name: 'continue', client: /^continue(-cli-client)?$/i, passesOn: 'text' },
]

type Client = CallContext['client']
export type Environment = Readonly<Record<string, string | undefined>>

/** The host that a client belongs to; undefined for one that is not known. */
export function findHost(client: Client): Host | undefined {
  if (client === undefined) return undefined
  const { name, title } = client
  return (
    HOSTS.find((host) => host.client.test(name)) ??
    (title === undefined ? undefined : HOSTS.find((host) => host.client.test(title)))
  )
}

const LONGEST_ID = 500

/**
 * A name for the conversation that a call belongs to, where the host has an id for it: the same in each process that the
 * host starts for it, so that a resumed conversation is the same agent with the same fences.
 */
export function findConversation(
  host: Host | undefined,
  meta: CallContext['meta'],
  env: Environment = {},
): string | undefined {
  if (host?.session === undefined) return undefined
  const { meta: names = [], variable } = host.session
  const given = [...names.map((name) => meta[name]), variable && env[variable]]
  const id = given.find((one) => typeof one === 'string' && one.trim() !== '')
  if (typeof id !== 'string' || id.length > LONGEST_ID) return undefined
  return conversationOf(host.name, id)
}
