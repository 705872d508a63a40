import {
  CompactEncrypt,
  CompactSign,
  type CryptoKey,
  SignJWT,
  UnsecuredJWT,
  exportJWK,
  exportSPKI,
  importJWK,
} from 'jose'
import { expect, it } from 'vitest'
import { createIssuer, createSigningKey, RESOURCE } from './issuer.ts'
import { createResource, present, statusOf } from './resource.ts'

it('a token from the issuer is accepted and its claims reach the principal', async () => {
  await using issuer = await createIssuer()
  const resource = createResource(issuer)
  const token = await issuer.fetchToken({ scope: 'mem:read mem:write' })
  const outcome = await present(resource, token)
  if (!outcome.accepted) throw new Error(outcome.denial.message)
  expect(outcome.principal).toMatchObject({
    id: JSON.stringify([issuer.url, 'agent']),
    scopes: ['mem:read', 'mem:write'],
    claims: { iss: issuer.url, aud: RESOURCE, client_id: 'agent' },
  })
  expect(outcome.principal.expiresAt).toBe(Number(outcome.principal.claims?.['exp']) * 1000)
})

it('only the exact audience passes [access-token-only-exact]', async () => {
  await using issuer = await createIssuer()
  const resource = createResource(issuer)
  const audiences: readonly [unknown, number][] = [
    [RESOURCE, 200],
    [[RESOURCE], 200],
    [['https://other.test', RESOURCE], 200],
    ['https://other.test/mcp', 401],
    [['https://other.test/mcp', 'https://third.test'], 401],
    [[], 401],
    ['', 401],
    [null, 401],
    [undefined, 401],
    [42, 401],
    [{ [RESOURCE]: true }, 401],
    [[[RESOURCE]], 401],
    ['https://mcp.test', 401],
    ['https://mcp.test/', 401],
    ['https://mcp.test/mcp/', 401],
    ['https://mcp.test/mcp/x', 401],
    ['https://mcp.test/mc', 401],
    ['https://mcp.test/MCP', 401],
    ['https://MCP.test/mcp', 401],
    ['HTTPS://mcp.test/mcp', 401],
    ['http://mcp.test/mcp', 401],
    ['https://mcp.test:443/mcp', 401],
    ['https://mcp.test:8443/mcp', 401],
    ['https://mcp.test./mcp', 401],
    ['https://mcp.test//mcp', 401],
    ['https://mcp.test/./mcp', 401],
    ['https://mcp.test/mcp?', 401],
    ['https://mcp.test/mcp?a=1', 401],
    ['https://mcp.test/mcp#', 401],
    ['https://user@mcp.test/mcp', 401],
    [' https://mcp.test/mcp', 401],
    ['https://mcp.test/mcp ', 401],
    ['https://mcp.test/mcp\n', 401],
    ['https://mcp.test/mcp\0', 401],
    ['https://mcp.test/%6dcp', 401],
    ['https://mcp.test/mcp,https://other.test', 401],
    ['https://mcp.test/mcp https://other.test', 401],
    ['https://mcp.test.evil.test/mcp', 401],
    ['https://evil.test/https://mcp.test/mcp', 401],
    ['mcp.test/mcp', 401],
    ['*', 401],
  ]
  for (const [aud, status] of audiences) {
    const token = await issuer.sign({ ...issuer.goodClaims(), aud })
    expect(await statusOf(resource, token), JSON.stringify(aud)).toBe(status)
  }
})

it('the issuer must equal the configured one exactly', async () => {
  await using issuer = await createIssuer()
  const resource = createResource(issuer)
  for (const iss of [`${issuer.url}/`, issuer.url.toUpperCase(), 'https://evil.test', '', null]) {
    const token = await issuer.sign({ ...issuer.goodClaims(), iss })
    expect(await statusOf(resource, token), String(iss)).toBe(401)
  }
})

