import { request } from 'node:http'
import type { LookupFunction } from 'node:net'
import { listenHandler } from '@waymark/baton/node'
import { expect, it } from 'vitest'
import { parseChallenge } from '../../../baton/test/auth/auth-header.ts'
import { createIssuer } from '../../../baton/test/auth/issuer.ts'
import { DIALECT_NAMES } from '../../src/dialects/load-dialects.ts'
import { allOperations } from '../../src/registry.ts'
import { SCOPES } from '../../src/core/scopes.ts'
import { parsePath, type Target } from '../../src/surfaces/http/site-path.ts'
import { setup } from '../setup.ts'
import { createTestSite, type TestSite } from './test-site.ts'

const HASH = '0'.repeat(64)

/** Addresses of every kind that there is; a kind that is new has to be added here before this compiles. */
const PATHS: Readonly<Record<Target['kind'], () => Promise<readonly string[]>>> = {
  metrics: async () => ['/metrics'],
  openapi: async () => ['/openapi.json'],
  // Its files are open to everybody and hold no data; `page.test.ts` looks at them.
  page: async () => [],
  'page-route': async () => ['/ui/link', '/ui/presence'],
  team: async () => inProjects(['/team/members', '/team/tokens/x', '/team/redeem']),
  cas: async () => inProjects(['/cas', `/cas/${HASH}`]),
  mcp: async () =>
    inProjects(
      ['', ...DIALECT_NAMES.map((name) => `/${name}`), '/none'].flatMap((dialect) =>
        ['', '/sse', '/message'].map((end) => `/mcp${dialect}${end}`),
      ),
    ),
  api: async () => [
    ...inProjects(['/api/none.none', '/api/entity.list']),
    ...(await allOperations()).map(({ name }) => `/api/${name}`),
  ],
}

function inProjects(paths: readonly string[]): readonly string[] {
  return ['', '/projects/none'].flatMap((project) => paths.map((path) => `${project}${path}`))
}

