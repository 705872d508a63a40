import { expect, it } from 'vitest'
import { createSecretAuthenticator } from '../../src/auth/shared-secret.ts'
import { parseChallenge } from './auth-header.ts'
import { present, statusOf } from './resource.ts'

const SECRET = 'k3VYd5g0Yb1mJr8pQz7uWx2nTa6sLc4e'

it('the secret grants full access', async () => {
  const local = createSecretAuthenticator(SECRET)
  const outcome = await present(local, SECRET)
  if (!outcome.accepted) throw new Error(outcome.denial.message)
  expect(outcome.principal).toEqual({ id: 'shared-secret' })
  const operations = [{ method: 'tools/call', tool: 'purge' }]
  expect(local.authorize(outcome.principal, operations)).toBeUndefined()
})

it('anything but the secret is refused', async () => {
  const local = createSecretAuthenticator(SECRET)
  const wrong = [SECRET.slice(1), `${SECRET}x`, `x${SECRET.slice(1)}`, SECRET.toLowerCase(), 'x']
  for (let index = 0; index < SECRET.length; index += 1)
    wrong.push(`${SECRET.slice(0, index)}_${SECRET.slice(index + 1)}`)
  for (const token of wrong) expect(await statusOf(local, token), token).toBe(401)
})

it('a request without the secret gets a plain challenge', async () => {
  const local = createSecretAuthenticator(SECRET)
  const outcome = await local.authenticate({ authorization: null, query: new URLSearchParams() })
  if (outcome.accepted) throw new Error('accepted')
  expect(outcome.denial.status).toBe(401)
  expect(parseChallenge(outcome.denial.headers['www-authenticate'] ?? '')).toEqual({
    scheme: 'Bearer',
    parameters: new Map(),
  })
  const inUrl = new URLSearchParams({ access_token: SECRET })
  expect(await local.authenticate({ authorization: null, query: inUrl })).toMatchObject({
    accepted: false,
    denial: { status: 400 },
  })
})

it.each(['', 'short', 'with spaces in it, which no header can carry'])(
  '%j is refused as a secret',
  (secret) => {
    expect(() => createSecretAuthenticator(secret)).toThrow('the secret')
  },
)
