import type { Authenticator } from '../../auth/authenticator.ts'
import type { RequestGuardOptions } from '../../auth/request-guard.ts'
import { ERROR_CODES } from '../../protocol/error.ts'
import type { Awaitable } from '../../server/call-context.ts'
import { SessionCapacityError } from '../../session/session-store.ts'
import { ClientGoneError } from './client-gone-error.ts'
import { toPreflightAnswer } from './cors.ts'
import type { HttpEndpoint } from './endpoint.ts'
import { serveFetch } from './fetch-adapter.ts'
import { Gate } from './gate.ts'
import { SHUTTING_DOWN, toErrorAnswer, toJsonAnswer } from './http-error.ts'
import type { HttpAnswer, HttpReply, HttpRequest } from './http-message.ts'
import type { RateLimit } from './rate-limiter.ts'

/** Who may come in, and what they find there. */
export interface HttpSiteOptions extends RequestGuardOptions {
  /** Who may call; `none` has to be said, so that nobody serves the world by forgetting it. */
  readonly authenticator: Authenticator | 'none'
  readonly rateLimit?: RateLimit
  /** Pages by path for whoever comes from an allowed host and origin, such as a sign of life. */
  readonly openPages?: Readonly<Record<string, (request: HttpRequest) => Awaitable<HttpAnswer>>>
  /** What answers a path; asked before the caller is known, so it must be cheap. */
  readonly find: (request: HttpRequest) => HttpEndpoint | undefined
  /** The way back to the client, for an application that wants to see or change what goes there. */
  readonly toReply?: (request: HttpRequest, reply: HttpReply) => HttpReply
  /** Ends what the endpoints have under way when the site closes. */
  readonly onClose?: (graceMs: number) => Promise<void>
  /** Hears of errors that clients get no details of. */
  readonly onError?: (error: unknown) => void
  /** Epoch milliseconds; tests pass their own clock. */
  readonly now?: () => number
}

/** A server that answers HTTP requests, without the socket. */
export interface HttpHandler extends AsyncDisposable {
  /** Answers a web-standard request. */
  readonly fetch: (request: Request) => Promise<Response>
  /** Answers a request of any server, through an adapter. */
  handle(request: HttpRequest, reply: HttpReply): Promise<void>
  /** Paths outside the mount path that must reach this handler too: where clients look for metadata. */
  readonly wellKnownPaths: readonly string[]
  /** Takes no more requests, gives running ones time to finish and ends all streams. */
  close(graceMs?: number): Promise<void>
}

const DEFAULT_GRACE_MS = 5_000

/** Puts any number of endpoints behind the same checks of host, origin and caller. */
export function createHttpSite(options: HttpSiteOptions): HttpHandler {
  const { find, openPages = {}, onError = () => {}, now = Date.now } = options
  const { toReply = (_request, reply) => reply } = options
  const authenticator = options.authenticator === 'none' ? undefined : options.authenticator
  const gate = new Gate({ ...options, authenticator, now })
  const metadata = authenticator?.metadata
  const pages = new Map(Object.entries(openPages))
  const arriving = new Set<Promise<unknown>>()
  let isClosing = false

  async function route(request: HttpRequest, reply: HttpReply): Promise<void> {
    if (isClosing) return reply.send(SHUTTING_DOWN)
    if (metadata?.paths.includes(request.path)) return sendMetadata(request, reply)
    if (!gate.letsIn(request, reply)) return
    if (request.method === 'OPTIONS') return reply.send(toPreflightAnswer(request))
    const page = pages.get(request.path)
    if (page !== undefined) return reply.send(isReading(request) ? await page(request) : ONLY_GET)
    const endpoint = find(request)
    if (endpoint === undefined) return reply.send(NOT_FOUND)
    const identifying = gate.identify(request, reply)
    // Whoever is known at once reaches the endpoint in this tick, and closing need not wait for that.
    const isLater = identifying instanceof Promise
    if (isLater) arriving.add(identifying)
    try {
      const principal = isLater ? await identifying : identifying
      if (principal !== undefined) await endpoint.serve({ request, reply, principal })
    } finally {
      if (isLater) arriving.delete(identifying)
    }
  }

  function sendMetadata(request: HttpRequest, reply: HttpReply): void {
    // Says nothing that a token would be needed for, and clients in browsers have to read it.
    if (!gate.letsAnyoneIn(request, reply)) return
    if (request.method === 'OPTIONS') return reply.send(toPreflightAnswer(request))
    reply.send(isReading(request) ? toJsonAnswer(metadata?.body ?? '') : ONLY_GET)
  }

  const site: HttpHandler = {
    wellKnownPaths: metadata?.paths ?? [],
    fetch: (request) => serveFetch(site, request),
    async handle(request, wayBack) {
      const reply = toReply(request, wayBack)
      try {
        await route(request, reply)
      } catch (error) {
        if (!isExpected(error)) onError(error)
        reply.send(toFailure(error))
      }
    },
    async close(graceMs = DEFAULT_GRACE_MS) {
      isClosing = true
      // Whoever was let in before must have reached its endpoint, which waits for it, before that is closed.
      await Promise.allSettled(arriving)
      await options.onClose?.(graceMs)
    },
    [Symbol.asyncDispose]: () => site.close(),
  }
  return site
}

/** What is nobody's mistake here, and needs nobody's attention. */
function isExpected(error: unknown): boolean {
  return error instanceof SessionCapacityError || error instanceof ClientGoneError
}

function isReading({ method }: HttpRequest): boolean {
  return method === 'GET' || method === 'HEAD'
}

const NOT_FOUND = toErrorAnswer({ status: 404, message: 'there is nothing here' })

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
