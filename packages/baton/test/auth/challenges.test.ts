import { expect, it } from 'vitest'
import { createResource } from './resource.ts'
import { parseChallenge } from './auth-header.ts'
import { createIssuer } from './issuer.ts'

const METADATA = 'https://mcp.test/.well-known/oauth-protected-resource/mcp'
const NO_QUERY = new URLSearchParams()

it('a request without credentials gets a challenge with the metadata URL and without an error [challenges-request-credentials]', async () => {
  await using issuer = await createIssuer()
  const resource = createResource(issuer)
  for (const authorization of [null, 'Basic dXNlcjpwYXNz', 'Digest realm', '']) {
    const outcome = await resource.authenticate({ authorization, query: NO_QUERY })
    if (outcome.accepted) throw new Error('accepted')
    expect(outcome.denial.status).toBe(401)
    const { scheme, parameters } = parseChallenge(outcome.denial.headers['www-authenticate'] ?? '')
    expect(scheme).toBe('Bearer')
    expect(Object.fromEntries(parameters)).toEqual({
      resource_metadata: METADATA,
      scope: 'mem:read',
    })
  }
})

it('an invalid token gets a challenge with a fixed description', async () => {
  await using issuer = await createIssuer()
  const resource = createResource(issuer)
  const expired = await issuer.sign({ ...issuer.goodClaims(), exp: 1_000 })
  const foreign = await issuer.fetchToken({ resource: 'https://other.test/mcp' })
  for (const [token, description] of [
    ['garbage', 'the token is not valid'],
    [expired, 'the token has expired'],
    [foreign, 'the token is meant for another resource'],
  ] as const) {
    const outcome = await resource.authenticate({
      authorization: `Bearer ${token}`,
      query: NO_QUERY,
    })
    if (outcome.accepted) throw new Error('accepted')
    expect(outcome.denial.status).toBe(401)
    const { parameters } = parseChallenge(outcome.denial.headers['www-authenticate'] ?? '')
    expect(Object.fromEntries(parameters)).toEqual({
      error: 'invalid_token',
      error_description: description,
      resource_metadata: METADATA,
      scope: 'mem:read',
    })
    expect(JSON.stringify(outcome)).not.toContain(token)
  }
})

it('two headers, two schemes, two tokens and a token in the URL are malformed', async () => {
  await using issuer = await createIssuer()
  const resource = createResource(issuer)
  const token = await issuer.fetchToken()
  const malformed: readonly [string | null, URLSearchParams][] = [
    [`Bearer ${token}, Bearer ${token}`, NO_QUERY],
    [`Basic dXNlcjpwYXNz, Bearer ${token}`, NO_QUERY],
    [`Bearer Bearer ${token}`, NO_QUERY],
    [`Bearer ${token} ${token}`, NO_QUERY],
    [null, new URLSearchParams({ access_token: token })],
    [`Bearer ${token}`, new URLSearchParams({ access_token: token })],
  ]
  for (const [authorization, query] of malformed) {
    const outcome = await resource.authenticate({ authorization, query })
    if (outcome.accepted) throw new Error(`accepted ${authorization}`)
    expect(outcome.denial.status, String(authorization)).toBe(400)
    const { parameters } = parseChallenge(outcome.denial.headers['www-authenticate'] ?? '')
    expect(parameters.get('error')).toBe('invalid_request')
    expect(JSON.stringify(outcome)).not.toContain(token)
  }
})

it('an empty token and a variable that was not expanded are invalid, not malformed', async () => {
  await using issuer = await createIssuer()
  const resource = createResource(issuer)
  for (const authorization of ['Bearer', 'Bearer  ', 'Bearer ${TOKEN}', 'Bearer a"b']) {
    const outcome = await resource.authenticate({ authorization, query: NO_QUERY })
    if (outcome.accepted) throw new Error(`accepted ${authorization}`)
    expect(outcome.denial.status, authorization).toBe(401)
    const { parameters } = parseChallenge(outcome.denial.headers['www-authenticate'] ?? '')
    expect(parameters.get('error')).toBe('invalid_token')
    expect(outcome.denial.message).toMatch(/empty or a variable that was not expanded/)
  }
})

it('the scheme may be written in any case, with more than one space', async () => {
  await using issuer = await createIssuer()
  const resource = createResource(issuer)
  const token = await issuer.fetchToken()
  for (const authorization of [`bearer ${token}`, `BEARER  ${token}`, ` Bearer ${token} `])
    expect(await resource.authenticate({ authorization, query: NO_QUERY })).toMatchObject({
      accepted: true,
    })
})
