import { expect, it } from 'vitest'
import { formatCount, isFullLevel } from '../level.ts'
import { createIssuer, createSigningKey } from './issuer.ts'
import { createResource, statusOf } from './resource.ts'

it('200 requests at a cold start fetch the keys once', async () => {
  await using issuer = await createIssuer()
  const resource = createResource(issuer, { jwksUri: `${issuer.url}/jwks` })
  const tokens = await Promise.all(Array.from({ length: 200 }, () => issuer.sign()))
  const statuses = await Promise.all(tokens.map((token) => statusOf(resource, token)))
  expect(new Set(statuses)).toEqual(new Set([200]))
  expect(issuer.requests).toEqual(['/jwks'])
})

it('publish, sign, retire: no valid token is refused', async () => {
  await using issuer = await createIssuer()
  let now = Date.now()
  const resource = createResource(issuer, { now: () => now })
  const second = await createSigningKey('second')
  const underFirst = await issuer.sign()
  expect(await statusOf(resource, underFirst)).toBe(200)

  issuer.publish([issuer.key, second])
  now += 10_000
  issuer.publish([second, issuer.key])
  expect(await statusOf(resource, await issuer.sign())).toBe(200)
  expect(await statusOf(resource, await issuer.sign())).toBe(200)

  issuer.publish([second])
  expect(await statusOf(resource, await issuer.sign())).toBe(200)
  now += 10 * 60_000
  expect(await statusOf(resource, await issuer.sign())).toBe(200)
})

it('a clock that is set back does not hide new keys', async () => {
  await using issuer = await createIssuer()
  let now = Date.now()
  const resource = createResource(issuer, { now: () => now })
  const second = await createSigningKey('second')
  expect(await statusOf(resource, await issuer.sign())).toBe(200)
  issuer.publish([second])
  now -= 60_000
  const iat = Math.floor(now / 1000)
  const claims = { ...issuer.goodClaims(), iat, exp: iat + 3_600 }
  expect(await statusOf(resource, await issuer.sign(claims))).toBe(200)
})

it('a retired key is refused once the keys are fetched again', async () => {
  await using issuer = await createIssuer()
  let now = Date.now()
  const resource = createResource(issuer, { now: () => now })
  const claims = { ...issuer.goodClaims(), exp: Math.floor(now / 1000) + 3_600 }
  const underFirst = await issuer.sign(claims)
  expect(await statusOf(resource, underFirst)).toBe(200)
  issuer.publish([await createSigningKey('second')])
  now += 10 * 60_000
  expect(await statusOf(resource, underFirst)).toBe(401)
})

it('a token signed before its key was published is refused until the cooldown ends', async () => {
  await using issuer = await createIssuer()
  let now = Date.now()
  const resource = createResource(issuer, { now: () => now })
  expect(await statusOf(resource, await issuer.sign())).toBe(200)
  issuer.publish([await createSigningKey('second')])
  const early = await issuer.sign()
  now += 9_999
  expect(await statusOf(resource, early)).toBe(401)
  now += 1
  expect(await statusOf(resource, early)).toBe(200)
})

const UNKNOWN_IDS = isFullLevel ? 10_000 : 2_000
const PERIOD_MS = 50_000

it(`${formatCount(UNKNOWN_IDS)} unknown key ids make one fetch in each cooldown [key-rotation-unknown-ids]`, async () => {
  await using issuer = await createIssuer()
  let now = Date.now()
  const resource = createResource(issuer, { jwksUri: `${issuer.url}/jwks`, now: () => now })
  const [, payload = '', signature = ''] = (await issuer.sign()).split('.')
  for (let attempt = 0; attempt < UNKNOWN_IDS; attempt += 1) {
    const header = { alg: 'ES256', typ: 'at+jwt', kid: `unknown-${attempt}` }
    const encoded = Buffer.from(JSON.stringify(header)).toString('base64url')
    expect(await statusOf(resource, `${encoded}.${payload}.${signature}`)).toBe(401)
    now += PERIOD_MS / UNKNOWN_IDS
  }
  // The first fetch, and one at the end of each full cooldown.
  expect(issuer.requests.length).toBeLessThanOrEqual(5)
})
