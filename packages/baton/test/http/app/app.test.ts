import { expect, it } from 'vitest'
import {
  createHttpApp,
  createMcpEndpoint,
  createResourceServer,
  createSecretAuthenticator,
  type HttpEndpoint,
} from '@waymark/baton/http'
import { listenHandler } from '@waymark/baton/node'
import { parseChallenge } from '../../auth/auth-header.ts'
import { createIssuer, RESOURCE } from '../../auth/issuer.ts'
import { LegacyClient } from '../http-client.ts'
import { createTestServer } from '../servers.ts'

const SECRET = 'k3VYd5g0Yb1mJr8pQz7uWx2nTa6sLc4e'
const ORIGIN = 'http://localhost:4120'

const whoami: HttpEndpoint = {
  serve: ({ reply, principal }) => Promise.resolve(reply.send({ status: 200, body: principal.id })),
}

function createSite() {
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
  site: ReturnType<typeof createSite>,
  path: string,
  { method = 'GET', ...headers }: Record<string, string> = {},
) {
  const response = await site.fetch(new Request(`${ORIGIN}${path}`, { method, headers }))
  return [response.status, await response.text()] as const
}

it('several servers and pages share one set of checks', async () => {
  await using site = createSite()
  const authorization = `Bearer ${SECRET}`
  expect(await ask(site, '/whoami', { authorization })).toEqual([200, 'shared-secret'])
  expect((await ask(site, '/whoami'))[0]).toBe(401)
  expect((await ask(site, '/elsewhere', { authorization }))[0]).toBe(404)
  expect(await ask(site, '/health')).toEqual([200, 'fine'])
  expect((await ask(site, '/health', { method: 'POST' }))[0]).toBe(405)
  for (const path of ['/health', '/whoami', '/one'])
    expect((await ask(site, path, { authorization, origin: 'http://evil.test' }))[0]).toBe(403)
})

it('a session of one server is unknown to the other', async () => {
  await using site = createSite()
  const headers = { authorization: `Bearer ${SECRET}` }
  const client = await LegacyClient.connect({ url: `${ORIGIN}/one`, send: site.fetch, headers })
  expect((await client.request('ping')).status).toBe(200)
  client.url = `${ORIGIN}/two`
  expect((await client.request('ping')).status).toBe(404)
})

it('a closed application refuses requests', async () => {
  const site = createSite()
  await site.close(0)
  expect((await ask(site, '/health'))[0]).toBe(503)
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