it('tokens under a forged or foreign key are refused [access-token-tokens-forged]', async () => {
  await using issuer = await createIssuer()
  const resource = createResource(issuer)
  const claims = issuer.goodClaims()
  const attacker = await createSigningKey(issuer.key.kid)
  const published = await importJWK({ ...issuer.key.jwk, d: undefined } as never, 'ES256')
  const spki = await exportSPKI(published as CryptoKey)
  const forged = (header: object, key: CryptoKey | Uint8Array, alg = 'ES256'): Promise<string> =>
    new SignJWT(claims)
      .setProtectedHeader({ alg, typ: 'at+jwt', kid: issuer.key.kid, ...header })
      .sign(key)
  const { d: _private, ...attackerPublic } = await exportJWK(attacker.privateKey)
  const rsa = await createSigningKey(issuer.key.kid, 'RS256')
  const eddsa = await createSigningKey(issuer.key.kid, 'EdDSA')
  const publicKeyText = new TextEncoder().encode(spki)
  const jwkText = new TextEncoder().encode(JSON.stringify(issuer.key.jwk))

  const tokens: Record<string, string> = {
    'alg none': new UnsecuredJWT(claims).encode(),
    'signed by an attacker with a known kid': await forged({}, attacker.privateKey),
    'HS256 with the public key as secret': await forged({}, publicKeyText, 'HS256'),
    'HS384 with the public key as secret': await forged({}, publicKeyText, 'HS384'),
    'HS512 with the key set as secret': await forged({}, jwkText, 'HS512'),
    'HS256 with an empty-looking secret': await forged({}, new Uint8Array(32), 'HS256'),
    'RS256 under the kid of an EC key': await forged({}, rsa.privateKey, 'RS256'),
    'PS256 under the kid of an EC key': await forged(
      {},
      (await createSigningKey('x', 'PS256')).privateKey,
      'PS256',
    ),
    'EdDSA under the kid of an EC key': await forged({}, eddsa.privateKey, 'EdDSA'),
    'key embedded in the header': await forged({ jwk: attackerPublic }, attacker.privateKey),
    'key embedded, kid empty': await forged({ jwk: attackerPublic, kid: '' }, attacker.privateKey),
    'kid empty': await forged({ kid: '' }, attacker.privateKey),
    'kid huge': await forged({ kid: 'k'.repeat(10_000) }, attacker.privateKey),
    'kid a path': await forged({ kid: '../../../../dev/null' }, attacker.privateKey),
    'kid SQL': await forged({ kid: "' OR 1=1 --" }, attacker.privateKey),
    'kid __proto__': await forged({ kid: '__proto__' }, attacker.privateKey),
    'jku elsewhere': await forged({ jku: 'http://127.0.0.1:1/jwks' }, attacker.privateKey),
    'x5u elsewhere': await forged({ x5u: 'http://127.0.0.1:1/cert' }, attacker.privateKey),
    'x5c embedded': await forged({ x5c: ['MIIB'] }, attacker.privateKey),
    'no kid, foreign key': await forged({ kid: undefined }, attacker.privateKey),
  }
  for (const [what, token] of Object.entries(tokens))
    expect(await statusOf(resource, token), what).toBe(401)
  expect(issuer.requests.filter((path) => path === '/jwks')).toHaveLength(1)
})

it('malformed tokens and tokens of another format are refused', async () => {
  await using issuer = await createIssuer()
  const resource = createResource(issuer)
  const good = await issuer.sign()
  const [header = '', payload = '', signature = ''] = good.split('.')
  const encode = (value: unknown): string =>
    Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
  const critical = await new SignJWT(issuer.goodClaims())
    .setProtectedHeader({
      alg: 'ES256',
      typ: 'at+jwt',
      kid: issuer.key.kid,
      crit: ['exp'],
      exp: 1,
    } as never)
    .sign(issuer.key.privateKey, { crit: { exp: true } } as never)
    .catch(
      () => `${encode({ alg: 'ES256', typ: 'at+jwt', crit: ['exp'] })}.${payload}.${signature}`,
    )
  const encrypted = await new CompactEncrypt(new TextEncoder().encode(good))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .encrypt(new Uint8Array(32))

  const tokens: Record<string, string> = {
    'crit header': critical,
    encrypted,
    detached: `${header}..${signature}`,
    'no signature': `${header}.${payload}.`,
    'no header': `.${payload}.${signature}`,
    'two parts': `${header}.${payload}`,
    'four parts': `${good}.${signature}`,
    'header alg none, signature kept': `${encode({ alg: 'none' })}.${payload}.${signature}`,
    'header alg NONE': `${encode({ alg: 'NONE' })}.${payload}.`,
    'header alg lower case': `${encode({ alg: 'es256', kid: 'first' })}.${payload}.${signature}`,
    'header not JSON': `${encode('{')}.${payload}.${signature}`,
    'header an array': `${encode([])}.${payload}.${signature}`,
    'header without alg': `${encode({ typ: 'at+jwt' })}.${payload}.${signature}`,
    'header with b64 false': `${encode({ alg: 'ES256', b64: false, crit: ['b64'] })}.${payload}.${signature}`,
    'payload not JSON': `${header}.${encode('x')}.${signature}`,
    'payload of another token': `${header}.${encode({ ...issuer.goodClaims(), sub: 'root' })}.${signature}`,
    'all-zero signature': `${header}.${payload}.${'A'.repeat(86)}`,
    'DER signature': `${header}.${payload}.${encode('0E\u0002 ')}`,
    'padding added': `${good}==`,
    'dots only': '..',
    'one character': 'x',
  }
  for (const [what, token] of Object.entries(tokens))
    expect([400, 401], what).toContain(await statusOf(resource, token))
  expect(await statusOf(resource, good)).toBe(200)
})

