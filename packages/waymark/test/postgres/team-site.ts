import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import pg from 'pg'
import type { HttpHandler } from '@waymark/baton/http'
import { DIALECT_NAMES, loadDialects } from '../../src/dialects/load-dialects.ts'
import { createAuthentication } from '../../src/surfaces/http/authentication.ts'
import { McpEndpoints } from '../../src/surfaces/http/mcp-endpoints.ts'
import { Metrics } from '../../src/surfaces/http/metrics.ts'
import { createWaymarkSite } from '../../src/surfaces/http/waymark-site.ts'
import { hostDatabase } from '../../src/surfaces/serve/hosting/hosted-database.ts'
import { readHttpSettings } from '../../src/surfaces/serve/http-settings.ts'
import { SILENT } from '../../src/support/logger.ts'
import type { Issuer } from '../../../baton/test/auth/issuer.ts'
import { command } from '../surface/command.ts'

const SERVER = process.env['WAYMARK_DATABASE_URL'] ?? ''
export const SECRET = 'a-secret-that-is-long-enough-for-tests'
export const ORIGIN = 'http://localhost'

export interface TestDatabase extends AsyncDisposable {
  readonly url: string
  query<Row extends object>(sql: string, values?: readonly unknown[]): Promise<Row[]>
  /** `waymark admin …` on this database; what it printed as JSON. */
  admin<T>(...words: readonly string[]): Promise<T>
}

/** An empty database on the server of the tests. */
export async function createDatabase(): Promise<TestDatabase> {
  const name = `team_${randomUUID().replaceAll('-', '')}`
  const control = new pg.Client(SERVER)
  await control.connect()
  await control.query(`CREATE DATABASE ${name} TEMPLATE template0`)
  const url = SERVER.replace(/\/waymark\?/, `/${name}?`)
  const client = new pg.Client(url)
  await client.connect()
  return {
    url,
    query: async <Row extends object>(sql: string, values: readonly unknown[] = []) =>
      (await client.query<Row>(sql, [...values])).rows,
    admin: async <T>(...words: readonly string[]) => {
      const env = { WAYMARK_DATABASE_URL: url }
      const { exit, out, err } = await command(tmpdir(), ['admin', ...words, '--json'], env)
      if (exit !== 0) throw new Error(err)
      return JSON.parse(out) as T
    },
    [Symbol.asyncDispose]: async () => {
      await client.end()
      await control.query(`DROP DATABASE ${name} WITH (FORCE)`)
      await control.end()
    },
  }
}

export interface TeamSite extends AsyncDisposable {
  readonly site: HttpHandler
  /** Calls an operation; of the operator, unless another token is given. */
  call<T = unknown>(path: string, input?: object, token?: string): Promise<Answer<T>>
  ask(path: string, init?: RequestInit, token?: string): Promise<Response>
}

export interface Answer<T> {
  readonly status: number
  readonly body: T
}

export interface TeamSiteOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly artifacts?: string
  /** The environment of the process. */
  readonly hostingEnv?: Readonly<Record<string, string>>
  /** Whose tokens are taken beside those of the database. */
  readonly issuer?: Issuer
  readonly readOnly?: boolean
}

/** One replica: what `waymark serve --http --database` serves, without a socket and a process. */
export async function createTeamSite(
  { url }: Pick<TestDatabase, 'url'>,
  { env = {}, artifacts, issuer, hostingEnv = {}, readOnly = false }: TeamSiteOptions = {},
): Promise<TeamSite> {
  const flags = { database: url, ...(artifacts !== undefined && { artifacts }) }
  const settings = readHttpSettings(flags, {
    WAYMARK_HTTP_SECRET: SECRET,
    WAYMARK_RATE_LIMIT: '0',
    ...(issuer !== undefined && { OAUTH_ISSUER_URL: issuer.url }),
    ...env,
  })
  if (settings.database === undefined) throw new Error('no database')
  const logger = SILENT
  const hosting = await hostDatabase(settings.database, {
    env: hostingEnv,
    flags: {},
    isReadOnly: readOnly,
    logger,
  })
  const at = { url: ORIGIN, state: undefined, hasSeveralProjects: true, isReadOnly: readOnly }
  const credentials = createAuthentication(settings, at)
  const authentication = hosting.withTokens?.(credentials) ?? credentials
  const access = { readOnly }
  const load = (names: string) => loadDialects(names)
  const site = createWaymarkSite({
    directory: hosting.directory,
    endpoints: new McpEndpoints({ load, authentication, access, logger }),
    dialect: 'waymark',
    dialects: DIALECT_NAMES,
    authentication,
    hasApi: true,
    isTeam: true,
    metrics: new Metrics(),
    span: (_name, work) => work(),
    url: ORIGIN,
    access,
    logger,
    ...(settings.rateLimit !== undefined && { rateLimit: settings.rateLimit }),
  })
  const ask: TeamSite['ask'] = (path, init = {}, token = SECRET) => {
    const headers = { authorization: `Bearer ${token}`, ...(init.headers as object) }
    return site.fetch(new Request(`${ORIGIN}${path}`, { ...init, headers }))
  }
  return {
    site,
    ask,
    call: async <T>(path: string, input: object = {}, token?: string) => {
      const headers = { 'content-type': 'application/json' }
      const init = { method: 'POST', body: JSON.stringify(input), headers }
      const response = await ask(path, init, token)
      return { status: response.status, body: (await response.json()) as T }
    },
    [Symbol.asyncDispose]: async () => {
      await site.close()
      await hosting[Symbol.asyncDispose]()
    },
  }
}
