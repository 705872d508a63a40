import { setTimeout as sleep } from 'node:timers/promises'
import { type BoundAddress, type HttpListener, listenHandler } from '@waymark/baton/node'
import { loadConfig } from '../../core/project/config.ts'
import { readSetting } from '../../core/project/settings.ts'
import { DIALECT_NAMES, loadDialects } from '../../dialects/load-dialects.ts'
import { Failure } from '../../core/error.ts'
import type { Logger } from '../../support/logger.ts'
import { toReal } from '../../core/project/project-pool.ts'
import { createServeLog } from './log/serve-log.ts'
import { foldersOf, onStopSignal, type ServeOptions, settingsOf, syncs } from './serve-setup.ts'
import { startTelemetry } from '../telemetry.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { createAuthentication } from '../http/authentication.ts'
import { withPageSessions } from '../page/page-authentication.ts'
import { createPageSessions } from '../page/page-sessions.ts'
import { rememberServedPage } from '../page/served-page.ts'
import { hostFolders } from './hosting/hosting.ts'
import { type HttpSettings, readHttpSettings } from './http-settings.ts'
import { McpEndpoints } from '../http/mcp-endpoints.ts'
import { measureOperations, Metrics } from '../http/metrics.ts'
import { describeServer, type ServerDescription } from './server-description.ts'
import { createWaymarkSite } from '../http/waymark-site.ts'

/** With half a second each for last answers and for reading them, a server stops within five seconds. */
const GRACE_MS = 4_000

/** Tells the user that the server listens. */
type Announce = (description: ServerDescription) => void | Promise<void>

/** Serves projects over HTTP until the process is told to stop. Answers the exit code. */
export async function serveHttp(
  options: ServeOptions,
  terminal: Terminal,
  announce: Announce = (description) =>
    terminal.out(describeServer(description, options.json === true)),
): Promise<number> {
  const stopping = new Promise<NodeJS.Signals>((stop) => onStopSignal(stop))
  const settings = readHttpSettings(options, terminal.env)
  // A mistake in the flags should show at once, not with the first request.
  await loadDialects(options.dialect, selectionOf(options, terminal))
  const flags = settingsOf(options)
  const folders = foldersOf(options, terminal)
  const { database } = settings
  const root = database === undefined ? toReal(folders[0]) : undefined
  const { logLevel } = loadConfig(root, terminal.env, flags)
  await using logger = createServeLog(
    options,
    { level: logLevel, target: 'waymark::http' },
    terminal,
  )
  const isReadOnly = options.readOnly === true
  await using telemetry = await startTelemetry(terminal.env, logger)
  const traced = telemetry === undefined ? {} : { span: telemetry.span }
  const hostingOptions = { env: terminal.env, flags, isReadOnly, logger, ...traced }
  await using hosting = await (database === undefined
    ? hostFolders(folders, { ...hostingOptions, syncs: syncs(options, terminal) })
    : import('./hosting/hosted-database.ts').then(({ hostDatabase }) =>
        hostDatabase(database, hostingOptions),
      ))
  const { directory, state } = hosting
  const access = { readOnly: isReadOnly }
  // With --tools nothing else is served: no other dialect and no API routes.
  const isLimited = options.tools !== undefined
  const dialects = isLimited ? [options.dialect] : DIALECT_NAMES
  const metrics = new Metrics()
  const span = measureOperations(metrics, telemetry?.span)
  const pages = state === undefined ? undefined : createPageSessions(state)
  const drain = new AbortController()
  let secretFile: string | undefined
  const listener = await listen(settings, (bound) => {
    const credentials = createAuthentication(settings, {
      url: toUrl(settings, bound.port),
      state,
      hasSeveralProjects: database !== undefined || hosting.projects.length > 1,
      isReadOnly: access.readOnly,
    })
    const authentication =
      pages === undefined
        ? (hosting.withTokens?.(credentials) ?? credentials)
        : withPageSessions(credentials, pages)
    secretFile = authentication.secretFile
    const endpoints = new McpEndpoints({
      load: (names) => loadDialects(names, selectionOf(options, terminal)),
      authentication,
      access,
      span,
      onSession: (event) => metrics.session(event),
      logger,
      noteRef: options.noteRef,
      strictProtocol: options.strictProtocol === true,
      ...(options.toolNames !== undefined && { toolNames: options.toolNames }),
    })
    return createWaymarkSite({
      directory,
      draining: drain.signal,
      endpoints,
      dialect: options.dialect,
      dialects,
      authentication,
      ...(pages !== undefined && { pages }),
      hasApi: !isLimited,
      access,
      logger,
      metrics,
      span,
      isTeam: database !== undefined,
      ...(telemetry !== undefined && { trace: telemetry.request }),
      url: toUrl(settings, bound.port),
      ...toGuard(settings, bound),
      ...(settings.rateLimit !== undefined && { rateLimit: settings.rateLimit }),
    })
  })
  const description: ServerDescription = {
    url: toUrl(settings, listener.port),
    port: listener.port,
    secretFile,
    dialects,
    projects: hosting.projects.map(({ name, folder }) => ({ name, folder })),
  }
  if (!isLimited && state !== undefined) await rememberPage(state, description, logger)
  await announce(description)
  logger.info('serving', { url: description.url, secret_file: secretFile })
  warnOfOthers(settings, logger)
  logger.info('Shutting down...', { signal: await stopping })
  drain.abort()
  if (settings.drainMs > 0) await sleep(settings.drainMs)
  await listener.close()
  logger.info('stopped')
  return 0
}

