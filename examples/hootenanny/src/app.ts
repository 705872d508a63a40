import { createContentHandler } from '@waymark/cas/http'
import type { ContentPort } from '@waymark/cas/http'
import { createRequestGuard } from '@waymark/baton/http'
import type { HttpServer, SessionStore } from '@waymark/baton/http'
import { Hono } from 'hono'
import { StudioError } from './error.ts'
import type { Metrics } from './metrics.ts'
import { VERSION } from './server.ts'
import type { Studio } from './studio.ts'

/** What the routes are made of. */
export interface AppParts {
  readonly studio: Studio
  readonly server: HttpServer
  readonly sessions: SessionStore
  readonly metrics: Metrics
  /** The names under which the studio may be called. */
  readonly allowedHosts: readonly string[]
}

const DEFAULT_TYPE = 'application/octet-stream'

/** Puts MCP, contents and signs of life on one port. */
export async function createApp(parts: AppParts): Promise<Hono> {
  const { studio, server, sessions, metrics, allowedHosts } = parts
  const startedAt = Date.now()
  const guard = createRequestGuard({ allowedHosts })
  const app = new Hono()

  // baton guards its own routes; those beside it need the same protection from foreign pages.
  app.use(async ({ req, json }, next) => {
    const host = req.header('host') ?? null
    const denial = guard({ host, origin: req.header('origin') ?? null, scheme: 'http' })
    if (denial !== undefined) return json({ error: denial.message }, 403)
    await next()
    return undefined
  })

  app.route('/mcp', await server.router())

  for (const path of ['/cas', '/cas/:hash'])
    app.all(path, ({ req }) => serveContents(studio, req.raw))

  app.get('/health', async ({ json }) =>
    json({
      status: 'ok',
      uptime_secs: Math.floor((Date.now() - startedAt) / 1000),
      version: VERSION,
      sessions: await sessions.stats(),
      jobs: studio.jobs.counts(),
    }),
  )

  app.get('/metrics', async ({ text }) =>
    text(await metrics.scrape(), 200, {
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
    }),
  )

  // Clients look for authorisation servers first; this tells them that none is needed.
  app.notFound(({ json }) =>
    json({ error: 'there is nothing here, and no authorisation is needed' }, 404),
  )
  return app
}

/** Contents over HTTP, under the same rules as through the tools. */
function serveContents({ contents }: Studio, request: Request): Promise<Response> {
  const [type = ''] = (request.headers.get('content-type') ?? '').split(';')
  const mimeType = type.trim().toLowerCase() || DEFAULT_TYPE
  const port: ContentPort = {
    put: (source, options) => contents.put(source, mimeType, options),
    get: (hash, range) => contents.store.get(hash, range),
    stat: (hash) => contents.store.stat(hash),
  }
  return createContentHandler(port, { onError: toErrorResponse })(request)
}

function toErrorResponse(error: unknown): Response {
  const isRefusal = error instanceof StudioError
  const report = isRefusal
    ? { code: 'refused', message: error.message }
    : { code: 'internal', message: 'the request failed' }
  return Response.json({ error: report }, { status: isRefusal ? 422 : 500 })
}
