import { type Config, loadConfig } from '../config.ts'
import { type Agent, type Context, createContext } from '../context.ts'
import { SemanticIndex } from '../embedding/semantic-index.ts'
import { createEmbedder } from '../embedding/settings.ts'
import { execute } from '../execute.ts'
import { createLogger } from '../logger.ts'
import type { Operation } from '../operation.ts'
import { type OpenProject, openProject, toProjectInfo } from '../project.ts'
import { render } from './render.ts'
import type { Terminal } from './terminal.ts'

/** Options that every command has. */
export interface GlobalOptions {
  readonly directory?: string
  readonly actor?: string
  readonly idempotencyKey?: string
  readonly json?: boolean
}

/** Runs an operation for the command line and prints what comes of it. */
export async function runOperation(
  operation: Operation,
  options: GlobalOptions,
  terminal: Terminal,
  makeInput: (context: Context) => Promise<unknown>,
): Promise<void> {
  await using project = await openProject(options.directory ?? terminal.cwd)
  const config = loadConfig(project.root, terminal.env, { actor: options.actor })
  const logger = createLogger({
    level: config.logLevel,
    target: 'waymark::cli',
    write: (line) => terminal.err(`${line}\n`),
  })
  const context = createContext({
    store: project.store,
    agent: await callerOf(operation, config, project),
    project: toProjectInfo(project, config),
    code: project.code,
    logger,
    maxBatchSize: config.maxBatchSize,
    semantic: new SemanticIndex(createEmbedder(config.embedding, terminal.env)),
    idempotencyKey: options.idempotencyKey,
  })
  const output = await execute(context, operation, await makeInput(context))
  terminal.out(options.json === true ? toJson(output, terminal) : await render(output, terminal))
}

/** A name from git says whose machine it is, not which agent is calling. */
async function callerOf(
  operation: Operation,
  { actor }: Config,
  project: OpenProject,
): Promise<Agent> {
  if (actor !== undefined) return { name: actor, surface: 'cli' }
  // Asking git starts a process, so a command that only reads does without.
  const name = operation.effect === 'read' ? null : await project.userName()
  return { name, surface: 'cli', assumed: true }
}

function toJson(output: unknown, { interactive }: Terminal): string {
  return `${JSON.stringify(output, null, interactive ? 2 : undefined)}\n`
}
