import { type Config, loadConfig } from '../../core/project/config.ts'
import { createContext } from '../../core/context.ts'
import { Failure } from '../../core/error.ts'
import { execute } from '../../core/execute.ts'
import { lookUp } from '../../support/look-up.ts'
import { createLogger } from '../../support/logger.ts'
import { showBrief } from '../../brief/operations.ts'
import { type OpenProject, openProject, toProjectInfo } from '../../core/project/project.ts'
import { HOOK_HOSTS } from '../../hook/host/hosts.ts'
import { printForAgent } from '../../core/show.ts'
import type { GlobalOptions } from '../run-operation.ts'
import { remoteOf } from '../join/team-client.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { AgentId } from '../../agent/agent.ts'

export interface PrimeOptions extends GlobalOptions {
  /** The host whose hook it is. */
  readonly hook?: string
  readonly maxTokens?: string
}

/**
 * Prints the brief at the start of an agent's session. It must never block the session: outside a project it prints
 * nothing, and errors go to standard error only.
 */
export async function prime(options: PrimeOptions, terminal: Terminal): Promise<number> {
  try {
    const text = await brief(options, terminal)
    terminal.out(`${toHookOutput(text, options.hook)}\n`)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    if (error.code !== 'not_initialised') terminal.err(`waymark prime: ${error.message}\n`)
  }
  return 0
}

async function brief(options: PrimeOptions, terminal: Terminal): Promise<string> {
  await using project = await openProject(options.directory ?? terminal.cwd)
  const config = loadConfig(project.root, terminal.env, { actor: options.actor })
  const { hook, maxTokens } = options
  return await briefFor(project, {
    config,
    env: terminal.env,
    host: hook,
    maxTokens: Number(maxTokens ?? BRIEF_TOKENS),
    log: (line) => terminal.err(`${line}\n`),
  })
}

const BRIEF_TOKENS = 800

interface Reader {
  readonly config: Config
  readonly env: Terminal['env']
  readonly host: string | undefined
  /** The agent that reads it, if it is known already. */
  readonly agent?: { readonly id: AgentId; readonly name: string } | undefined
  readonly maxTokens?: number
  readonly log?: (line: string) => void
}

/** The brief for an agent whose session begins, or goes on with less context. */
export async function briefFor(
  project: OpenProject,
  { config, env, host, agent, maxTokens = BRIEF_TOKENS, log = () => {} }: Reader,
): Promise<string> {
  const context = createContext({
    store: project.store,
    agent: {
      // The host's name is what its MCP client will call itself, so that both follow the same news.
      name: agent?.name ?? config.actor ?? host ?? null,
      // Not its session: a hook is no sign that it still runs.
      ...(agent === undefined ? { joins: false as const } : { id: agent.id }),
      surface: 'cli',
      assumed: true,
      host: host ?? 'prime',
    },
    project: toProjectInfo(project, config),
    code: project.code,
    ...remoteOf(project.state, env),
    logger: createLogger({ level: config.logLevel, target: 'waymark::prime', write: log }),
  })
  const output = await execute(context, showBrief, { max_tokens: maxTokens })
  return `Waymark, the shared memory of this repository. ${printForAgent(showBrief.show(output))}`
}

/** What each host reads from a hook at the start of a session. */
function toHookOutput(text: string, hook = ''): string {
  const host = lookUp(HOOK_HOSTS, hook)
  const [name] = host?.events['session-start'] ?? []
  if (host === undefined || name === undefined) return text
  return host.form({ kind: 'context', text }, { name, isAttended: true })
}
