import { Buffer } from 'node:buffer'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { createResourceServer } from '@waymark/baton/http'
import { createSecretAuthenticator } from '@waymark/baton/http'
import { parseChallenge } from '../../auth/auth-header.ts'
import { createIssuer } from '../../auth/issuer.ts'
import { createResource } from '../../auth/resource.ts'
import { LegacyClient, eventsOf, take } from '../http-client.ts'
import { sendModern } from '../modern-client.ts'
import { createTestServer, describeHttp, serveNode } from '../servers.ts'

const SECRET = 'k3VYd5g0Yb1mJr8pQz7uWx2nTa6sLc4e'
const ROUTES = [
  ['POST', ''],
  ['GET', ''],
  ['DELETE', ''],
  ['OPTIONS', ''],
  ['PUT', ''],
  ['GET', '/sse'],
  ['POST', '/message'],
] as const

describeHttp('every route', (serve) => {
  it('refuses foreign origins, also with an allowed host', async () => {
    await using served = await serve(createTestServer().server)
    const { port } = new URL(served.url)
    const origins = ['null', 'http://evil.test', `http://localhost.evil.test:${port}`]
    origins.push(`https://localhost:${port}`, 'http://localhost:1', `http://127.0.0.1.:${port}`)
    for (const [method, path] of ROUTES) {
      for (const origin of origins) {
        const request = new Request(`${served.url}${path}`, { method, headers: { origin } })
        const response = await served.send(request)
        expect(response.status, `${method} ${path} ${origin}`).toBe(403)
        expect(response.headers.get('access-control-allow-origin')).toBeNull()
        await response.text()
      }
    }
  })

  it('accepts the server’s own origin', async () => {
    await using served = await serve(createTestServer().server)
    const { origin } = new URL(served.url)
    const client = await LegacyClient.connect({ ...served, headers: { origin } })
    expect((await client.request('ping')).status).toBe(200)
  })

  it('answers the CORS preflight of an allowed origin and lets it read the response', async () => {
    const allowedOrigins = ['https://app.test']
    await using served = await serve(createTestServer().server, { allowedOrigins })
    const headers = {
      origin: 'https://app.test',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type, mcp-session-id',
    }
    const preflight = await served.send(new Request(served.url, { method: 'OPTIONS', headers }))
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-origin')).toBe('https://app.test')
    expect(preflight.headers.get('access-control-allow-headers')).toBe(
      'content-type, mcp-session-id',
    )
    const client = new LegacyClient({ ...served, headers: { origin: 'https://app.test' } })
    const response = await client.initialize()
    expect(response.headers.get('access-control-allow-origin')).toBe('https://app.test')
    expect(response.headers.get('access-control-expose-headers')).toContain('mcp-session-id')
  })

  it('needs the secret, if one is configured', async () => {
    const authenticator = createSecretAuthenticator(SECRET)
    await using served = await serve(createTestServer().server, { authenticator })
    for (const [method, path] of ROUTES) {
      if (method === 'OPTIONS') continue
      const response = await served.send(new Request(`${served.url}${path}`, { method }))
      expect(response.status, `${method} ${path}`).toBe(401)
      expect(response.headers.get('www-authenticate')).toBe('Bearer')
      await response.text()
    }
    const headers = { authorization: `Bearer ${SECRET}` }
    const client = await LegacyClient.connect({ ...served, headers })
    expect((await client.request('ping')).status).toBe(200)
  })
})