it('times are exact to the second, with a leeway of thirty [access-token-times-exact]', async () => {
  await using issuer = await createIssuer()
  const seconds = Math.floor(Date.now() / 1000)
  const resource = createResource(issuer, { now: () => seconds * 1000 })
  const cases: readonly [string, unknown, number][] = [
    ['exp', seconds + 1, 200],
    ['exp', seconds, 200],
    ['exp', seconds - 29, 200],
    ['exp', seconds - 30, 401],
    ['exp', seconds - 31, 401],
    ['exp', undefined, 401],
    ['exp', null, 401],
    ['exp', String(seconds + 600), 401],
    ['exp', [seconds + 600], 401],
    ['exp', {}, 401],
    ['exp', true, 401],
    ['exp', 0, 401],
    ['exp', -1, 401],
    ['exp', seconds + 0.5, 200],
    ['nbf', seconds - 1, 200],
    ['nbf', seconds + 30, 200],
    ['nbf', seconds + 31, 401],
    ['nbf', String(seconds), 401],
    ['nbf', null, 401],
    ['nbf', undefined, 200],
    ['iat', seconds - 3_600, 200],
    ['iat', seconds + 30, 200],
    ['iat', seconds + 31, 401],
    ['iat', undefined, 401],
    ['iat', String(seconds), 401],
    ['iat', null, 401],
  ]
  for (const [claim, value, status] of cases) {
    const token = await issuer.sign({ ...issuer.goodClaims(), [claim]: value })
    expect(await statusOf(resource, token), `${claim} ${JSON.stringify(value)}`).toBe(status)
  }
})

it('an infinite expiry is refused', async () => {
  await using issuer = await createIssuer()
  const resource = createResource(issuer)
  for (const claim of ['exp', 'iat', 'nbf']) {
    const claims = JSON.stringify({ ...issuer.goodClaims(), [claim]: 0 })
    const payload = claims.replace(`"${claim}":0`, `"${claim}":1e400`)
    expect(payload).toContain('1e400')
    const token = await new CompactSign(new TextEncoder().encode(payload))
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: issuer.key.kid })
      .sign(issuer.key.privateKey)
    expect(await statusOf(resource, token), claim).toBe(401)
  }
})

it('other kinds of tokens from the same issuer are refused [access-token-kinds-tokens]', async () => {
  await using issuer = await createIssuer()
  const resource = createResource(issuer)
  for (const typ of [
    'JWT',
    'jwt',
    'id_token+jwt',
    'rt+jwt',
    'logout+jwt',
    'dpop+jwt',
    '',
    undefined,
  ])
    expect(await statusOf(resource, await issuer.sign(undefined, { typ })), String(typ)).toBe(401)
  for (const typ of ['at+jwt', 'AT+JWT', 'application/at+jwt'])
    expect(await statusOf(resource, await issuer.sign(undefined, { typ })), typ).toBe(200)
  const {
    nonce: _nonce,
    client_id: _client,
    ...idTokenClaims
  } = {
    ...issuer.goodClaims(),
    nonce: 'n',
    client_id: '',
  }
  expect(await statusOf(resource, await issuer.sign(idTokenClaims))).toBe(401)
})

it('every claim of the access token profile is required', async () => {
  await using issuer = await createIssuer()
  const resource = createResource(issuer)
  for (const claim of ['iss', 'aud', 'exp', 'iat', 'sub', 'client_id', 'jti']) {
    const { [claim]: _removed, ...rest } = issuer.goodClaims()
    expect(await statusOf(resource, await issuer.sign(rest)), claim).toBe(401)
  }
  for (const sub of ['', 7, null, ['alice']])
    expect(await statusOf(resource, await issuer.sign({ ...issuer.goodClaims(), sub }))).toBe(401)
})

it('a cached token is refused once it has expired', async () => {
  await using issuer = await createIssuer()
  let now = Date.now()
  const resource = createResource(issuer, { now: () => now })
  const claims = issuer.goodClaims()
  const token = await issuer.sign({ ...claims, exp: Number(claims['iat']) + 40 })
  expect(await statusOf(resource, token)).toBe(200)
  now += 39_000
  expect(await statusOf(resource, token)).toBe(200)
  now += 40_000
  expect(await statusOf(resource, token)).toBe(401)
})
