import type { HttpHandler } from '@waymark/baton/http'
import { DIALECT_NAMES, loadDialects } from '../../src/dialects/load-dialects.ts'
import { type Logger, SILENT } from '../../src/support/logger.ts'
import { createProjectPool } from '../../src/core/project/project-pool.ts'
import { createAuthentication } from '../../src/surfaces/http/authentication.ts'
import { createFolderDirectory } from '../../src/surfaces/http/directory.ts'
import { hostProjects } from '../../src/surfaces/serve/hosting/hosted-project.ts'
import { readHttpSettings } from '../../src/surfaces/serve/http-settings.ts'
import { McpEndpoints } from '../../src/surfaces/http/mcp-endpoints.ts'
import { Metrics } from '../../src/surfaces/http/metrics.ts'
import { withPageSessions } from '../../src/surfaces/page/page-authentication.ts'
import type { PageSessions } from '../../src/surfaces/page/page-sessions.ts'
import { createWaymarkSite } from '../../src/surfaces/http/waymark-site.ts'
import type { Issuer } from '../../../baton/test/auth/issuer.ts'
import { sendModern } from '../../../baton/test/http/modern-client.ts'

const SECRET = 'a-secret-that-is-long-enough-for-tests'
const ORIGIN = 'http://localhost'

export interface TestSite extends AsyncDisposable {
  readonly site: HttpHandler
  readonly secret: string
  /** Asks as somebody who knows the secret, unless another credential is given. */
  ask(path: string, init?: RequestInit): Promise<Response>
  /** Asks for something of the newest protocol, with a token or the secret. */
  askMcp(path: string, request: McpRequest): Promise<Response>
  /** A token as the issuer would sign it for somebody with these scopes, and what else is claimed. */
  tokenFor(scopes: readonly string[], claims?: object): Promise<string>
}

export interface McpRequest {
  readonly method: string
  readonly params?: Record<string, unknown>
  readonly token?: string
}

export interface TestSiteOptions {
  /** Whose tokens are taken in place of the secret. */
  readonly issuer?: Issuer
  /** Folders of more projects than the first. */
  readonly others?: readonly string[]
  readonly logger?: Logger
  readonly allowedHosts?: readonly string[]
  /** Sessions of the page, which is served then. */
  readonly pages?: PageSessions
  /** More of what the environment says. */
  readonly env?: Readonly<Record<string, string>>
}

/** What `waymark serve --http` serves, without a socket and a process. */
export function createTestSite(directory: string, options: TestSiteOptions = {}): TestSite {
  const { issuer, others = [], logger = SILENT, allowedHosts, pages, env = {} } = options
  const folders = [directory, ...others]
  const projects = createProjectPool(folders)
  const [home, ...more] = hostProjects(folders, {
    projects,
    env,
    flags: {},
    isReadOnly: false,
    logger,
  })
  if (home === undefined) throw new Error('no project')
  const who =
    issuer === undefined ? { WAYMARK_HTTP_SECRET: SECRET } : { OAUTH_ISSUER_URL: issuer.url }
  const settings = readHttpSettings({}, { ...who, ...env })
  const hasSeveralProjects = more.length > 0
  const at = { url: ORIGIN, state: '', hasSeveralProjects, isReadOnly: false }
  const credentials = createAuthentication(settings, at)
  const authentication = pages === undefined ? credentials : withPageSessions(credentials, pages)
  const access = { readOnly: false }
  const site = createWaymarkSite({
    directory: createFolderDirectory([home, ...more]),
    endpoints: new McpEndpoints({
      load: (names) => loadDialects(names),
      authentication,
      access,
      logger,
    }),
    dialect: 'waymark',
    dialects: DIALECT_NAMES,
    authentication,
    hasApi: true,
    metrics: new Metrics(),
    span: (_name, work) => work(),
    url: ORIGIN,
    access,
    logger,
    ...(allowedHosts !== undefined && { allowedHosts }),
    ...(pages !== undefined && { pages }),
    ...(settings.rateLimit !== undefined && { rateLimit: settings.rateLimit }),
  })
  return {
    site,
    secret: SECRET,
    ask: (path, init = {}) => {
      const headers = { authorization: `Bearer ${SECRET}`, ...(init.headers as object) }
      return site.fetch(new Request(`${ORIGIN}${path}`, { ...init, headers }))
    },
    askMcp: (path, { method, params = {}, token = SECRET }) =>
      sendModern(
        { url: `${ORIGIN}${path}`, send: site.fetch },
        { method, params, headers: { authorization: `Bearer ${token}` } },
      ),
    tokenFor: async (scopes, claims = {}) => {
      if (issuer === undefined) throw new Error('no issuer')
      const aud = hasSeveralProjects ? ORIGIN : `${ORIGIN}/mcp`
      return issuer.sign({ ...issuer.goodClaims(), aud, scope: scopes.join(' '), ...claims })
    },
    [Symbol.asyncDispose]: async () => {
      await site.close()
      await projects[Symbol.asyncDispose]()
    },
  }
}
