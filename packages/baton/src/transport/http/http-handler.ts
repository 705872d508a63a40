import type { Authenticator } from '../../auth/authenticator.ts'
import type { RequestGuardOptions } from '../../auth/request-guard.ts'
import { ERROR_CODES } from '../../protocol/error.ts'
import type { Server } from '../../server/server.ts'
import { MemorySessionStore } from '../../session/memory-session-store.ts'
import { SessionCapacityError, type SessionStore } from '../../session/session-store.ts'
import { startSessionSweeper } from '../../session/session-sweeper.ts'
import { toPreflightAnswer } from './cors.ts'
import type { EndpointParts } from './endpoint.ts'
import { serveFetch } from './fetch-adapter.ts'
import { Gate } from './gate.ts'
import { toErrorAnswer, toJsonAnswer } from './http-error.ts'
import type { HttpAnswer, HttpReply, HttpRequest } from './http-message.ts'
import { LiveSessions, type SessionEvent } from './live-sessions.ts'
import { OpenStreams } from './open-streams.ts'
import type { RateLimit } from './rate-limiter.ts'
import { findRoute } from './route.ts'
import { SessionTelemetry } from './session-telemetry.ts'
import { SseEndpoint } from './sse-endpoint.ts'
import { StreamableEndpoint } from './streamable-endpoint.ts'

/** How a server is served over HTTP. */
export interface HttpOptions extends RequestGuardOptions {
  /** Who may call; `none` has to be said, so that nobody serves the world by forgetting it. */
  readonly authenticator: Authenticator | 'none'
  /** Where sessions live; in memory when absent. The caller closes a store that it passes. */
  readonly store?: SessionStore
  /** The only path served, such as `/mcp`; when absent, whatever the application routes here is. */
  readonly path?: string
  readonly rateLimit?: RateLimit
  /** How often a quiet stream gets a comment; 15 seconds by default. */
  readonly keepAliveMs?: number
  /** Bytes a client may leave unread on one stream before it is cut; 1 MiB by default. */
  readonly maxBacklog?: number
  readonly onSession?: (event: SessionEvent) => void
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

const DEFAULT_KEEP_ALIVE_MS = 15_000
const DEFAULT_MAX_BACKLOG = 1024 * 1024
const DEFAULT_GRACE_MS = 5_000

/** Serves a server over HTTP: Streamable HTTP of every revision, and the HTTP+SSE pair of the first. */
export function createHttpHandler(server: Server, options: HttpOptions): HttpHandler {
  const { now = Date.now, onError = () => {} } = options
  const authenticator = options.authenticator === 'none' ? undefined : options.authenticator
  const store = options.store ?? new MemorySessionStore({ now })
  const gate = new Gate({ ...options, authenticator, now })
  const streams = new OpenStreams(options.keepAliveMs ?? DEFAULT_KEEP_ALIVE_MS, now)
  const telemetry = new SessionTelemetry()
  const onEvent = (event: SessionEvent): void => {
    telemetry.report(event).catch(onError)
    options.onSession?.(event)
  }
  const sessions = new LiveSessions({ server, store, now, onEvent, onError })
  const maxBacklog = options.maxBacklog ?? DEFAULT_MAX_BACKLOG
  const parts: EndpointParts = {
    server,
    store,
    sessions,
    streams,
    authenticator,
    maxBacklog,
    onError,
  }
  const streamable = new StreamableEndpoint(parts)
  const sse = new SseEndpoint(parts)
  const onEnded = sessions.ended.bind(sessions)
  const stopSweeper = startSessionSweeper(store, { onEnded, onError })
  const metadata = authenticator?.metadata

  let isClosing = false

  async function route(request: HttpRequest, reply: HttpReply): Promise<void> {
    if (isClosing) return reply.send(SHUTTING_DOWN)
    if (!gate.letsIn(request, reply)) return
    if (request.method === 'OPTIONS') return reply.send(toPreflightAnswer(request))
    const target = findRoute(request.path, options.path, handler.wellKnownPaths)
    if (target === 'none') return reply.send(NOT_FOUND)
    if (target === 'metadata') return sendMetadata(request, reply)
    const principal = await gate.identify(request, reply)
    if (principal === undefined) return
    const admitted = { request, reply, principal }
    if (target === 'sse') return sse.stream(admitted)
    if (target === 'message') return sse.message(admitted)
    return streamable.serve(admitted)
  }

  function sendMetadata(request: HttpRequest, reply: HttpReply): void {
    if (request.method !== 'GET' && request.method !== 'HEAD') return reply.send(ONLY_GET)
    // Says nothing that a token would be needed for, and clients in browsers have to read it.
    reply.setHeader('access-control-allow-origin', '*')
    reply.send(toJsonAnswer(metadata?.body ?? ''))
  }

  const handler: HttpHandler = {
    wellKnownPaths: metadata?.paths ?? [],
    fetch: (request) => serveFetch(handler, request),
    async handle(request, reply) {
      try {
        await route(request, reply)
      } catch (error) {
        if (!(error instanceof SessionCapacityError)) onError(error)
        reply.send(toFailure(error))
      }
    },
    async close(graceMs = DEFAULT_GRACE_MS) {
      isClosing = true
      stopSweeper()
      await Promise.all([streamable.finish(graceMs), sessions.finish(graceMs)])
      streams.endAll()
      if (options.store === undefined) await store[Symbol.asyncDispose]()
    },
    [Symbol.asyncDispose]: () => handler.close(),
  }
  return handler
}

const NOT_FOUND = toErrorAnswer({ status: 404, message: 'there is nothing here' })

const ONLY_GET = toErrorAnswer({
  status: 405,
  message: 'method is not allowed',
  headers: { allow: 'GET, HEAD' },
})

const SHUTTING_DOWN = toErrorAnswer({ status: 503, message: 'the server is shutting down' })

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
