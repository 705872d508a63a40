import type { Hono } from 'hono'
import type { HttpHandler } from './http-app.ts'
import { MESSAGE_PATH, SSE_PATH } from './mcp/sse-endpoint.ts'

/**
 * Creates a Hono router that can be mounted beside other routes and shares their middleware.
 * @example
 * app.route('/mcp', await createHonoRouter(handler))
 */
export async function createHonoRouter(handler: HttpHandler): Promise<Hono> {
  const { Hono: HonoRouter } = await import('hono')
  const router = new HonoRouter()
  for (const path of ['/', SSE_PATH, MESSAGE_PATH])
    router.all(path, (context) => handler.fetch(context.req.raw))
  return router
}
