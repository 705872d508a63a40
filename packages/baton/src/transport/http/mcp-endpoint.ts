import type { Authenticator } from '../../auth/authenticator.ts'
import type { Server } from '../../server/server.ts'
import { MemorySessionStore } from '../../session/memory-session-store.ts'
import type { SessionStore } from '../../session/session-store.ts'
import { startSessionSweeper } from '../../session/session-sweeper.ts'
import type { EndpointParts, HttpEndpoint } from './endpoint.ts'
import { LiveSessions, type SessionEvent } from './live-sessions.ts'
import { OpenStreams } from './open-streams.ts'
import { findRoute } from './route.ts'
import { SessionTelemetry } from './session-telemetry.ts'
import { SseEndpoint } from './sse-endpoint.ts'
import { StreamableEndpoint } from './streamable-endpoint.ts'

/** How one server is served over HTTP, wherever it is mounted. */
export interface McpEndpointOptions {
  /** Whose scopes are looked at before a call begins; `none` has to be said. */
  readonly authenticator: Authenticator | 'none'
  /** Where sessions live; in memory when absent. The caller closes a store that it passes. */
  readonly store?: SessionStore
  /** The only path served, such as `/mcp`; when absent, whatever the application routes here is. */
  readonly path?: string
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

/** Something that can go on with the sessions of an earlier process before their clients come back. */
export interface SessionReviver {
  /**
   * Lets every stored session hear of what happens from now on; otherwise one begins to listen when its client's next
   * message arrives. For an application that is the only process on its store: others would say everything twice.
   */
  reviveSessions(): Promise<void>
}

/** The endpoint of one server, with the sessions that it has. */
export interface McpEndpoint extends HttpEndpoint, SessionReviver {
  /** Gives running requests time to finish and ends all streams. */
  close(graceMs: number): Promise<void>
}

const DEFAULT_KEEP_ALIVE_MS = 15_000
const DEFAULT_MAX_BACKLOG = 1024 * 1024

/** Serves a server at one path: Streamable HTTP of every revision, and the HTTP+SSE pair of the first. */
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
  const parts: EndpointParts = {
    server,
    store,
    sessions,
    streams,
    authenticator: options.authenticator === 'none' ? undefined : options.authenticator,
    maxBacklog: options.maxBacklog ?? DEFAULT_MAX_BACKLOG,
    onError,
  }
  const streamable = new StreamableEndpoint(parts)
  const sse = new SseEndpoint(parts)
  const onEnded = sessions.ended.bind(sessions)
  const onSwept = () => sessions.forgetEnded()
  const stopSweeper = startSessionSweeper(store, { onEnded, onSwept, onError })
  return {
    serve(admitted) {
      const target = findRoute(admitted.request.path, options.path)
      if (target === 'sse') return sse.stream(admitted)
      if (target === 'message') return sse.message(admitted)
      return streamable.serve(admitted)
    },
    reviveSessions: () => sessions.revive(),
    async close(graceMs) {
      stopSweeper()
      await Promise.all([streamable.finish(graceMs), sessions.finish(graceMs)])
      streams.endAll()
      if (options.store === undefined) await store[Symbol.asyncDispose]()
    },
  }
}
