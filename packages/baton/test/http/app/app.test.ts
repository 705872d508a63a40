import { expect, it } from 'vitest'
import {
  createHttpApp,
  createMcpEndpoint,
  createResourceServer,
  createSecretAuthenticator,
  type HttpEndpoint,
  type HttpHandler,
  type HttpRefusal,
} from '@waymark/baton/http'
import { listenHandler } from '@waymark/baton/node'
import { parseChallenge } from '../../auth/auth-header.ts'
import { createIssuer, RESOURCE } from '../../auth/issuer.ts'
import { LegacyClient } from '../http-client.ts'
import { createTestServer } from '../servers.ts'

const SECRET = 'k3VYd5g0Yb1mJr8pQz7uWx2nTa6sLc4e'
const NO_CREDENTIAL =
  'authentication is required; send the secret as Authorization: Bearer <secret>'
const ORIGIN = 'http://localhost:4120'

const whoami: HttpEndpoint = {
  serve: ({ reply, principal }) => Promise.resolve(reply.send({ status: 200, body: principal.id })),
}

function createApp() {
  const authenticator = createSecretAuthenticator(SECRET)
  const endpoints = new Map<string, HttpEndpoint & { close?(graceMs: number): Promise<void> }>([
    ['/one', createMcpEndpoint(createTestServer().server, { authenticator, path: '/one' })],
    ['/two', createMcpEndpoint(createTestServer().server, { authenticator, path: '/two' })],
    ['/whoami', whoami],
  ])
  return createHttpApp({
    authenticator,
    publicPages: { '/health': () => ({ status: 200, body: 'fine' }) },
    find: ({ path }) => endpoints.get(path),
    onClose: async (graceMs) => {
      for (const endpoint of endpoints.values()) await endpoint.close?.(graceMs)
    },
  })
}

async function ask(
  app: HttpHandler,
  path: string,
  { method = 'GET', ...headers }: Record<string, string> = {},
) {
  const response = await app.fetch(new Request(`${ORIGIN}${path}`, { method, headers }))
  return [response.status, await response.text()] as const
}

it('several servers and pages share one set of checks', async () => {
  await using app = createApp()
  const authorization = `Bearer ${SECRET}`
  expect(await ask(app, '/whoami', { authorization })).toEqual([200, 'shared-secret'])
  expect((await ask(app, '/whoami'))[0]).toBe(401)
  expect((await ask(app, '/elsewhere', { authorization }))[0]).toBe(404)
  expect(await ask(app, '/health')).toEqual([200, 'fine'])
  expect((await ask(app, '/health', { method: 'POST' }))[0]).toBe(405)
  for (const path of ['/health', '/whoami', '/one'])
    expect((await ask(app, path, { authorization, origin: 'http://evil.test' }))[0]).toBe(403)
})

const refused: HttpEndpoint = { serve: () => Promise.reject(new Error('not for clients')) }

it('the application formats its refusals, and the default is a JSON-RPC error', async () => {
  const seen: HttpRefusal[] = []
  await using app = createHttpApp({
    authenticator: createSecretAuthenticator(SECRET),
    rateLimit: { perSecond: 0.001, burst: 2 },
    publicPages: { '/health': () => ({ status: 200, body: 'fine' }) },
    find: ({ path }) =>
      path === '/fails' ? refused : path === '/whoami' || path === '/mcp' ? whoami : undefined,
    onRefusal: (refusal, { path }) => {
      seen.push(refusal)
      if (path === '/mcp') return undefined
      const { status, code, message, headers } = refusal
      return { status, headers, body: `${code} ${message}` }
    },
  })
  const authorization = `Bearer ${SECRET}`
  expect(await ask(app, '/whoami')).toEqual([401, `-32600 ${NO_CREDENTIAL}`])
  expect(seen.at(-1)?.headers['www-authenticate']).toBe('Bearer')
  expect(await ask(app, '/whoami', { origin: 'http://evil.test' })).toEqual([
    403,
    '-32600 origin is not allowed',
  ])
  expect(await ask(app, '/elsewhere')).toEqual([404, '-32600 not found'])
  expect(await ask(app, '/health', { method: 'POST' })).toEqual([
    405,
    '-32600 method is not allowed',
  ])
  expect(await ask(app, '/whoami', { authorization })).toEqual([200, 'shared-secret'])
  expect(await ask(app, '/fails', { authorization })).toEqual([500, '-32603 internal error'])
  expect(await ask(app, '/whoami', { authorization })).toEqual([429, '-32000 too many requests'])
  expect(Number(seen.at(-1)?.headers['retry-after'])).toBeGreaterThan(100)
  const [status, body] = await ask(app, '/mcp')
  expect([status, JSON.parse(body)]).toEqual([
    401,
    { jsonrpc: '2.0', id: null, error: { code: -32600, message: NO_CREDENTIAL } },
  ])
  await app.close(0)
  expect(await ask(app, '/health')).toEqual([503, '-32000 the server is shutting down'])
})

