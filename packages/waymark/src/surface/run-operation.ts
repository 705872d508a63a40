import type * as z from 'zod'
import { type Config, loadConfig } from '../config.ts'
import { type Agent, type Context, createContext } from '../context.ts'
import type { AllowedSecrets } from '../domain/secrets/refuse-secrets.ts'
import { SemanticIndex } from '../embedding/semantic-index.ts'
import { createEmbedder } from '../embedding/settings.ts'
import { Failure } from '../error.ts'
import { execute } from '../execute.ts'
import { createLogger } from '../logger.ts'
import type { Operation } from '../operation.ts'
import { type OpenProject, openProject, toProjectInfo } from '../project.ts'
import { createProgressLine } from './progress-line.ts'
import { render } from './render.ts'
import type { Terminal } from './terminal.ts'

/** Options that every command has. */
export interface GlobalOptions {
  readonly directory?: string
  readonly actor?: string
  readonly idempotencyKey?: string
  readonly json?: boolean
  readonly allowSecret?: boolean
}

/** Runs an operation for the command line and prints what comes of it. */
export async function runOperation(
  operation: Operation,
  options: GlobalOptions,
  terminal: Terminal,
  makeInput: (context: Context) => Promise<unknown>,
): Promise<void> {
  const output = await answerOf(operation, options, terminal, makeInput)
  terminal.out(options.json === true ? toJson(output, terminal) : await render(output, terminal))
}

/** Runs an operation in the project that a command is about. */
export async function answerOf<Input extends z.ZodObject, Output extends z.ZodType>(
  operation: Operation<Input, Output>,
  options: GlobalOptions,
  terminal: Terminal,
  makeInput: (context: Context) => Promise<unknown>,
): Promise<z.output<Output>> {
  await using project = await openProject(options.directory ?? terminal.cwd)
  const config = loadConfig(project.root, terminal.env, { actor: options.actor })
  using line = createProgressLine(terminal)
  const logger = createLogger({
    level: config.logLevel,
    target: 'waymark::cli',
    write: (text) => {
      line.clear()
      terminal.err(`${text}\n`)
    },
  })
  const context = createContext({
    store: project.store,
    agent: await callerOf(operation, config, project),
    project: toProjectInfo(project, config),
    code: project.code,
    logger,
    maxBatchSize: config.maxBatchSize,
    allowedSecrets: allowedSecretsOf(options, config, terminal),
    semantic: new SemanticIndex(createEmbedder(config.embedding, terminal.env)),
    idempotencyKey: options.idempotencyKey,
    ...(terminal.watched &&
      options.json !== true && { progress: (_done, _total, message) => line.show(message) }),
  })
  return await execute(context, operation, await makeInput(context))
}

/** Programs go by the list in the settings, which is reviewed: the flag is for a person who sees what is being stored. */
function allowedSecretsOf(
  { allowSecret }: GlobalOptions,
  { allowedSecrets }: Config,
  { interactive }: Terminal,
): AllowedSecrets {
  if (allowSecret !== true) return allowedSecrets
  if (interactive) return 'all'
  throw new Failure(
    'forbidden',
    '--allow-secret is for a person at a terminal; list what may be stored as allowedSecrets in .waymark/config.json',
  )
}

/** A name from git says whose machine it is, not which agent is calling. */
async function callerOf(
  { effect }: Pick<Operation, 'effect'>,
  { actor }: Config,
  project: OpenProject,
): Promise<Agent> {
  if (actor !== undefined) return { name: actor, surface: 'cli' }
  // Asking git starts a process, so a command that only reads does without.
  const name = effect === 'read' ? null : await project.userName()
  return { name, surface: 'cli', assumed: true }
}

function toJson(output: unknown, { interactive }: Terminal): string {
  return `${JSON.stringify(output, null, interactive ? 2 : undefined)}\n`
}
