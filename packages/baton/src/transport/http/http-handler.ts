import type { Server } from '../../server/server.ts'
import { createHttpSite, type HttpHandler, type HttpSiteOptions } from './http-site.ts'
import { createMcpEndpoint, type McpEndpointOptions, type SessionReviver } from './mcp-endpoint.ts'
import { findRoute } from './route.ts'

/** How a server is served over HTTP. */
export interface HttpOptions
  extends
    McpEndpointOptions,
    Pick<HttpSiteOptions, 'authenticator' | 'rateLimit' | 'allowedHosts' | 'allowedOrigins'> {}

/** Serves a server over HTTP: Streamable HTTP of every revision, and the HTTP+SSE pair of the first. */
export function createHttpHandler(
  server: Server,
  options: HttpOptions,
): HttpHandler & SessionReviver {
  const endpoint = createMcpEndpoint(server, options)
  const site = createHttpSite({
    ...options,
    find: ({ path }) => (findRoute(path, options.path) === 'none' ? undefined : endpoint),
    onClose: (graceMs) => endpoint.close(graceMs),
  })
  return { ...site, reviveSessions: () => endpoint.reviveSessions() }
}