describeHttp('sessions and principals', (serve) => {
  it('a session of another principal is not found, by any request [access-session-another]', async () => {
    await using issuer = await createIssuer()
    const authenticator = createResource(issuer)
    await using served = await serve(createTestServer().server, { authenticator })
    const connectAs = async (sub: string): Promise<LegacyClient> => {
      const token = await issuer.sign({ ...issuer.goodClaims(), sub })
      const headers = { authorization: `Bearer ${token}` }
      return LegacyClient.connect({ ...served, headers })
    }
    const alice = await connectAs('alice')
    const bob = await connectAs('bob')
    const stream = eventsOf(await alice.get())
    const [priming] = await take(stream, 1)
    bob.sessionId = alice.sessionId
    const lastEventId = { 'last-event-id': priming?.id ?? '' }
    for (const response of [
      await bob.request('tools/list'),
      await bob.notify('notifications/initialized'),
      await bob.get(),
      await bob.get(lastEventId),
      await bob.delete(),
    ]) {
      expect(response.status).toBe(404)
      await response.text()
    }
    expect((await alice.request('ping')).status).toBe(200)
    await stream.return(undefined)
  })

  it('the same principal with a new token continues the session', async () => {
    await using issuer = await createIssuer()
    const authenticator = createResource(issuer)
    await using served = await serve(createTestServer().server, { authenticator })
    const authorize = async (): Promise<{ authorization: string }> => ({
      authorization: `Bearer ${await issuer.sign()}`,
    })
    const first = await LegacyClient.connect({ ...served, headers: await authorize() })
    const second = new LegacyClient({ ...served, headers: await authorize() })
    second.sessionId = first.sessionId
    expect((await second.request('ping')).status).toBe(200)
  })

  it('tools need their scopes, and the challenge names them all', async () => {
    await using issuer = await createIssuer()
    const authenticator = createResourceServer({
      resource: 'https://mcp.test/mcp',
      issuer: issuer.url,
      scopes: { base: ['mem:read'], tools: { echo: ['mem:write', 'admin'] } },
    })
    await using served = await serve(createTestServer().server, { authenticator })
    const params = { name: 'echo', arguments: { text: 'x' } }
    const callWith = async (scope: string): Promise<Response> => {
      const token = await issuer.sign({ ...issuer.goodClaims(), scope })
      const headers = { authorization: `Bearer ${token}` }
      return sendModern(served, { method: 'tools/call', params, headers })
    }
    const refused = await callWith('mem:read')
    expect(refused.status).toBe(403)
    const { parameters } = parseChallenge(refused.headers.get('www-authenticate') ?? '')
    expect(parameters.get('scope')).toBe('mem:read mem:write admin')
    expect((await callWith(parameters.get('scope') ?? '')).status).toBe(200)
  })

  it('the metadata document is public, at both paths', async () => {
    await using issuer = await createIssuer()
    const authenticator = createResource(issuer)
    await using served = await serve(createTestServer().server, { authenticator })
    for (const path of ['/mcp', '']) {
      const url = new URL(`/.well-known/oauth-protected-resource${path}`, served.url)
      const response = await served.send(new Request(url))
      expect(response.status).toBe(200)
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
      expect(await response.json()).toMatchObject({
        resource: 'https://mcp.test/mcp',
        authorization_servers: [issuer.url],
      })
      const head = await served.send(new Request(url, { method: 'HEAD' }))
      expect(head.status).toBe(200)
      const post = await served.send(new Request(url, { method: 'POST' }))
      expect(post.status).toBe(405)
    }
  })

  it('pages of any origin can read the metadata document, and nothing else', async () => {
    await using issuer = await createIssuer()
    const authenticator = createResource(issuer)
    await using served = await serve(createTestServer().server, { authenticator })
    const origin = 'https://app.example'
    const asked = { 'access-control-request-headers': 'mcp-protocol-version' }
    const ask = (path: string, method: string) =>
      served.send(new Request(new URL(path, served.url), { method, headers: { origin, ...asked } }))
    for (const path of ['/mcp', '']) {
      for (const method of ['GET', 'HEAD', 'OPTIONS']) {
        const response = await ask(`/.well-known/oauth-protected-resource${path}`, method)
        expect(response.status, method).toBe(method === 'OPTIONS' ? 204 : 200)
        expect(response.headers.get('access-control-allow-origin')).toBe('*')
      }
    }
    for (const path of ['/mcp', '/.well-known/oauth-protected-resource/other', '/.well-known/x']) {
      for (const method of ['GET', 'OPTIONS']) {
        const response = await ask(path, method)
        expect(response.status, path).toBe(403)
        expect(response.headers.get('access-control-allow-origin')).toBeNull()
      }
    }
  })

  it('every response forbids sniffing, framing and caching', async () => {
    const authenticator = createSecretAuthenticator(SECRET)
    await using served = await serve(createTestServer().server, { authenticator })
    const headers = { authorization: `Bearer ${SECRET}` }
    const client = await LegacyClient.connect({ ...served, headers })
    const own = { ...headers, origin: new URL(served.url).origin }
    const answers = {
      stream: await client.get(),
      call: await client.request('ping'),
      accepted: await client.notify('notifications/initialized'),
      deleted: await client.delete(),
      stranger: await served.send(new Request(served.url)),
      foreign: await served.send(new Request(served.url, { headers: { origin: 'null' } })),
      preflight: await served.send(new Request(served.url, { method: 'OPTIONS', headers: own })),
      nowhere: await served.send(new Request(new URL('/x', served.url), { headers })),
    }
    for (const [what, response] of Object.entries(answers)) {
      expect(Object.fromEntries(response.headers), what).toMatchObject({
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'cache-control': expect.stringMatching(/^no-(store|cache)/),
        'referrer-policy': 'no-referrer',
      })
      await response.body?.cancel()
    }
  })

  it('a stream ends soon after the token that opened it', async () => {
    await using issuer = await createIssuer()
    let now = Date.now()
    const authenticator = createResource(issuer, { now: () => now })
    const options = { authenticator, now: () => now, keepAliveMs: 20 }
    await using served = await serve(createTestServer().server, options)
    const headers = { authorization: `Bearer ${await issuer.sign()}` }
    const client = await LegacyClient.connect({ ...served, headers })
    const stream = eventsOf(await client.get())
    await take(stream, 1)
    now += 600_000
    expect(await stream.next()).toMatchObject({ done: true })
  })
})

