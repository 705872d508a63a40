import { loadConfig } from '../config.ts'
import { createContext } from '../context.ts'
import { execute } from '../execute.ts'
import { createLogger } from '../logger.ts'
import type { Operation } from '../operation.ts'
import { openProject } from '../project.ts'
import { render } from './render.ts'
import type { Terminal } from './terminal.ts'

/** Options that every command has. */
export interface GlobalOptions {
  readonly directory?: string
  readonly actor?: string
  readonly json?: boolean
}

/** Runs an operation for the command line and prints what comes of it. */
export async function runOperation(
  operation: Operation,
  input: unknown,
  options: GlobalOptions,
  terminal: Terminal,
): Promise<void> {
  await using project = await openProject(options.directory ?? terminal.cwd)
  const config = loadConfig(project.root, terminal.env, { actor: options.actor })
  const logger = createLogger({
    level: config.logLevel,
    target: 'waymark::cli',
    write: (line) => terminal.err(`${line}\n`),
  })
  // Asking git for a name starts a process, so a command that only reads does without.
  const name = config.actor ?? (operation.effect === 'read' ? null : await project.userName())
  const context = createContext({ store: project.store, agent: { name, surface: 'cli' }, logger })
  const output = await execute(context, operation, input)
  terminal.out(options.json === true ? toJson(output, terminal) : await render(output, terminal))
}

function toJson(output: unknown, { interactive }: Terminal): string {
  return `${JSON.stringify(output, null, interactive ? 2 : undefined)}\n`
}
