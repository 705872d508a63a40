import { serveStdio } from '@waymark/baton/node'
import { type Config, loadConfig } from '../config.ts'
import { loadDialects } from '../dialects/load-dialects.ts'
import { startEmbedding } from '../embedding/background.ts'
import { SemanticIndex } from '../embedding/semantic-index.ts'
import { createEmbedder } from '../embedding/settings.ts'
import { Failure } from '../error.ts'
import { withNoteRef } from '../git/code-source.ts'
import type { LogLevel } from '../logger.ts'
import { type OpenProject, toProjectInfo } from '../project.ts'
import { createProjectPool, type ProjectPool } from '../project-pool.ts'
import { createMissingStore } from '../store/missing-store.ts'
import type { GlobalOptions } from './run-operation.ts'
import { createMcpServer } from './mcp.ts'
import { createServeLog, type LogOptions } from './serve-log.ts'
import type { Terminal } from './terminal.ts'

export interface ServeOptions extends GlobalOptions, LogOptions {
  readonly dialect: string
  readonly readOnly?: boolean
  readonly toolsets?: string
  readonly tools?: string
  readonly strictProtocol?: boolean
  /** The notes ref that annotations are in, instead of what the settings say. */
  readonly noteRef?: string
  /** Projects to serve; the first is meant when a request names none. */
  readonly project?: readonly string[]
  readonly toolNames?: 'dotted' | 'underscore'
  readonly timeoutSeconds?: string
  readonly maxConcurrentRequests?: string
  readonly logLevel?: LogLevel
}

const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const

/** Serves one agent on standard input and output until it hangs up or the process is told to stop. */
export async function serve(options: ServeOptions, terminal: Terminal): Promise<number> {
  const dialects = await loadDialects(options.dialect, {
    readOnly: options.readOnly,
    toolsets: options.toolsets ?? terminal.env['WAYMARK_TOOLSETS'],
    tools: options.tools,
  })
  const { directory, project: named = [] } = options
  const folders =
    directory === undefined && named.length > 0 ? named : [directory ?? terminal.cwd, ...named]
  const [home = terminal.cwd] = folders
  await using projects = createProjectPool(folders)
  const { project, missing } = await openHome(projects, home)
  if (missing !== undefined && dialects.some(({ needsProject }) => needsProject)) throw missing
  const config = loadConfig(project?.root, terminal.env, toSettings(options))
  const target = `${dialects[0].server.name}::mcp`
  await using logger = createServeLog(options, { level: config.logLevel, target }, terminal)
  if (missing !== undefined) logger.warn('not serving a project yet', { message: missing.message })
  const semantic = new SemanticIndex(createEmbedder(config.embedding, terminal.env))
  const isReadOnly = options.readOnly === true
  // The local model is quick enough to be asked when somebody searches; one behind an address is not.
  await using _ =
    project === undefined || isReadOnly || semantic.embedder.isApproximate
      ? undefined
      : startEmbedding({ store: project.store, semantic, logger })
  const server = createMcpServer({
    dialects,
    ...(project === undefined
      ? { store: createMissingStore(missing), home }
      : {
          store: project.store,
          project: toProjectInfo(project, config),
          code: withNoteRef(project.code, options.noteRef, dialects[0].name),
        }),
    projects,
    config,
    logger,
    semantic,
    access: { readOnly: isReadOnly },
    strictProtocol: options.strictProtocol === true,
    ...(options.toolNames !== undefined && { toolNames: options.toolNames }),
  })
  const connection = serveStdio(server)
  const stop = (signal: NodeJS.Signals) => {
    logger.info('Shutting down...', { signal })
    void connection.close()
  }
  for (const signal of STOP_SIGNALS) process.once(signal, stop)
  logger.info('serving', {
    dialects: dialects.map(({ name }) => name).join(','),
    version: dialects[0].server.version,
  })
  await connection.closed
  logger.info('stopped')
  return 0
}

type Home =
  | { readonly project: OpenProject; readonly missing?: never }
  | { readonly project?: never; readonly missing: Failure }

/** A folder that is no project is no reason not to start: hosts start servers wherever they happen to be. */
async function openHome(projects: ProjectPool, folder: string): Promise<Home> {
  try {
    return { project: await projects.open(folder) }
  } catch (error) {
    if (error instanceof Failure && error.code === 'not_initialised') return { missing: error }
    throw error
  }
}

function toSettings(options: ServeOptions): Partial<Config> {
  const { timeoutSeconds, maxConcurrentRequests } = options
  return {
    ...(options.actor !== undefined && { actor: options.actor }),
    ...(options.logLevel !== undefined && { logLevel: options.logLevel }),
    ...(timeoutSeconds !== undefined && { requestTimeoutMs: Number(timeoutSeconds) * 1000 }),
    ...(maxConcurrentRequests !== undefined && {
      maxConcurrentRequests: Number(maxConcurrentRequests),
    }),
  }
}