/** The page can be served without it, but `waymark ui` will not find it. */
async function rememberPage(
  state: string,
  description: ServerDescription,
  logger: Logger,
): Promise<void> {
  try {
    await rememberServedPage(state, description)
  } catch (error) {
    logger.warn('`waymark ui` will not find this server', { error })
  }
}

function selectionOf({ readOnly, toolsets, tools }: ServeOptions, { env }: Terminal) {
  return { readOnly, toolsets: readSetting('toolsets', { env, flag: toolsets }), tools }
}

/** Where clients find the server; one that listens everywhere is found on this machine at least. */
function toUrl({ publicUrl, host }: HttpSettings, port: number): string {
  const name = ANYWHERE.test(host) ? '127.0.0.1' : toHostName(host)
  return publicUrl ?? `http://${name}:${port}`
}

const ANYWHERE = /^(?:0\.0\.0\.0|::)$/

function toGuard(
  { host, isLoopback, publicUrl, ...settings }: HttpSettings,
  { port, allowedHosts }: BoundAddress,
) {
  const named = isLoopback || ANYWHERE.test(host) ? [] : [toHostName(host)]
  const published = publicUrl === undefined ? [] : [new URL(publicUrl)]
  return {
    allowedHosts: [
      ...allowedHosts,
      ...[...named, ...settings.allowedHosts].flatMap((name) =>
        /:\d+$/.test(name) ? [name] : [name, `${name}:${port}`],
      ),
      ...published.map((url) => url.host),
    ],
    allowedOrigins: [...settings.allowedOrigins, ...published.map((url) => url.origin)],
  }
}

function toHostName(address: string): string {
  return address.includes(':') ? `[${address}]` : address
}

async function listen(
  { host, port }: HttpSettings,
  create: Parameters<typeof listenHandler>[1],
): Promise<HttpListener> {
  try {
    return await listenHandler({ host, port, graceMs: GRACE_MS }, create)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    const reason = LISTEN_PROBLEMS[code]
    if (reason === undefined) throw error
    throw new Failure('storage_unavailable', `port: cannot listen on ${host}:${port}: ${reason}`, {
      cause: error,
    })
  }
}

const LISTEN_PROBLEMS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'port already in use; choose another port, or 0 for a free one',
  EACCES: 'permission denied; choose a port above 1023',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'host name cannot be resolved',
}

function warnOfOthers({ isLoopback, host, publicUrl }: HttpSettings, logger: Logger): void {
  if (isLoopback || publicUrl?.startsWith('https:') === true) return
  logger.warn('plain HTTP on a public address: requests are not encrypted', {
    host,
    remedy: 'use a TLS proxy and pass its address with --public-url',
  })
}
