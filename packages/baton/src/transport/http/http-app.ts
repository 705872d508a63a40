import type { Authenticator } from '../../auth/authenticator.ts'
import type { RequestGuardOptions } from '../../auth/request-guard.ts'
import { ERROR_CODES } from '../../protocol/error.ts'
import type { Awaitable } from '../../server/call-context.ts'
import { SessionCapacityError } from '../../session/session-store.ts'
import { ClientDisconnectedError } from './client-disconnected-error.ts'
import { toPreflightAnswer } from './cors.ts'
import type { HttpEndpoint } from './endpoint.ts'
import { serveFetch } from './fetch-adapter.ts'
import { Gate } from './gate.ts'
import { SHUTTING_DOWN, toErrorAnswer, toJsonAnswer } from './http-error.ts'
import type { HttpAnswer, HttpReply, HttpRequest } from './http-message.ts'
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
  /** Wraps the reply, for an application that observes or changes responses. */
  readonly toReply?: (request: HttpRequest, reply: HttpReply) => HttpReply
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
  const { find, publicPages = {}, onError = () => {}, now = Date.now } = options
  const { toReply = (_request, reply) => reply } = options
  const authenticator = options.authenticator === 'none' ? undefined : options.authenticator
  const gate = new Gate({ ...options, authenticator, now })
  const metadata = authenticator?.metadata
  const pages = new Map(Object.entries(publicPages))
  const arriving = new Set<Promise<unknown>>()
  let isClosing = false

  async function route(request: HttpRequest, reply: HttpReply): Promise<void> {
    if (isClosing) return reply.send(SHUTTING_DOWN)
    if (metadata?.paths.includes(request.path)) return sendMetadata(request, reply)
    if (!gate.checkHostAndOrigin(request, reply)) return
    if (request.method === 'OPTIONS') return reply.send(toPreflightAnswer(request))
    const page = pages.get(request.path)
    if (page !== undefined) return reply.send(isReading(request) ? await page(request) : ONLY_GET)
    const endpoint = find(request)
    if (endpoint === undefined) return reply.send(NOT_FOUND)
    const authenticating = gate.authenticate(request, reply)
    // If authentication is synchronous, the endpoint is reached in this tick, and `close` need not wait for it.
    const isAsync = authenticating instanceof Promise
    if (isAsync) arriving.add(authenticating)
    try {
      const principal = isAsync ? await authenticating : authenticating
      if (principal !== undefined) await endpoint.serve({ request, reply, principal })
    } finally {
      if (isAsync) arriving.delete(authenticating)
    }
  }

  function sendMetadata(request: HttpRequest, reply: HttpReply): void {
    // The metadata is public, and clients in browsers must be able to read it.
    if (!gate.checkHost(request, reply)) return
    if (request.method === 'OPTIONS') return reply.send(toPreflightAnswer(request))
    reply.send(isReading(request) ? toJsonAnswer(metadata?.body ?? '') : ONLY_GET)
  }

  const app: HttpHandler = {
    wellKnownPaths: metadata?.paths ?? [],
    fetch: (request) => serveFetch(app, request),
    async handle(request, clientReply) {
      const reply = toReply(request, clientReply)
      try {
        await route(request, reply)
      } catch (error) {
        if (!isExpected(error)) onError(error)
        reply.send(toFailure(error))
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

/** Errors of normal operation, which are not reported to the application. */
function isExpected(error: unknown): boolean {
  return error instanceof SessionCapacityError || error instanceof ClientDisconnectedError
}

function isReading({ method }: HttpRequest): boolean {
  return method === 'GET' || method === 'HEAD'
}

const NOT_FOUND = toErrorAnswer({ status: 404, message: 'not found' })

const ONLY_GET = toErrorAnswer({
  status: 405,
  message: 'method is not allowed',
  headers: { allow: 'GET, HEAD' },
})

const INTERNAL_ERROR = toErrorAnswer({
  status: 500,
  message: 'internal error',
  code: ERROR_CODES.internalError,
})

function toFailure(error: unknown): HttpAnswer {
  if (!(error instanceof SessionCapacityError)) return INTERNAL_ERROR
  const headers = { 'retry-after': String(Math.ceil(error.retryAfterMs / 1000)) }
  return toErrorAnswer({ status: 503, message: error.message, headers })
}
