import { loadConfig } from '../../core/project/config.ts'
import { createContext } from '../../core/context.ts'
import { Failure } from '../../core/error.ts'
import { execute } from '../../core/execute.ts'
import { createLogger } from '../../support/logger.ts'
import { showBrief } from '../../brief/operations.ts'
import { openProject, toProjectInfo } from '../../core/project/project.ts'
import { printForAgent } from '../../core/show.ts'
import type { GlobalOptions } from '../run-operation.ts'
import type { Terminal } from '../terminal/terminal.ts'

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
  const context = createContext({
    store: project.store,
    // The host's name is what its MCP client will call itself, so that both follow the same news.
    agent: {
      name: config.actor ?? options.hook ?? null,
      surface: 'cli',
      assumed: true,
      host: options.hook ?? 'prime',
    },
    project: toProjectInfo(project, config),
    code: project.code,
    logger: createLogger({
      level: config.logLevel,
      target: 'waymark::prime',
      write: (line) => terminal.err(`${line}\n`),
    }),
  })
  const output = await execute(context, showBrief, { max_tokens: Number(options.maxTokens ?? 800) })
  return `Waymark, the shared memory of this repository. ${printForAgent(showBrief.show(output))}`
}

/** What each host reads from a hook at the start of a session. */
function toHookOutput(text: string, hook = ''): string {
  const hookSpecificOutput = { hookEventName: 'SessionStart', additionalContext: text }
  switch (hook) {
    case 'codex':
    case 'gemini':
    case 'qwen':
      return JSON.stringify({ hookSpecificOutput })
    case 'copilot':
      return JSON.stringify({ hookSpecificOutput, additionalContext: text })
    case 'cursor':
      return JSON.stringify({ additional_context: text })
    default:
      return text
  }
}
