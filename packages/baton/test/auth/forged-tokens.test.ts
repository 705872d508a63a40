import { Buffer } from 'node:buffer'
import type { webcrypto } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  CompactEncrypt,
  type CryptoKey,
  exportSPKI,
  type JWK,
  generateKeyPair,
  importJWK,
} from 'jose'
import { expect, it } from 'vitest'
import { createIssuer, createSigningKey, type SigningKey } from './issuer.ts'
import { createResource, statusOf } from './resource.ts'

/** Web Cryptography's names for what a header may name; the library under test takes no part in forging. */
const SIGNATURES = {
  ES256: { name: 'ECDSA', hash: 'SHA-256' },
  ES384: { name: 'ECDSA', hash: 'SHA-384' },
  ES512: { name: 'ECDSA', hash: 'SHA-512' },
  RS256: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
  RS384: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-384' },
  RS512: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-512' },
  PS256: { name: 'RSA-PSS', hash: 'SHA-256', saltLength: 32 },
  PS384: { name: 'RSA-PSS', hash: 'SHA-384', saltLength: 48 },
  PS512: { name: 'RSA-PSS', hash: 'SHA-512', saltLength: 64 },
  HS256: { name: 'HMAC', hash: 'SHA-256' },
  HS384: { name: 'HMAC', hash: 'SHA-384' },
} as const
type Algorithm = keyof typeof SIGNATURES

const encode = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

async function forge(header: object, payload: string, key: webcrypto.CryptoKey, as: Algorithm) {
  const input = `${encode(header)}.${payload}`
  const signature = await crypto.subtle.sign(SIGNATURES[as], key, Buffer.from(input))
  return `${input}.${Buffer.from(signature).toString('base64url')}`
}

/** The same key for another algorithm than it was made for. */
function privateKey({ jwk }: SigningKey, as: Algorithm): Promise<webcrypto.CryptoKey> {
  const { alg: _alg, use: _use, kid: _kid, ...rest } = jwk
  const curve = 'crv' in rest ? { namedCurve: rest.crv } : {}
  const algorithm = { ...SIGNATURES[as], ...curve } as webcrypto.RsaHashedImportParams
  return crypto.subtle.importKey('jwk', rest as webcrypto.JsonWebKey, algorithm, false, ['sign'])
}

function secretKey(bytes: string | Uint8Array, as: 'HS256' | 'HS384') {
  const algorithm = SIGNATURES[as]
  return crypto.subtle.importKey('raw', Buffer.from(bytes), algorithm, false, ['sign'])
}

