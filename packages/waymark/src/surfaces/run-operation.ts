import { resolve } from 'node:path'
import type * as z from 'zod'
import { type Config, ignoredSettings, loadConfig } from '../core/project/config.ts'
import { type Agent, type Context, createContext, type Shell } from '../core/context.ts'
import { isPerson } from '../agent/agent.ts'
import type { AllowedSecrets } from '../secret/secrets.ts'
import { SemanticIndex } from '../search/semantic/semantic-index.ts'
import { createEmbedder } from '../search/semantic/settings.ts'
import { Failure } from '../core/error.ts'
import { execute } from '../core/execute.ts'
import { isRemote } from '../core/remote.ts'
import { createLogger } from '../support/logger.ts'
import type { Operation } from '../core/operation.ts'
import { violation } from '../core/input/parse.ts'
import { locateProject } from '../core/project/locate-project.ts'
import { type OpenProject, openProject, toProjectInfo } from '../core/project/project.ts'
import { showNotice } from '../core/notice.ts'
import { BLANK, type Block, dim, line, printForAgent } from '../core/show.ts'
import { findAgentHost } from './agent-host.ts'
import { remoteOf } from './join/team-client.ts'
import { createProgressLine } from './cli/progress-line.ts'
import { print, printAsides } from './terminal/print.ts'
import type { Terminal } from './terminal/terminal.ts'

/** Options that every command has. */
export interface GlobalOptions {
  readonly directory?: string
  readonly actor?: string
  readonly idempotencyKey?: string
  readonly json?: boolean
  readonly allowSecret?: boolean
  /** `--no-pager` */
  readonly pager?: boolean
  /** Every page of a list. */
  readonly wantsAll?: boolean
}

/** Runs an operation for the command line and prints its output. */
export async function runOperation(
  operation: Operation,
  options: GlobalOptions,
  terminal: Terminal,
  makeInput: (context: Context) => Promise<object>,
): Promise<void> {
  const pipes = { isUsed: false }
  const output = await answerOf(operation, options, withPipes(terminal, pipes), makeInput)
  // The operation wrote its bytes to standard output; nothing may follow them.
  if (pipes.isUsed) return
  if (options.json === true) return await deliver(toJson(output, terminal), options, terminal)
  const blocks = [
    ...operation.show(output),
    ...(await pageLink(operation, output, options, terminal)),
  ]
  await deliver(await print(blocks, terminal), options, terminal)
  terminal.err(await printAsides(blocks, terminal))
}

/** Where the page shows the same, for a person while it is served. */
async function pageLink(
  { name }: Operation,
  output: unknown,
  { directory }: GlobalOptions,
  { interactive, env, cwd }: Terminal,
): Promise<readonly Block[]> {
  if (!interactive || !ON_PAGE.has(name) || findAgentHost(env) !== undefined) return []
  const { findLink } = await import('./page/page-address.ts')
  const link = findLink(name, output, locateProject(directory ?? cwd)?.stateDir)
  return link === undefined ? [] : [BLANK, dim(line`open: ${link}`)]
}

const ON_PAGE: ReadonlySet<string> = new Set(['entity.get', 'task.get', 'code.why', 'code.show'])

/** A person reads what is longer than the screen in a pager. */
async function deliver(text: string, { pager }: GlobalOptions, terminal: Terminal): Promise<void> {
  const { interactive, rows } = terminal
  const isLong = interactive && text.split('\n').length > rows
  if (isLong && pager !== false && (await terminal.page(text))) return
  terminal.out(text)
}

