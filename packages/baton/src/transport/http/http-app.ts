import type { Authenticator } from '../../auth/authenticator.ts'
import type { RequestGuardOptions } from '../../auth/request-guard.ts'
import { ERROR_CODES } from '../../protocol/error.ts'
import type { Awaitable } from '../../server/call-context.ts'
import { SessionCapacityError } from '../../session/session-store.ts'
import { ClientDisconnectedError } from './client-disconnected-error.ts'
import { allowEveryOrigin, allowOrigin, toPreflightAnswer } from './cors.ts'
import type { HttpEndpoint } from './endpoint.ts'
import { serveFetch } from './fetch-adapter.ts'
import { Gate } from './gate.ts'
import {
  type HttpError,
  type HttpRefusal,
  SHUTTING_DOWN,
  toErrorAnswer,
  toJsonAnswer,
  toRefusal,
} from './http-error.ts'
import type { HttpAnswer, HttpReply, HttpRequest } from './http-message.ts'
import { ObservedReply } from './observed-reply.ts'
import type { RateLimit } from './rate-limiter.ts'

/** Options of an HTTP application. */
export interface HttpAppOptions extends RequestGuardOptions {
  /** Authenticates callers. `none` must be explicit, so that a server is never open by mistake. */
  readonly authenticator: Authenticator | 'none'
  readonly rateLimit?: RateLimit
  /** Pages by path that need no credentials, such as a health check; host and origin are checked. */
  readonly publicPages?: Readonly<Record<string, (request: HttpRequest) => Awaitable<HttpAnswer>>>
  /** Finds the endpoint of a path; called before authentication, so it must be cheap. */
  readonly find: (request: HttpRequest) => HttpEndpoint | undefined
  /**
   * Formats a refusal for the path of the request; `undefined` formats it as a JSON-RPC error, which is the default.
   * @example
   * onRefusal: ({ status, message, headers }, { path }) =>
   *   path === '/mcp' ? undefined : { status, headers, body: message }
   */
  readonly onRefusal?: (refusal: HttpRefusal, request: HttpRequest) => HttpAnswer | undefined
  /** Called when a response starts, with the milliseconds since its request arrived. */
  readonly onResponse?: (status: number, request: HttpRequest, elapsedMs: number) => void
  /** Finishes the running requests of the endpoints when the application closes. */
  readonly onClose?: (graceMs: number) => Promise<void>
  /** Gets the errors whose details are not sent to clients. */
  readonly onError?: (error: unknown) => void
  /** Epoch milliseconds; tests pass their own clock. */
  readonly now?: () => number
}

/** Handles HTTP requests, without the socket. */
export interface HttpHandler extends AsyncDisposable {
  /** Handles a web-standard request. */
  readonly fetch: (request: Request) => Promise<Response>
  /** Handles a request of any HTTP server, through an adapter. */
  handle(request: HttpRequest, reply: HttpReply): Promise<void>
  /** Paths outside the mount path that must be routed to this handler too: OAuth metadata. */
  readonly wellKnownPaths: readonly string[]
  /** Refuses new requests, gives running ones time to finish and ends all streams. */
  close(graceMs?: number): Promise<void>
}

const DEFAULT_GRACE_MS = 5_000

