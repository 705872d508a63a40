import type { HttpHandler } from '@waymark/baton/http'
import { loadDialects } from '../../src/dialects/load-dialects.ts'
import { SILENT } from '../../src/logger.ts'
import { createProjectPool } from '../../src/project-pool.ts'
import { createAuthentication } from '../../src/surface/http/authentication.ts'
import { hostProjects } from '../../src/surface/http/hosted-project.ts'
import { readHttpSettings } from '../../src/surface/http/http-settings.ts'
import { McpEndpoints } from '../../src/surface/http/mcp-endpoints.ts'
import { Metrics } from '../../src/surface/http/metrics.ts'
import { createWaymarkSite } from '../../src/surface/http/waymark-site.ts'

const SECRET = 'a-secret-that-is-long-enough-for-tests'

export interface TestSite extends AsyncDisposable {
  readonly site: HttpHandler
  /** Asks as somebody who knows the secret. */
  ask(path: string, init?: RequestInit): Promise<Response>
}

/** What `waymark serve --http` serves, without a socket and a process. */
export function createTestSite(directory: string): TestSite {
  const projects = createProjectPool([directory])
  const [home] = hostProjects([directory], {
    projects,
    env: {},
    flags: {},
    isReadOnly: false,
    logger: SILENT,
  })
  if (home === undefined) throw new Error('no project')
  const authentication = createAuthentication(
    readHttpSettings({}, { WAYMARK_HTTP_SECRET: SECRET }),
    { url: 'http://localhost', state: '', hasSeveralProjects: false },
  )
  const access = { readOnly: false }
  const site = createWaymarkSite({
    projects: [home],
    endpoints: new McpEndpoints({
      load: (names) => loadDialects(names),
      authentication,
      access,
      logger: SILENT,
    }),
    dialect: 'waymark',
    dialects: ['waymark'],
    authentication,
    hasApi: true,
    metrics: new Metrics(),
    span: (_name, work) => work(),
    url: 'http://localhost',
    access,
    logger: SILENT,
  })
  return {
    site,
    ask: (path, init = {}) => {
      const headers = { authorization: `Bearer ${SECRET}`, ...(init.headers as object) }
      return site.fetch(new Request(`http://localhost${path}`, { ...init, headers }))
    },
    [Symbol.asyncDispose]: async () => {
      await site.close()
      await projects[Symbol.asyncDispose]()
    },
  }
}
