import { setMaxListeners } from 'node:events'
import {
  type AdmittedRequest,
  createHttpApp,
  type HttpAnswer,
  type HttpEndpoint,
  type HttpHandler,
  type HttpRequest,
  type HttpAppOptions,
} from '@waymark/baton/http'
import type { Access, Context } from '../../core/context.ts'
import type { Telemetry } from '../telemetry.ts'
import { withDeadline } from '../../support/deadline.ts'
import { Failure } from '../../core/error.ts'
import type { Logger } from '../../support/logger.ts'
import { answerOperation, statusOf } from './api-route.ts'
import type { Authentication } from './authentication.ts'
import type { HostedProject } from '../serve/hosting/hosted-project.ts'
import type { Directory } from './directory.ts'
import { compressAnswer } from './answer/compress-answer.ts'
import { toFailureAnswer, toJsonAnswer } from './answer/json-answer.ts'
import type { McpEndpoints } from './mcp-endpoints.ts'
import { measureRequests, type Metrics } from './metrics.ts'
import { toRefusalAnswer } from './answer/refusal-answer.ts'
import type { RouteCall } from './request-context.ts'
import { parsePath, type Target } from './site-path.ts'
import { PagePrincipal } from '../page/page-principal.ts'
import { PresenceHub } from '../page/presence.ts'
import type { PageFiles } from '../page/page-files.ts'
import type { PageSessions } from '../page/page-sessions.ts'
import { sendAll } from './answer/stream-answer.ts'

export interface SiteOptions extends Pick<
  HttpAppOptions,
  'allowedHosts' | 'allowedOrigins' | 'rateLimit'
> {
  readonly directory: Directory
  /** Aborted when no more requests should be sent here, some time before the server closes. */
  readonly draining?: AbortSignal
  readonly endpoints: McpEndpoints
  /** The dialects of `/mcp`, and those that can be had at `/mcp/<dialect>`. */
  readonly dialect: string
  readonly dialects: readonly string[]
  readonly authentication: Authentication
  /** Sessions of the page, where it is served. */
  readonly pages?: PageSessions
  /** Whether operations are routes. */
  readonly hasApi: boolean
  readonly access: Access
  readonly logger: Logger
  readonly metrics: Metrics
  readonly span: Context['span']
  /** Projects of a database, with members and tokens. */
  readonly isTeam?: boolean
  /** Puts the answer to a request into the trace of its caller. */
  readonly trace?: Telemetry['request']
  /** Where clients find the server, without a path. */
  readonly url: string
}

/** Time for aborted requests to answer during a shutdown. */
const LAST_WORDS_MS = 500

/** The options and the shutdown signal. */
type Served = SiteOptions &
  Pick<RouteCall, 'stopping'> & {
    /** The files of the page, read when the first is asked for. */
    readonly files: { page?: PageFiles }
    readonly live: {
      readonly presence: PresenceHub
      readonly pages: PageSessions | undefined
      /** Aborted when the server begins to close. */
      readonly closing: AbortSignal
    }
  }

/** Everything that is served over HTTP, by its path. */
export function createWaymarkSite(options: SiteOptions): HttpHandler {
  const { directory, draining, endpoints, logger, rateLimit } = options
  const stop = new AbortController()
  // One listener per running request.
  setMaxListeners(0, stop.signal)
  const close = new AbortController()
  setMaxListeners(0, close.signal)
  const live = { presence: new PresenceHub(), pages: options.pages, closing: close.signal }
  const served: Served = { ...options, stopping: stop.signal, files: {}, live }
  const underWay = new Set<Promise<void>>()
  const serve = async (target: Target, admitted: AdmittedRequest): Promise<void> => {
    const answer = () => answerTarget(served, target, admitted)
    // Calls over MCP carry their trace in the message.
    if (target.kind === 'mcp') return await answer()
    const { request } = admitted
    const name = `${request.method} /${target.kind}`
    const work = options.trace?.(name, (key) => request.header(key), answer) ?? answer()
    underWay.add(work)
    await work.finally(() => underWay.delete(work))
  }
  const finishRoutes = async (graceMs: number): Promise<void> => {
    await settledWithin(underWay, graceMs)
    stop.abort(new Failure('busy', 'the server is shutting down'))
    await settledWithin(underWay, LAST_WORDS_MS)
  }
  return createHttpApp({
    ...options,
    authenticator: options.authentication.site,
    ...(rateLimit !== undefined && { rateLimit: { ...rateLimit, partitionBy } }),
    publicPages: {
      '/health': () => answerHealth(directory),
      '/ready': () => (draining?.aborted === true ? NOT_OK : answerHealth(directory)),
    },
    find: ({ path, method }): HttpEndpoint | undefined => {
      const target = parsePath(path)
      if (target === undefined) return undefined
      return { isPublic: isPublic(target, method), serve: (admitted) => serve(target, admitted) }
    },
    onClose: async (graceMs) => {
      close.abort(new Failure('busy', 'the server is shutting down'))
      await Promise.all([finishRoutes(graceMs), endpoints.close(graceMs)])
    },
    onRefusal: toRefusalAnswer,
    onResponse: measureRequests(options.metrics),
    onError: (error) => logger.error('a request failed', { error }),
  })
}