/** Creates an HTTP application: endpoints behind common checks of host, origin, credentials and rate. */
export function createHttpApp(options: HttpAppOptions): HttpHandler {
  const { find, publicPages = {}, onRefusal, onError = () => {}, now = Date.now } = options
  const authenticator = options.authenticator === 'none' ? undefined : options.authenticator
  const gate = new Gate({ ...options, authenticator, now })
  const metadata = authenticator?.metadata
  const pages = new Map(Object.entries(publicPages))
  const arriving = new Set<Promise<unknown>>()
  let isClosing = false

  function refuse(error: HttpError, request: HttpRequest, reply: HttpReply): void {
    reply.send(onRefusal?.(toRefusal(error), request) ?? toErrorAnswer(error))
  }

  async function route(request: HttpRequest, reply: HttpReply): Promise<void> {
    if (isClosing) return refuse(SHUTTING_DOWN, request, reply)
    if (metadata?.paths.includes(request.path)) return sendMetadata(request, reply)
    const denial = gate.checkHostAndOrigin(request)
    if (denial !== undefined) return refuse(denial, request, reply)
    allowOrigin(request, reply)
    if (request.method === 'OPTIONS') return reply.send(toPreflightAnswer(request))
    const page = pages.get(request.path)
    if (page !== undefined) {
      if (!isReading(request)) return refuse(ONLY_GET, request, reply)
      return reply.send(await page(request))
    }
    const endpoint = find(request)
    if (endpoint === undefined) return refuse(NOT_FOUND, request, reply)
    const authenticating = gate.authenticate(request, endpoint.isPublic)
    // If authentication is synchronous, the endpoint is reached in this tick, and `close` need not wait for it.
    const isAsync = authenticating instanceof Promise
    if (isAsync) arriving.add(authenticating)
    try {
      const principal = isAsync ? await authenticating : authenticating
      if ('status' in principal) return refuse(principal, request, reply)
      await endpoint.serve({ request, reply, principal })
    } finally {
      if (isAsync) arriving.delete(authenticating)
    }
  }

  function sendMetadata(request: HttpRequest, reply: HttpReply): void {
    const denial = gate.checkHost(request)
    if (denial !== undefined) return refuse(denial, request, reply)
    // The metadata is public, and clients in browsers must be able to read it.
    allowEveryOrigin(reply)
    if (request.method === 'OPTIONS') return reply.send(toPreflightAnswer(request))
    if (!isReading(request)) return refuse(ONLY_GET, request, reply)
    reply.send(toJsonAnswer(metadata?.body ?? ''))
  }

  const app: HttpHandler = {
    wellKnownPaths: metadata?.paths ?? [],
    fetch: (request) => serveFetch(app, request),
    async handle(request, clientReply) {
      const reply = observe(request, clientReply, options.onResponse)
      try {
        await route(request, reply)
      } catch (error) {
        if (!isExpected(error)) onError(error)
        refuse(toHttpError(error), request, reply)
      }
    },
    async close(graceMs = DEFAULT_GRACE_MS) {
      isClosing = true
      // Requests that are being authenticated must reach their endpoint before it closes, because it waits for them.
      await Promise.allSettled(arriving)
      await options.onClose?.(graceMs)
    },
    [Symbol.asyncDispose]: () => app.close(),
  }
  return app
}

function observe(
  request: HttpRequest,
  reply: HttpReply,
  onResponse: HttpAppOptions['onResponse'],
): HttpReply {
  if (onResponse === undefined) return reply
  const startedAt = performance.now()
  return new ObservedReply(reply, (status) =>
    onResponse(status, request, performance.now() - startedAt),
  )
}

/** Errors of normal operation, which are not reported to the application. */
function isExpected(error: unknown): boolean {
  return error instanceof SessionCapacityError || error instanceof ClientDisconnectedError
}

function isReading({ method }: HttpRequest): boolean {
  return method === 'GET' || method === 'HEAD'
}

const NOT_FOUND: HttpError = { status: 404, message: 'not found' }

const ONLY_GET: HttpError = {
  status: 405,
  message: 'method is not allowed',
  headers: { allow: 'GET, HEAD' },
}

const INTERNAL_ERROR: HttpError = {
  status: 500,
  message: 'internal error',
  code: ERROR_CODES.internalError,
}

function toHttpError(error: unknown): HttpError {
  if (!(error instanceof SessionCapacityError)) return INTERNAL_ERROR
  const headers = { 'retry-after': String(Math.ceil(error.retryAfterMs / 1000)) }
  return { status: 503, message: error.message, headers }
}