async function allPaths(): Promise<readonly string[]> {
  const paths = (await Promise.all(Object.values(PATHS).map((load) => load()))).flat()
  for (const path of paths) expect(parsePath(path), path).toBeDefined()
  return paths
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE']

/** No browser is to guess what an answer is, show it in a frame, keep it, or give it to a page of somebody else. */
function isGuarded(headers: Headers): boolean {
  return (
    headers.get('x-content-type-options') === 'nosniff' &&
    headers.get('content-security-policy') === "default-src 'none'; frame-ancestors 'none'" &&
    headers.get('cache-control') === 'no-store' &&
    headers.get('access-control-allow-origin') === null
  )
}

/** How many requests were tried, and those that were not answered as a stranger's should be. */
async function askAll(site: TestSite, challenge: string) {
  const wrong: string[] = []
  let tried = 0
  for (const path of await allPaths()) {
    for (const method of METHODS) {
      const { status, headers } = await site.ask(path, { method, headers: { authorization: '' } })
      const isRefused = status === 401 && headers.get('www-authenticate') === challenge
      if (!isRefused || !isGuarded(headers)) wrong.push(`${status} ${method} ${path}`)
      tried += 1
    }
  }
  return { tried, wrong }
}

it('with a secret, no address answers a stranger but the sign of life [http-strangers-secret-address]', async () => {
  await using project = await setup()
  await using site = createTestSite(project.directory)
  const { tried, wrong } = await askAll(site, 'Bearer')
  expect(wrong).toEqual([])
  expect(tried).toBeGreaterThan(750)
  const health = await site.ask('/health', { headers: { authorization: '' } })
  expect([health.status, await health.text()]).toEqual([200, '{"ok":true}'])
  expect(isGuarded(health.headers)).toBe(true)
})

it('with OAuth, no address answers a stranger but the sign of life and where to get a token [http-strangers-oauth-address]', async () => {
  await using project = await setup()
  await using issuer = await createIssuer(SCOPES)
  await using site = createTestSite(project.directory, { issuer })
  const document = 'http://localhost/.well-known/oauth-protected-resource/mcp'
  // Those to write with too: a client registers itself with what it is told here.
  const challenge = `Bearer scope="${SCOPES.join(' ')}", resource_metadata="${document}"`
  expect(parseChallenge(challenge).parameters.get('resource_metadata')).toBe(document)
  const { tried, wrong } = await askAll(site, challenge)
  expect(wrong).toEqual([])
  expect(tried).toBeGreaterThan(750)
  for (const url of [document, 'http://localhost/.well-known/oauth-protected-resource']) {
    const response = await site.site.fetch(new Request(url))
    expect(await response.json()).toEqual({
      resource: 'http://localhost/mcp',
      authorization_servers: [issuer.url],
      scopes_supported: SCOPES,
      bearer_methods_supported: ['header'],
      resource_name: 'Waymark',
    })
  }
})

it('an empty or unexpanded token is refused with the way to authenticate [http-strangers-unexpanded]', async () => {
  await using project = await setup()
  await using site = createTestSite(project.directory)
  for (const authorization of ['', 'Bearer ', 'Bearer ${WAYMARK_TOKEN}', 'Bearer wrong']) {
    for (const path of ['/mcp', '/api/task.list']) {
      const response = await site.ask(path, { headers: { authorization } })
      expect(response.status, `${path} ${authorization}`).toBe(401)
      expect(await response.text()).toMatch(/Authorization: Bearer <secret> .*WAYMARK_TOKEN/)
    }
  }
  const registration = await site.ask('/register', { method: 'POST', headers: NO_CREDENTIAL })
  expect(registration.status).toBe(404)
  expect(await registration.text()).toContain('registers no OAuth clients; send its secret')
})

const NO_CREDENTIAL = { authorization: '' }

async function listen(directory: string) {
  const sites: TestSite[] = []
  const listener = await listenHandler({ graceMs: 0 }, ({ allowedHosts }) => {
    const made = createTestSite(directory, { allowedHosts })
    sites.push(made)
    return made.site
  })
  return {
    port: listener.port,
    secret: sites[0]?.secret ?? '',
    [Symbol.asyncDispose]: async () => {
      await listener.close()
      for (const site of sites) await site[Symbol.asyncDispose]()
    },
  }
}

/** Every way to write another host, or this one in a way that a browser could have made of another. */
function foreignHosts(port: number): readonly string[] {
  const names = ['127.1', '127.0.1', '0.0.0.0', '0', '2130706433', '0x7f.0.0.1', '0177.0.0.1']
  names.push('[::ffff:127.0.0.1]', '[0:0:0:0:0:0:0:1]', '[::]', 'localhost.', '127.0.0.1.')
  names.push('evil.test', 'localhost.evil.test', '127.0.0.1.evil.test', 'user@localhost')
  names.push('evil.test@localhost', '127.0.0.2', 'localhost,evil.test')
  const others = ['localhost', '127.0.0.1', `localhost:${port + 1}`, `localhost:0${port}`]
  return [...names.map((name) => `${name}:${port}`), ...others]
}

it('foreign hosts get nothing at any address, and a name that leads here by a trick is one [http-strangers-foreign-hosts]', async () => {
  await using project = await setup()
  await using listener = await listen(project.directory)
  const statusOf = (path: string, headers: Record<string, string>, name = '127.0.0.1') =>
    new Promise<number | undefined>((resolve, reject) => {
      const options = { host: name, port: listener.port, path, headers, lookup: toLoopback }
      request(options, (response) => {
        response.resume().on('end', () => resolve(response.statusCode))
      })
        .on('error', reject)
        .end()
    })
  const authorization = `Bearer ${listener.secret}`
  const hosts = foreignHosts(listener.port)
  expect(hosts.length).toBeGreaterThan(20)
  const kinds = ['/mcp', '/mcp/tasky/sse', '/mcp/message', '/api/entity.list', '/cas', '/metrics']
  kinds.push(
    '/openapi.json',
    '/health',
    '/elsewhere',
    '/ui/',
    '/ui/session',
    '/.well-known/oauth-protected-resource',
  )
  for (const path of kinds) {
    for (const host of hosts)
      expect(await statusOf(path, { authorization, host }), `${host} ${path}`).toBe(403)
  }
  for (const path of await allPaths())
    expect(await statusOf(path, { authorization, host: 'evil.test' }), path).toBe(403)
  // As a browser does that was told a new address for an old name: the name is what it sends.
  expect(await statusOf('/api/entity.list', { authorization }, 'rebound.evil.test')).toBe(403)
  const own = { authorization, host: `localhost:${listener.port}` }
  expect(await statusOf('/api/entity.list', own)).toBe(200)
})

/** A resolver that has changed its mind. */
const toLoopback: LookupFunction = (_name, options, done) => {
  const found = { address: '127.0.0.1', family: 4 }
  if (options.all === true) done(null, [found])
  else done(null, found.address, found.family)
}