/** A server with an attacker's keys, which must never be contacted. */
async function createForeignKeySet(jwk: JWK) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.end(JSON.stringify({ keys: [jwk] }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

it('no token passes whose header has another key, algorithm or type than the issuer uses [forged-tokens-token-passes]', async () => {
  await using issuer = await createIssuer()
  const [ec, rsa] = [issuer.key, await createSigningKey('rsa', 'RS256')]
  issuer.publish([ec, rsa])
  const resource = createResource(issuer)
  const attacker = await createSigningKey(ec.kid)
  const foreignRsa = await createSigningKey('rsa', 'RS256')
  const { d: _d, ...attackerJwk } = attacker.jwk
  await using foreign = await createForeignKeySet(attackerJwk)
  const payload = encode(issuer.goodClaims())
  const [ecHeader, rsaHeader] = [
    { alg: 'ES256', typ: 'at+jwt', kid: ec.kid },
    { alg: 'RS256', typ: 'at+jwt', kid: rsa.kid },
  ]
  const byEc = await privateKey(ec, 'ES256')
  const byAttacker = await privateKey(attacker, 'ES256')
  const signedByIssuer = (header: object) =>
    forge({ ...ecHeader, ...header }, payload, byEc, 'ES256')
  const signedByAttacker = (header: object) =>
    forge({ ...ecHeader, ...header }, payload, byAttacker, 'ES256')
  const byRsa = async (header: object, as: Algorithm, key = rsa) =>
    forge({ ...rsaHeader, alg: as, ...header }, payload, await privateKey(key, as), as)
  const byCurve = async (as: 'ES384' | 'ES512') => {
    const other = await createSigningKey(ec.kid, as)
    return forge({ ...ecHeader, alg: as }, payload, await privateKey(other, as), as)
  }
  const publicRsa = await importJWK({ kty: 'RSA', n: rsa.jwk.n, e: rsa.jwk.e } as JWK, 'RSA-OAEP')
  const pem = await exportSPKI(
    (await importJWK({ kty: 'RSA', n: rsa.jwk.n, e: rsa.jwk.e } as JWK, 'RS256')) as CryptoKey,
  )
  const modulus = Buffer.from(rsa.jwk.n ?? '', 'base64url')
  const { publicKey: exchange } = await generateKeyPair('ECDH-ES', { extractable: true })
  const good = await signedByIssuer({})
  const [goodHeader = '', , goodSignature = ''] = good.split('.')
  const encrypt = (header: { alg: string; enc: string; cty?: string }, key: CryptoKey) =>
    new CompactEncrypt(Buffer.from(good))
      .setProtectedHeader({ typ: 'at+jwt', ...header })
      .encrypt(key)

  const tokens: Record<string, string | Promise<string>> = {
    'kid of the RSA key, signed as ES256': signedByIssuer({ kid: rsa.kid }),
    'kid of the EC key, signed as RS256': byRsa({ kid: ec.kid }, 'RS256'),
    'kid of the RSA key, foreign RSA key': byRsa({}, 'RS256', foreignRsa),
    'kid of the RSA key, foreign key as PS256': byRsa({}, 'PS256', foreignRsa),
    'RS384 by the key for RS256': byRsa({}, 'RS384'),
    'RS512 by the key for RS256': byRsa({}, 'RS512'),
    'PS256 by the key for RS256': byRsa({}, 'PS256'),
    'PS384 by the key for RS256': byRsa({}, 'PS384'),
    'PS512 by the key for RS256': byRsa({}, 'PS512'),
    'ES384 under the kid of an ES256 key': byCurve('ES384'),
    'ES512 under the kid of an ES256 key': byCurve('ES512'),
    'ES384 over an ES256 signature': signedByIssuer({ alg: 'ES384' }),
    'ES256K over an ES256 signature': signedByIssuer({ alg: 'ES256K' }),
    'EdDSA over an ES256 signature': signedByIssuer({ alg: 'EdDSA' }),
    'alg a list': signedByIssuer({ alg: ['ES256'] }),
    'kid a list': signedByIssuer({ kid: [ec.kid] }),
    'HS256 with the RSA key as PEM': forge(
      { ...rsaHeader, alg: 'HS256' },
      payload,
      await secretKey(pem, 'HS256'),
      'HS256',
    ),
    'HS256 with the RSA modulus': forge(
      { ...rsaHeader, alg: 'HS256' },
      payload,
      await secretKey(modulus, 'HS256'),
      'HS256',
    ),
    'HS384 with the key set as secret': forge(
      { ...ecHeader, alg: 'HS384' },
      payload,
      await secretKey(JSON.stringify({ keys: [attackerJwk] }), 'HS384'),
      'HS384',
    ),
    'jku with a real key set': signedByAttacker({ jku: foreign.url }),
    'jku and jwk': signedByAttacker({ jku: foreign.url, jwk: attackerJwk }),
    'jku, jwk, x5u and a new kid': signedByAttacker({
      jku: foreign.url,
      jwk: attackerJwk,
      x5u: `${foreign.url}/x5u`,
      kid: 'new',
    }),
    'x5u and x5c': signedByAttacker({ x5u: `${foreign.url}/x5u`, x5c: ['MIIB'] }),
    'jku below the issuer': signedByAttacker({ jku: `${issuer.url}/forged` }),
    'iss in the header': signedByAttacker({ iss: foreign.url }),
    'crit of something unknown': signedByIssuer({ crit: ['x'], x: 1 }),
    'crit of nothing': signedByIssuer({ crit: [] }),
    'crit with an absent header': signedByIssuer({ crit: ['x'] }),
    'crit no list': signedByIssuer({ crit: 'exp' }),
    'crit of the algorithm': signedByIssuer({ crit: ['alg'] }),
    'payload not encoded': signedByIssuer({ b64: false, crit: ['b64'] }),
    'a good token in a token': forge({ ...ecHeader, cty: 'JWT' }, encode(good), byEc, 'ES256'),
    'encrypted to the RSA key': encrypt(
      { alg: 'RSA-OAEP', enc: 'A256GCM', cty: 'JWT' },
      publicRsa as CryptoKey,
    ),
    'encrypted to another key': encrypt({ alg: 'ECDH-ES', enc: 'A128GCM' }, exchange),
    'detached, by the issuer': `${goodHeader}..${goodSignature}`,
    'detached, payload elsewhere': `${goodHeader}..${goodSignature}.${payload}`,
    'as a JSON object': encode({ payload, protected: goodHeader, signature: goodSignature }),
    'signature doubled': `${good}${goodSignature}`,
    'signature of the other half': `${good.slice(0, -43)}${goodSignature.slice(0, 43)}`,
  }
  for (const [what, token] of Object.entries(tokens))
    expect([400, 401], what).toContain(await statusOf(resource, await token))
  expect(foreign.asked).toEqual([])
  expect(issuer.requests).not.toContain('/forged')
  expect(await statusOf(resource, good)).toBe(200)
  expect(await statusOf(resource, await byRsa({}, 'RS256'))).toBe(200)
})
