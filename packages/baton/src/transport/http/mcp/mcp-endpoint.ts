import type { Authenticator } from '../../../auth/authenticator.ts'
import type { Server } from '../../../server/server.ts'
import { MemorySessionStore } from '../../../session/memory/session-store.ts'
import type { SessionStore } from '../../../session/session-store.ts'
import { startSessionSweeper } from '../../../session/session-sweeper.ts'
import type { EndpointContext, HttpEndpoint } from '../endpoint.ts'
import { LiveSessions, type SessionEvent } from '../session/live-sessions.ts'
import { OpenStreams } from '../session/open-streams.ts'
import { findRoute, opensSseStream } from './route.ts'
import { SessionTelemetry } from '../session/session-telemetry.ts'
import { SseEndpoint } from './sse-endpoint.ts'
import { StreamableEndpoint } from './streamable-endpoint.ts'

/** Options for serving one server over HTTP. */
export interface McpEndpointOptions {
  /** Authorizes calls by their scopes before they start; `none` must be explicit. */
  readonly authenticator: Authenticator | 'none'
  /** The session store; in memory when absent. The caller must close a store that it passes. */
  readonly store?: SessionStore
  /** The path to serve, such as `/mcp`; when absent, every path that the application routes here. */
  readonly path?: string
  /** Interval of keep-alive comments on idle streams; 15 seconds by default. */
  readonly keepAliveMs?: number
  /** Unread bytes at which a stream is closed; 1 MiB by default. */
  readonly maxBacklog?: number
  readonly onSession?: (event: SessionEvent) => void
  /** Gets the errors whose details are not sent to clients. */
  readonly onError?: (error: unknown) => void
  /** Epoch milliseconds; tests pass their own clock. */
  readonly now?: () => number
}

/** Can restore the sessions of an earlier process before their clients reconnect. */
export interface SessionRestorer {
  /**
   * Restores all stored sessions, so that notifications for them are stored from now on; otherwise a session is restored
   * with the next message of its client. Only for an application that is the single process on its store: with several,
   * notifications would be duplicated.
   */
  restoreSessions(): Promise<void>
}

/** The endpoint of one server, with its sessions. */
export interface McpEndpoint extends HttpEndpoint, SessionRestorer {
  /** Gives running requests time to finish and ends all streams. */
  close(graceMs: number): Promise<void>
}

const DEFAULT_KEEP_ALIVE_MS = 15_000
const DEFAULT_MAX_BACKLOG = 1024 * 1024

/** Serves a server at one path: Streamable HTTP of every revision, and the HTTP+SSE transport of 2024-11-05. */
export function createMcpEndpoint(server: Server, options: McpEndpointOptions): McpEndpoint {
  const { now = Date.now, onError = () => {} } = options
  const store = options.store ?? new MemorySessionStore({ now })
  const streams = new OpenStreams(options.keepAliveMs ?? DEFAULT_KEEP_ALIVE_MS, now)
  const telemetry = new SessionTelemetry()
  const onEvent = (event: SessionEvent): void => {
    telemetry.report(event).catch(onError)
    options.onSession?.(event)
  }
  const sessions = new LiveSessions({ server, store, now, onEvent, onError })
  const context: EndpointContext = {
    server,
    store,
    sessions,
    streams,
    authenticator: options.authenticator === 'none' ? undefined : options.authenticator,
    maxBacklog: options.maxBacklog ?? DEFAULT_MAX_BACKLOG,
    onError,
  }
  const streamable = new StreamableEndpoint(context)
  const sse = new SseEndpoint(context)
  const onEnded = sessions.ended.bind(sessions)
  const onSwept = () => sessions.forgetEnded()
  const stopSweeper = startSessionSweeper(store, { onEnded, onSwept, onError })
  return {
    serve(admitted) {
      const target = findRoute(admitted.request.path, options.path)
      if (target === 'message') return sse.message(admitted)
      if (target === 'sse' || opensSseStream(admitted.request)) return sse.stream(admitted)
      return streamable.serve(admitted)
    },
    restoreSessions: () => sessions.restore(),
    async close(graceMs) {
      stopSweeper()
      await Promise.all([streamable.finish(graceMs), sessions.finish(graceMs)])
      streams.endAll()
      if (options.store === undefined) await store[Symbol.asyncDispose]()
    },
  }
}