async function settledWithin(work: Iterable<Promise<void>>, milliseconds: number): Promise<void> {
  using patience = withDeadline(milliseconds)
  const { signal } = patience
  const timeUp = new Promise((resolve) => signal.addEventListener('abort', resolve))
  await Promise.race([Promise.allSettled(work), timeUp])
}

/** Rate limits apply per agent of one owner, so that an agent that floods does not block the others. */
function partitionBy(request: HttpRequest): string {
  const session = request.header('mcp-session-id') ?? request.query.get('sessionId')
  return session ?? request.header('waymark-agent') ?? ''
}

/** The shell of the page holds no data, and a session begins with a one-time code instead of credentials. */
function isPublic(target: Target, method: string): boolean {
  if (target.kind === 'page') return true
  return target.kind === 'page-route' && target.route === 'session' && method === 'POST'
}

/** Called only for authenticated callers, except for the page, so that others cannot probe for projects. */
async function answerTarget(
  options: Served,
  target: Target,
  admitted: AdmittedRequest,
): Promise<void> {
  const { reply } = admitted
  try {
    if (target.kind === 'metrics')
      return reply.send(onlyGet(admitted) ?? answerMetrics(options, admitted))
    if (target.kind === 'openapi')
      return reply.send(onlyGet(admitted) ?? (await answerOpenApi(options)))
    if (target.kind === 'page')
      return reply.send(onlyGet(admitted) ?? (await answerPage(options, admitted)))
    const admission = await options.directory.admit(target.project, admitted.principal)
    const call = { ...admitted, ...admission }
    if (target.kind === 'page-route') return await answerPageRoute(options, target, call)
    if (target.kind === 'mcp') {
      refusePage(call)
      const endpoint = await findMcpEndpoint(options, target, call.project)
      return await endpoint.serve(call)
    }
    requireApi(options)
    if (target.kind === 'team') {
      const { answerTeam } = await import('./team/team-route.ts')
      return reply.send(
        await answerTeam(
          {
            ...call,
            access: options.access,
            visible: () => options.directory.visibleTo(call.principal),
          },
          target,
        ),
      )
    }
    if (target.kind === 'api' && target.operation === 'event.stream') {
      const { answerStream } = await import('../page/stream-route.ts')
      const projects = () => options.directory.visibleTo(call.principal)
      return await answerStream({ ...call, ...toCallFacts(options), projects }, options.live)
    }
    await answerRoute(options, target, call)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const status = statusOf(error)
    reply.send(toFailureAnswer(error, status === undefined ? {} : { status }))
  }
}

async function findMcpEndpoint(
  { endpoints, dialect, dialects }: SiteOptions,
  { dialect: wanted = dialect }: Extract<Target, { kind: 'mcp' }>,
  project: HostedProject,
): Promise<HttpEndpoint> {
  if (wanted === dialect || dialects.includes(wanted)) return await endpoints.find(project, wanted)
  throw new Failure('not_found', 'no such dialect is served here', { details: { valid: dialects } })
}

function requireApi({ hasApi }: SiteOptions): void {
  if (!hasApi) throw new Failure('not_found', 'this server offers chosen tools only, at /mcp')
}