/** Runs an operation in the project that a command is about. */
export async function answerOf<Input extends z.ZodObject, Output extends z.ZodType>(
  operation: Operation<Input, Output>,
  options: GlobalOptions,
  terminal: Terminal,
  makeInput: (context: Context) => Promise<object>,
): Promise<z.output<Output>> {
  await using project = await openProject(options.directory ?? terminal.cwd)
  const config = loadConfig(project.root, terminal.env, { actor: options.actor })
  using progress = createProgressLine(terminal)
  const logger = createLogger({
    level: config.logLevel,
    target: 'waymark::cli',
    write: (text) => {
      progress.clear()
      terminal.err(`${text}\n`)
    },
  })
  for (const message of ignoredSettings(project.root)) logger.warn(message)
  const agent = await callerOf(operation, config, { project, env: terminal.env })
  const context = createContext({
    store: project.store,
    agent,
    ...(isPerson(agent) && { replyBytes: Infinity }),
    project: toProjectInfo(project, config),
    code: project.code,
    ...remoteOf(project.state, terminal.env),
    shell: shellOf(options.directory ?? terminal.cwd, terminal),
    logger,
    maxBatchSize: config.maxBatchSize,
    coordination: config.coordination,
    allowedSecrets: allowedSecretsOf(options, config, terminal),
    maxArtifactBytes: config.maxArtifactBytes,
    semantic: new SemanticIndex(createEmbedder(config.embedding, terminal.env)),
    idempotencyKey: options.idempotencyKey,
    tell: (notice) => terminal.err(`${printForAgent([showNotice(notice)])}\n`),
    ...(terminal.watched &&
      options.json !== true && { progress: (_done, _total, message) => progress.show(message) }),
  })
  try {
    const input = await makeInput(context)
    const first = await execute(context, operation, input)
    await keepCopy(context, operation)
    return options.wantsAll === true ? await withRest(context, operation, { input, first }) : first
  } catch (error) {
    const { withOverride, withSuggestions } = await import('./cli/help/suggestions.ts')
    // Titles of this clone's own store are not what was meant.
    const explained =
      context.remote !== undefined && isRemote(operation)
        ? error
        : await withSuggestions(context, error)
    // Not for agents that run commands: they would take tasks from other agents.
    throw terminal.interactive ? withOverride(context, operation, explained) : explained
  }
}

/** What a clone reads while its team server cannot be reached. */
async function keepCopy(context: Context, operation: Operation): Promise<void> {
  const { remote, project, logger } = context
  if (remote === undefined || project?.state === undefined || !isRemote(operation)) return
  const { refreshAfterCommand } = await import('./join/keep-copy.ts')
  await refreshAfterCommand({ state: project.state, remote, logger })
}

async function withRest<Input extends z.ZodObject, Output extends z.ZodType>(
  context: Context,
  operation: Operation<Input, Output>,
  { input, first }: { readonly input: object; readonly first: z.output<Output> },
): Promise<z.output<Output>> {
  const { pages } = operation
  let all = first
  let next = pages?.next(first)
  while (pages !== undefined && next !== undefined) {
    const page = await execute(context, operation, { ...input, ...next })
    all = pages.join(all, page)
    next = pages.next(page)
  }
  return all
}

/** `--allow-secret` needs a terminal; programs use the allowlist in the settings, which is reviewed. */
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

function withPipes(terminal: Terminal, pipes: { isUsed: boolean }): Terminal {
  return {
    ...terminal,
    writeBytes: async (bytes) => {
      pipes.isUsed = true
      await terminal.writeBytes(bytes)
    },
  }
}

function shellOf(directory: string, terminal: Terminal): Shell {
  return {
    folder: resolve(terminal.cwd, directory),
    input: () => terminal.readBytes(),
    output: async (bytes) => {
      // A terminal would interpret escape sequences in it.
      if (terminal.interactive) {
        throw violation('output', 'required', 'name a file with -o, or send it into a pipe')
      }
      await terminal.writeBytes(bytes)
    },
  }
}

/** The named agent, or the agent of a host that runs commands, or else the person, by the name in Git's settings. */
async function callerOf(
  { effect, personal }: Pick<Operation, 'effect' | 'personal'>,
  { actor }: Config,
  { project, env }: { readonly project: OpenProject; readonly env: Terminal['env'] },
): Promise<Agent> {
  if (actor !== undefined) return { name: actor, surface: 'cli' }
  const host = findAgentHost(env)
  if (host !== undefined) return { name: `${host}-cli`, surface: 'cli', assumed: true, host }
  // Asking git starts a process, so a command that only reads does without.
  const isAsked = effect !== 'read' || personal === true
  const name = isAsked ? await project.userName() : null
  return { name, surface: 'cli', assumed: true }
}

function toJson(output: unknown, { interactive }: Terminal): string {
  return `${JSON.stringify(output, null, interactive ? 2 : undefined)}\n`
}
