import type { HttpRequest } from '../http-message.ts'
import { namesSse } from './content-negotiation.ts'
import { MESSAGE_PATH, SSE_PATH } from './sse-endpoint.ts'

/** The endpoint of a path. */
export type Route = 'endpoint' | 'sse' | 'message' | 'none'

/**
 * Finds the route of a path. Without a mount path only the suffix counts, so that a router can be mounted anywhere.
 */
export function findRoute(path: string, mountPath: string | undefined): Route {
  if (mountPath === undefined) {
    if (path.endsWith(SSE_PATH)) return 'sse'
    return path.endsWith(MESSAGE_PATH) ? 'message' : 'endpoint'
  }
  if (path === mountPath) return 'endpoint'
  if (path === `${mountPath}${SSE_PATH}`) return 'sse'
  return path === `${mountPath}${MESSAGE_PATH}` ? 'message' : 'none'
}

/**
 * Whether a client of the HTTP+SSE transport opens its stream at the address of the endpoint. Clients of Streamable HTTP
 * have a session by then, and name their version in every request; when an SSE client reconnects, it may do so too.
 */
export function opensSseStream(request: HttpRequest): boolean {
  if (request.method !== 'GET' || request.header('mcp-session-id') !== null) return false
  if (!namesSse(request.header('accept'))) return false
  const isFirst = request.header('mcp-protocol-version') === null
  return isFirst || request.header('last-event-id') !== null
}
