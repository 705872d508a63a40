import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect, it, vi } from 'vitest'
import { createIssuer } from './issuer.ts'
import { createResource, present, statusOf } from './resource.ts'

const MINUTE = 60_000

type Answer = (request: IncomingMessage, response: ServerResponse) => void

const redirectTo =
  (location: string): Answer =>
  (_request, response) => {
    response.writeHead(302, { location }).end()
  }

const sendJson =
  (body: string): Answer =>
  (_request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(body)
  }

const FAULTS: Record<string, Answer> = {
  'a redirect to the metadata service': redirectTo('http://169.254.169.254/latest/meta-data'),
  'a redirect to a file': redirectTo('file:///etc/passwd'),
  'a redirect to itself': redirectTo('/jwks'),
  'ten megabytes': sendJson(`{"keys":[${'{},'.repeat(3_400_000)}{}]}`),
  'no JSON': sendJson('<html>'),
  'JSON without keys': sendJson('{}'),
  'keys that are no list': sendJson('{"keys":7}'),
  'an empty body': sendJson(''),
  'a server error': (_request, response) => {
    response.writeHead(500).end()
  },
  'not found': (_request, response) => {
    response.writeHead(404).end()
  },
  'a connection reset': (request) => {
    request.socket.resetAndDestroy()
  },
}

it.each(Object.entries(FAULTS))(
  'when the issuer responds with %s, tokens get a 503 and only the issuer was contacted',
  async (_name, fault) => {
    await using issuer = await createIssuer()
    const hosts = new Set<string>()
    const recordHost = (url: string, init: RequestInit): Promise<Response> => {
      hosts.add(new URL(url).host)
      return fetch(url, init)
    }
    const token = await issuer.fetchToken()
    for (const jwksUri of [undefined, `${issuer.url}/jwks`]) {
      const options = jwksUri === undefined ? {} : { jwksUri }
      const resource = createResource(issuer, { ...options, fetch: recordHost })
      issuer.intercept = fault
      const outcome = await present(resource, token)
      if (outcome.accepted) throw new Error('accepted')
      expect(outcome.denial.status).toBe(503)
      expect(outcome.denial.headers).toEqual({ 'retry-after': '5' })
    }
    expect([...hosts]).toEqual([new URL(issuer.url).host])
  },
)

it('a redirect is not followed, even to a valid key set [issuer-faults-redirect-followed]', async () => {
  await using issuer = await createIssuer()
  await using elsewhere = await createIssuer()
  const token = await issuer.sign()
  elsewhere.intercept = sendJson(JSON.stringify({ keys: [issuer.key.jwk] }))
  for (const status of [301, 302, 303, 307, 308]) {
    issuer.intercept = (request, response) => {
      response.writeHead(status, { location: `${elsewhere.url}${request.url}` }).end()
    }
    for (const jwksUri of [undefined, `${issuer.url}/jwks`]) {
      const options = jwksUri === undefined ? {} : { jwksUri }
      expect(await statusOf(createResource(issuer, options), token), `${status}`).toBe(503)
    }
  }
  expect(elsewhere.requests).toEqual([])
})

it.each([
  ['another issuer', { issuer: 'https://evil.test' }],
  ['keys on another host', { jwks_uri: 'http://169.254.169.254/jwks' }],
  ['keys in a file', { jwks_uri: 'file:///etc/passwd' }],
  ['no keys', { jwks_uri: undefined }],
])('metadata with %s is not followed', async (_name, change) => {
  await using issuer = await createIssuer()
  const token = await issuer.fetchToken()
  issuer.requests.length = 0
  const metadata = { issuer: issuer.url, jwks_uri: `${issuer.url}/jwks`, ...change }
  issuer.intercept = sendJson(JSON.stringify(metadata))
  expect(await statusOf(createResource(issuer), token)).toBe(503)
  expect(issuer.requests).toEqual(['/.well-known/oauth-authorization-server'])
})

it('an issuer that hangs times out once, then is not contacted for five seconds', async () => {
  await using issuer = await createIssuer()
  let now = Date.now()
  const resource = createResource(issuer, { jwksUri: `${issuer.url}/jwks`, now: () => now })
  const token = await issuer.fetchToken()
  issuer.requests.length = 0
  issuer.intercept = () => {}
  const timeout = AbortSignal.timeout.bind(AbortSignal)
  const clock = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout(ms / 20))
  const crowd = Array.from({ length: 50 }, () => statusOf(resource, token))
  expect(new Set(await Promise.all(crowd))).toEqual(new Set([503]))
  expect(clock.mock.calls).toEqual([[5_000]])
  clock.mockRestore()
  now += 4_999
  expect(await statusOf(resource, token)).toBe(503)
  expect(issuer.requests).toEqual(['/jwks'])

  issuer.intercept = undefined
  now += 1
  expect(await statusOf(resource, token)).toBe(200)
  expect(issuer.requests).toEqual(['/jwks', '/jwks'])
})

it('an unreachable issuer has no effect while the keys are fresh, and is never a 401 [issuer-faults-unreachable-effect]', async () => {
  await using issuer = await createIssuer()
  let now = Date.now()
  const resource = createResource(issuer, { now: () => now })
  const claims = { ...issuer.goodClaims(), exp: Math.floor(now / 1000) + 3_600 }
  const signAnother = (): Promise<string> => issuer.sign({ ...claims, jti: crypto.randomUUID() })
  expect(await statusOf(resource, await signAnother())).toBe(200)
  await issuer.goAway()
  now += 9 * MINUTE
  expect(await statusOf(resource, await signAnother())).toBe(200)
  now += MINUTE
  for (let attempt = 0; attempt < 5; attempt += 1) {
    expect(await statusOf(resource, await signAnother())).toBe(503)
    now += 3_000
  }
})

it('a token with an unknown key is not called invalid while the issuer is unreachable', async () => {
  await using issuer = await createIssuer()
  let now = Date.now()
  const resource = createResource(issuer, { now: () => now })
  expect(await statusOf(resource, await issuer.sign())).toBe(200)
  const underNewKey = await issuer.sign(undefined, { kid: 'published-later' })
  await issuer.goAway()
  now += 10_000
  expect(await statusOf(resource, underNewKey)).toBe(503)
})