/** Sends bytes as they are, for what no proper client would send. */
async function sendRaw(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.end(text)
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(Buffer.from(chunk as Uint8Array))
  return Buffer.concat(chunks).toString()
}

it('hosts are checked on a real socket', async () => {
  await using served = await serveNode(createTestServer().server)
  const port = Number(new URL(served.url).port)
  const statusFor = async (hosts: readonly string[]): Promise<string | undefined> => {
    const lines = hosts.map((host) => `Host: ${host}\r\n`).join('')
    const answer = await sendRaw(port, `GET /mcp HTTP/1.1\r\n${lines}Connection: close\r\n\r\n`)
    return answer.split(' ')[1]
  }
  for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`])
    expect(await statusFor([host]), host).toBe('406')
  const foreign = [
    'evil.test',
    'localhost',
    `0.0.0.0:${port}`,
    `127.1:${port}`,
    `localhost.:${port}`,
  ]
  foreign.push(`user@localhost:${port}`, `[::ffff:127.0.0.1]:${port}`, `localhost:${port + 1}`)
  for (const host of foreign) expect(await statusFor([host]), host).toBe('403')
  expect(await statusFor([`localhost:${port}`, 'evil.test'])).toMatch(/^40[03]$/)
  expect(await statusFor(['evil.test', `localhost:${port}`])).toMatch(/^40[03]$/)
  expect(await statusFor([])).toBe('400')
})

it('two authorization headers are refused on a real socket', async () => {
  const authenticator = createSecretAuthenticator(SECRET)
  await using served = await serveNode(createTestServer().server, { authenticator })
  const port = Number(new URL(served.url).port)
  const good = `Authorization: Bearer ${SECRET}\r\n`
  const bad = 'Authorization: Bearer something-else\r\n'
  for (const headers of [good + bad, bad + good, good + good]) {
    const request = `GET /mcp HTTP/1.1\r\nHost: localhost:${port}\r\n${headers}Connection: close\r\n\r\n`
    expect(await sendRaw(port, request)).toMatch(/^HTTP\/1\.1 400 /)
  }
})

it.each([
  '__proto__: x',
  'constructor: x',
  `X-Long: ${'x'.repeat(20_000)}`,
  'Content-Length: 5\r\nTransfer-Encoding: chunked',
  'Content-Length: -1',
  'X-Folded: a\r\n b',
  ': no name',
])('the header %j does not crash the server', async (header) => {
  await using served = await serveNode(createTestServer().server)
  const port = Number(new URL(served.url).port)
  const request = `POST /mcp HTTP/1.1\r\nHost: localhost:${port}\r\n${header}\r\nConnection: close\r\n\r\n`
  expect(await sendRaw(port, request)).toMatch(/^HTTP\/1\.1 4\d\d /)
  await LegacyClient.connect(served)
})
