import { setMaxListeners } from 'node:events'
import {
  type AdmittedRequest,
  createHttpApp,
  type HttpAnswer,
  type HttpEndpoint,
  type HttpHandler,
  type HttpRequest,
  type HttpAppOptions,
  type VerifiedPrincipal,
} from '@waymark/baton/http'
import type { Access, Context } from '../../core/context.ts'
import { withDeadline } from '../../support/deadline.ts'
import { Failure } from '../../core/error.ts'
import type { Logger } from '../../support/logger.ts'
import { ApiEndpoint, type ApiOptions } from './api-endpoint.ts'
import type { Authentication } from './authentication.ts'
import { claimValues } from '../claim-values.ts'
import { ContentsEndpoint } from './contents-endpoint.ts'
import type { HostedProject } from '../serve/hosted-project.ts'
import { toFailureAnswer, toJsonAnswer } from './json-answer.ts'
import type { McpEndpoints } from './mcp-endpoints.ts'
import type { Metrics } from './metrics.ts'
import { toRefusalAnswer } from './refusal-answer.ts'
import { measureRequests } from './request-metrics.ts'
import { parsePath, type Target } from './site-path.ts'

export interface SiteOptions extends Pick<
  HttpAppOptions,
  'allowedHosts' | 'allowedOrigins' | 'rateLimit'
> {
  /** The first is meant where an address names none. */
  readonly projects: readonly [HostedProject, ...HostedProject[]]
  readonly endpoints: McpEndpoints
  /** The dialects of `/mcp`, and those that can be had at `/mcp/<dialect>`. */
  readonly dialect: string
  readonly dialects: readonly string[]
  readonly authentication: Authentication
  /** Whether operations are routes. */
  readonly hasApi: boolean
  readonly access: Access
  readonly logger: Logger
  readonly metrics: Metrics
  readonly span: Context['span']
  /** Where clients find the server, without a path. */
  readonly url: string
}

/** Time for aborted requests to answer during a shutdown. */
const LAST_WORDS_MS = 500

/** The options and the shutdown signal. */
type Served = SiteOptions & Pick<ApiOptions, 'stopping'>

/** Everything that is served over HTTP, by its path. */
export function createWaymarkSite(options: SiteOptions): HttpHandler {
  const { projects, endpoints, logger, rateLimit } = options
  const stop = new AbortController()
  // One listener per running request.
  setMaxListeners(0, stop.signal)
  const served: Served = { ...options, stopping: stop.signal }
  const underWay = new Set<Promise<void>>()
  const serve = async (target: Target, admitted: AdmittedRequest): Promise<void> => {
    const work = answerTarget(served, target, admitted)
    if (target.kind === 'mcp') return await work
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
    publicPages: { '/health': () => answerHealth(projects[0]) },
    find: ({ path }): HttpEndpoint | undefined => {
      const target = parsePath(path)
      return target && { serve: (admitted) => serve(target, admitted) }
    },
    onClose: async (graceMs) => {
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

async function answerTarget(
  options: Served,
  target: Target,
  admitted: AdmittedRequest,
): Promise<void> {
  const { reply } = admitted
  try {
    const endpoint = await findEndpoint(options, target, admitted.principal)
    await endpoint.serve(admitted)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    reply.send(toFailureAnswer(error))
  }
}

/** Called only for authenticated callers, so that others cannot probe for projects. */
async function findEndpoint(
  options: Served,
  target: Target,
  principal: VerifiedPrincipal,
): Promise<HttpEndpoint> {
  switch (target.kind) {
    case 'metrics':
      return toPage((admitted) => answerMetrics(options, admitted))
    case 'openapi':
      return toPage(() => answerOpenApi(options))
    case 'api':
    case 'cas':
    case 'mcp':
      return await findInProject(options, target, principal)
  }
}

async function findInProject(
  options: Served,
  target: Extract<Target, { kind: 'api' | 'cas' | 'mcp' }>,
  principal: VerifiedPrincipal,
): Promise<HttpEndpoint> {
  const { endpoints, dialect, dialects } = options
  const project = findProject(options, target, principal)
  if (target.kind === 'mcp') {
    const wanted = target.dialect ?? dialect
    if (wanted === dialect || dialects.includes(wanted)) return endpoints.find(project, wanted)
    throw new Failure('not_found', 'no such dialect is served here', {
      details: { valid: dialects },
    })
  }
  if (!options.hasApi)
    throw new Failure('not_found', 'this server offers chosen tools only, at /mcp')
  const open = () => project.open()
  if (target.kind === 'cas') return new ContentsEndpoint(options, target.collection, open)
  return new ApiEndpoint(options, target.operation, open)
}

/** The project that an address is about, if the caller's token is good for it. */
function findProject(
  { projects }: SiteOptions,
  { project: wanted }: Target,
  { claims }: VerifiedPrincipal,
): HostedProject {
  const found = wanted === undefined ? projects[0] : projects.find(({ name }) => name === wanted)
  const allowed = allowedProjects(claims)
  if (found !== undefined && (allowed === undefined || isAmong(allowed, found))) return found
  if (allowed !== undefined)
    throw new Failure('forbidden', 'your token is for other projects', {
      details: { reason: 'other_project' },
    })
  throw new Failure('not_found', 'no such project is served here', {
    details: { valid: projects.map(({ name }) => name) },
  })
}

/** The `project_id` claim of a token; undefined when the token has none. */
function allowedProjects(claims: VerifiedPrincipal['claims']): readonly unknown[] | undefined {
  const named = claims?.['project_id']
  return named === undefined ? undefined : claimValues(named)
}

/** Reads only the marker: a project is not opened for a caller without access to it. */
function isAmong(allowed: readonly unknown[], { name, readId }: HostedProject): boolean {
  if (allowed.includes(name)) return true
  const id = readId()
  return id !== undefined && allowed.includes(id)
}

function toPage(answer: (admitted: AdmittedRequest) => Awaitable<HttpAnswer>): HttpEndpoint {
  return {
    async serve(admitted) {
      const { request, reply } = admitted
      const { method } = request
      reply.send(method === 'GET' || method === 'HEAD' ? await answer(admitted) : ONLY_GET)
    },
  }
}

type Awaitable<T> = T | Promise<T>

const ONLY_GET = toFailureAnswer(new Failure('invalid_input', 'this can only be read'), {
  status: 405,
  headers: { allow: 'GET, HEAD' },
})

function answerMetrics(
  { authentication, metrics }: SiteOptions,
  { principal }: AdmittedRequest,
): HttpAnswer {
  const denial = authentication.authorize(principal, { name: 'project.status', effect: 'read' })
  if (denial !== undefined)
    return toFailureAnswer(new Failure('forbidden', denial.message), { headers: denial.headers })
  const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }
  return {
    status: 200,
    headers: { ...headers, 'cache-control': 'no-store' },
    body: metrics.toText(),
  }
}

async function answerOpenApi({ hasApi, url }: SiteOptions): Promise<HttpAnswer> {
  if (!hasApi) throw new Failure('not_found', 'this server offers chosen tools only, at /mcp')
  const { createOpenApi } = await import('./openapi.ts')
  return toJsonAnswer(200, await createOpenApi(url))
}

/** Health check for a supervisor. It is unauthenticated, so it reveals nothing else. */
async function answerHealth(home: HostedProject): Promise<HttpAnswer> {
  try {
    const { project } = await home.open()
    await project.store.events.latest()
    return toJsonAnswer(200, { ok: true })
  } catch {
    return toJsonAnswer(503, { ok: false })
  }
}
