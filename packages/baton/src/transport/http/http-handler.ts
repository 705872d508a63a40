import type { Server } from '../../server/server.ts'
import { createHttpApp, type HttpHandler, type HttpAppOptions } from './http-app.ts'
import {
  createMcpEndpoint,
  type McpEndpointOptions,
  type SessionRestorer,
} from './mcp/mcp-endpoint.ts'
import { findRoute } from './mcp/route.ts'

/** Options for serving over HTTP. */
export interface HttpOptions
  extends
    McpEndpointOptions,
    Pick<HttpAppOptions, 'authenticator' | 'rateLimit' | 'allowedHosts' | 'allowedOrigins'> {}

/** Serves a server over HTTP: Streamable HTTP of every revision, and the HTTP+SSE transport of 2024-11-05. */
export function createHttpHandler(
  server: Server,
  options: HttpOptions,
): HttpHandler & SessionRestorer {
  const endpoint = createMcpEndpoint(server, options)
  const site = createHttpApp({
    ...options,
    find: ({ path }) => (findRoute(path, options.path) === 'none' ? undefined : endpoint),
    onClose: (graceMs) => endpoint.close(graceMs),
  })
  return { ...site, restoreSessions: () => endpoint.restoreSessions() }
}
