import { serveStdio } from '@waymark/baton/node'
import { ignoredSettings, loadConfig } from '../../core/project/config.ts'
import { readSetting } from '../../core/project/settings.ts'
import { loadDialects } from '../../dialects/load-dialects.ts'
import { startEmbedding } from '../../search/semantic/background.ts'
import { SemanticIndex } from '../../search/semantic/semantic-index.ts'
import { createEmbedder } from '../../search/semantic/settings.ts'
import { Failure } from '../../core/error.ts'
import { withNoteRef } from '../../git/code-source.ts'
import { type OpenProject, toProjectInfo } from '../../core/project/project.ts'
import { createProjectPool, type ProjectPool } from '../../core/project/project-pool.ts'
import { createMissingStore } from '../../core/project/missing-store.ts'
import { offload } from '../../core/worker/offload.ts'
import { startCopying } from '../join/keep-copy.ts'
import { remoteOf } from '../join/team-client.ts'
import { ClientLog } from '../mcp/client-log.ts'
import { createMcpServer } from '../mcp/mcp.ts'
import { startSync } from './background-sync.ts'
import { keepSessions } from './keep-sessions.ts'
import { withRustLog } from './log/rust-log.ts'
import { spareMemory } from './spare-memory.ts'
import { createServeLog } from './log/serve-log.ts'
import { foldersOf, onStopSignal, type ServeOptions, settingsOf, syncs } from './serve-setup.ts'
import { startTelemetry } from '../telemetry.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** Serves until the client disconnects or the process gets a signal. Returns the exit code. */
export async function serve(options: ServeOptions, terminal: Terminal): Promise<number> {
  const { http, host, port } = options
  if (http === undefined && host === undefined && port === undefined)
    return await servePipes(options, terminal)
  const { serveHttp } = await import('./serve-http.ts')
  return await serveHttp(options, terminal)
}

/** Serves one agent on standard input and output. */
async function servePipes(options: ServeOptions, terminal: Terminal): Promise<number> {
  const dialects = await loadDialects(options.dialect, {
    readOnly: options.readOnly,
    toolsets: readSetting('toolsets', { env: terminal.env, flag: options.toolsets }),
    tools: options.tools,
  })
  const folders = foldersOf(options, terminal)
  const [home] = folders
  const isReadOnly = options.readOnly === true
  await using projects = createProjectPool(folders, { isReadOnly })
  const { project, missing } = await openHome(projects, home)
  if (missing !== undefined && dialects.some(({ needsProject }) => needsProject)) throw missing
  const target = `${dialects[0].server.name}::mcp`
  const env = dialects[0].readsRustLog === true ? withRustLog(terminal.env, target) : terminal.env
  const config = loadConfig(project?.root, env, settingsOf(options))
  await using logger = createServeLog(options, { level: config.logLevel, target }, terminal)
  if (project !== undefined)
    for (const message of ignoredSettings(project.root)) logger.warn(message)
  if (missing !== undefined) logger.warn('not serving a project yet', { message: missing.message })
  const semantic = new SemanticIndex(createEmbedder(config.embedding, terminal.env))
  // The local model is fast enough to embed during a search; a remote one embeds in the background.
  await using _ =
    project === undefined || isReadOnly || semantic.embedder.isApproximate
      ? undefined
      : startEmbedding({ store: project.store, semantic, logger })
  await using _sync =
    project !== undefined && !isReadOnly && syncs(options, terminal)
      ? startSync({ project, config, logger })
      : undefined
  const joined = project === undefined ? {} : remoteOf(project.state, terminal.env)
  await using _copying =
    project === undefined || joined.remote === undefined || isReadOnly
      ? undefined
      : startCopying({ state: project.state, remote: joined.remote, logger })
  await using telemetry = await startTelemetry(terminal.env, logger)
  const store = missing === undefined ? project.store : createMissingStore(missing)
  await using clients = new ClientLog({
    logger,
    store,
    worktree: project?.root,
    readOnly: isReadOnly,
  })
  const closing = new AbortController()
  const stores = async () => (await projects.opened()).map(({ store }) => store)
  using memory = spareMemory(stores)
  const server = createMcpServer({
    clients,
    onCall: () => memory.called(),
    closing: closing.signal,
    dialects,
    ...(telemetry !== undefined && { span: telemetry.span }),
    ...(project === undefined
      ? { home }
      : {
          project: toProjectInfo(project, config),
          code: withNoteRef(project.code, options.noteRef, dialects[0].name),
          ...joined,
        }),
    store,
    projects,
    config,
    logger,
    semantic,
    offload,
    access: { readOnly: isReadOnly },
    hostEnv: terminal.env,
    strictProtocol: options.strictProtocol === true,
    ...(options.toolNames !== undefined && { toolNames: options.toolNames }),
  })
  await using _sessions = keepSessions(stores)
  const connection = serveStdio(server)
  // Hosts file standard error under errors, so by default it has one line: which client connected.
  const level = dialects[0].logsStart === true ? 'info' : 'debug'
  onStopSignal((signal) => {
    logger[level]('Shutting down...', { signal })
    void connection.close()
  })
  logger[level]('serving', {
    dialects: dialects.map(({ name }) => name).join(','),
    version: dialects[0].server.version,
  })
  await connection.closed
  closing.abort()
  logger[level]('stopped')
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