it('every response is reported once, with its status and its time', async () => {
  const responses: string[] = []
  await using app = createHttpApp({
    authenticator: 'none',
    find: ({ path }) =>
      path === '/stream'
        ? { serve: ({ reply }) => Promise.resolve(reply.stream().end()) }
        : path === '/fails'
          ? refused
          : path === '/whoami'
            ? whoami
            : undefined,
    onResponse: (status, { path }, elapsedMs) => {
      expect(elapsedMs).toBeGreaterThanOrEqual(0)
      responses.push(`${path} ${status}`)
    },
  })
  for (const path of ['/whoami', '/stream', '/fails', '/elsewhere']) await ask(app, path)
  expect(responses).toEqual(['/whoami 200', '/stream 200', '/fails 500', '/elsewhere 404'])
})

it('a session of one server is unknown to the other', async () => {
  await using app = createApp()
  const headers = { authorization: `Bearer ${SECRET}` }
  const client = await LegacyClient.connect({ url: `${ORIGIN}/one`, send: app.fetch, headers })
  expect((await client.request('ping')).status).toBe(200)
  client.url = `${ORIGIN}/two`
  expect((await client.request('ping')).status).toBe(404)
})

it('a closed application refuses requests', async () => {
  const app = createApp()
  await app.close(0)
  expect((await ask(app, '/health'))[0]).toBe(503)
})

it('an application listens on its own port, under the loopback names and that port only', async () => {
  await using listener = await listenHandler({ graceMs: 0 }, ({ allowedHosts, port }) => {
    expect(allowedHosts).toContain(`localhost:${port}`)
    return createHttpApp({
      authenticator: 'none',
      allowedHosts,
      find: ({ path }) => (path === '/whoami' ? whoami : undefined),
    })
  })
  expect(await (await fetch(`${listener.url}/whoami`)).text()).toBe('anonymous')
})

it('one issuer serves endpoints with different scopes; keys are fetched once', async () => {
  await using issuer = await createIssuer()
  const all = createResourceServer({
    resource: RESOURCE,
    issuer: issuer.url,
    scopes: { base: [], first: ['mem:read'] },
  })
  const strict = all.withScopes({ base: [], tools: { remember: ['mem:write'] } })
  const token = await issuer.fetchToken({ scope: 'mem:read' })
  const credentials = { authorization: `Bearer ${token}`, query: new URLSearchParams() }
  const call = [{ method: 'tools/call', tool: 'remember' }]
  for (const part of [all, strict]) {
    const outcome = await part.authenticate(credentials)
    if (!outcome.accepted) throw new Error('refused')
    const denial = part.authorize(outcome.principal, call)
    expect(denial?.status).toBe(part === strict ? 403 : undefined)
  }
  expect(issuer.requests.filter((path) => path.includes('jwks'))).toHaveLength(1)
  const anonymous = await strict.authenticate({ ...credentials, authorization: null })
  if (anonymous.accepted) throw new Error('accepted')
  const { parameters } = parseChallenge(anonymous.denial.headers['www-authenticate'] ?? '')
  expect(parameters.get('scope')).toBe('mem:read')
  expect(JSON.parse(all.metadata?.body ?? '')).toMatchObject({ scopes_supported: ['mem:read'] })
})

it('an audience need not be a URL, and an application may refuse valid tokens', async () => {
  await using issuer = await createIssuer()
  const resource = createResourceServer({
    resource: RESOURCE,
    audience: 'urn:our:api',
    issuer: issuer.url,
    scopes: { base: [] },
    accepts: ({ client_id }) => client_id === 'agent',
  })
  const statusOf = async (claims: object) => {
    const token = await issuer.sign({ ...issuer.goodClaims(), ...claims })
    const authorization = `Bearer ${token}`
    const outcome = await resource.authenticate({ authorization, query: new URLSearchParams() })
    return outcome.accepted ? 200 : outcome.denial.status
  }
  expect(await statusOf({ aud: 'urn:our:api' })).toBe(200)
  expect(await statusOf({ aud: RESOURCE })).toBe(401)
  expect(await statusOf({ aud: 'urn:our:api', client_id: 'stranger' })).toBe(401)
})
