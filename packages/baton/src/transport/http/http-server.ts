import type { Hono } from 'hono'
import { createServer } from '../../server/server.ts'
import type { Server, ServerOptions } from '../../server/server.ts'
import { createHonoRouter } from './hono-router.ts'
import { createHttpHandler } from './http-handler.ts'
import type { HttpOptions } from './http-handler.ts'
import type { HttpHandler } from './http-app.ts'
import type { SessionRestorer } from './mcp/mcp-endpoint.ts'

/** A server that handles HTTP requests itself. */
export interface HttpServer extends Server, HttpHandler, SessionRestorer {
  /** Creates a Hono router that can be mounted beside other routes and shares their middleware. */
  readonly router: () => Promise<Hono>
}

/**
 * Creates a server that is its own HTTP handler.
 * @example
 * const server = createHttpServer({ name: 'greeter', version: '1.0.0', http: { authenticator: 'none' } })
 * const response = await server.fetch(request)
 * app.route('/mcp', await server.router())
 */
export function createHttpServer({
  http,
  ...options
}: ServerOptions & { readonly http: HttpOptions }): HttpServer {
  const server = createServer(options)
  const handler = createHttpHandler(server, http)
  return Object.assign(server, handler, { router: () => createHonoRouter(handler) })
}