/** Runs a route of a project under a request id, which is in the log and in the response. */
async function answerRoute(
  options: Served,
  target: Extract<Target, { kind: 'api' | 'cas' }>,
  admitted: AdmittedRequest & Pick<RouteCall, 'project'>,
): Promise<void> {
  const { request, reply } = admitted
  const requestId = crypto.randomUUID()
  reply.setHeader('x-request-id', requestId)
  const started = performance.now()
  const operation = target.kind === 'api' ? target.operation : `${request.method} /cas`
  const logger = options.logger.with({ request_id: requestId, operation })
  const projects = () => options.directory.visibleTo(admitted.principal)
  const call = { ...admitted, ...toCallFacts(options), projects, logger }
  const answer = await (target.kind === 'api'
    ? answerOperation(call, target.operation)
    : loadContentsRoute().then((answerContents) => answerContents(call, target.collection)))
  const duration = Math.round(performance.now() - started)
  logger.info('completed', { status: answer.status, duration_ms: duration })
  await sendAll(reply, await compressAnswer(request, answer))
}

async function answerPage(options: Served, { request }: AdmittedRequest): Promise<HttpAnswer> {
  requirePages(options)
  const { PageFiles } = await import('../page/page-files.ts')
  options.files.page ??= new PageFiles()
  return await options.files.page.answer(request)
}

async function answerPageRoute(
  options: Served,
  { route }: Extract<Target, { kind: 'page-route' }>,
  admitted: AdmittedRequest & Pick<RouteCall, 'project'>,
): Promise<void> {
  const pages = requirePages(options)
  const { answerRoute } = await import('../page/page-routes.ts')
  const call = { ...admitted, ...toCallFacts(options) }
  admitted.reply.send(await answerRoute(call, route, { pages, presence: options.live.presence }))
}

function toCallFacts({ authentication, access, span, stopping, logger }: Served) {
  return { authentication, access, span, stopping, logger }
}

function requirePages(options: SiteOptions): PageSessions {
  requireApi(options)
  if (options.pages !== undefined) return options.pages
  throw new Failure('not_found', 'this server has no page')
}

/** Agents speak MCP; the person's session is for the page. */
function refusePage({ principal }: AdmittedRequest): void {
  if (!(principal instanceof PagePrincipal)) return
  throw new Failure('forbidden', 'a session of the page is not for /mcp')
}

/** Loaded by the first request for contents. */
async function loadContentsRoute() {
  return (await import('./contents-route.ts')).answerContents
}

/** The refusal of a request that does more than read. */
function onlyGet({ request: { method } }: AdmittedRequest): HttpAnswer | undefined {
  return method === 'GET' || method === 'HEAD' ? undefined : ONLY_GET
}

const ONLY_GET = toFailureAnswer(new Failure('invalid_input', 'this can only be read'), {
  status: 405,
  headers: { allow: 'GET, HEAD' },
})

function answerMetrics(
  { authentication, directory, metrics }: SiteOptions,
  { principal }: AdmittedRequest,
): HttpAnswer {
  if (!directory.mayReadMetrics(principal))
    throw new Failure('forbidden', 'figures of this server are for its operator')
  const denial = authentication.authorize(principal, ['projects:read'])
  if (denial !== undefined)
    return toFailureAnswer(new Failure('forbidden', denial.message), { headers: denial.headers })
  const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }
  return {
    status: 200,
    headers: { ...headers, 'cache-control': 'no-store' },
    body: metrics.toText(),
  }
}

async function answerOpenApi(options: SiteOptions): Promise<HttpAnswer> {
  requireApi(options)
  const { createOpenApi } = await import('./openapi.ts')
  const { toTeamPaths } =
    options.isTeam === true ? await import('./team/team-openapi.ts') : { toTeamPaths: () => ({}) }
  return toJsonAnswer(200, await createOpenApi(options.url, toTeamPaths()))
}

/** Health check for a supervisor. It is unauthenticated, so it reveals nothing else. */
async function answerHealth(directory: Directory): Promise<HttpAnswer> {
  try {
    await directory.check()
    return toJsonAnswer(200, { ok: true })
  } catch {
    return NOT_OK
  }
}

const NOT_OK = toJsonAnswer(503, { ok: false }, { 'retry-after': '1' })
