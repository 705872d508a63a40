import { once } from 'node:events'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CryptoKey, type JWK, SignJWT, exportJWK, generateKeyPair } from 'jose'
import { Provider } from 'oidc-provider'

export const RESOURCE = 'https://mcp.test/mcp'
const CLIENT = { client_id: 'agent', client_secret: 'a-secret-of-sufficient-length-for-a-client' }
/** The same as a client that identifies itself in a header, as the official ones do. */
export const HEADER_CLIENT = { ...CLIENT, client_id: 'official' }
const SCOPES = ['mem:read', 'mem:write', 'admin']

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** A real authorization server in this process. */
export interface Issuer extends AsyncDisposable {
  readonly url: string
  /** Paths that were asked for, oldest first. */
  readonly requests: string[]
  /** Gets a token as a client would. */
  fetchToken(options?: { resource?: string; scope?: string }): Promise<string>
  /** Signs claims with the issuer's own key, for tokens that no sane issuer gives out. */
  sign(claims?: object, header?: object): Promise<string>
  /** Claims of a good token, to be changed and signed. */
  goodClaims(): Record<string, unknown>
  /** The private key of one of the issuer's published keys. */
  readonly key: SigningKey
  /** Publishes these keys from now on, and signs with the first. */
  publish(keys: readonly SigningKey[]): void
  /** Answers requests instead of the issuer, until set back. */
  intercept: Handler | undefined
  /** Stops listening, as if the machine were gone. */
  goAway(): Promise<void>
}

export interface SigningKey {
  readonly kid: string
  readonly jwk: JWK
  readonly privateKey: CryptoKey
}

export async function createSigningKey(kid: string, alg = 'ES256'): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true })
  return { kid, privateKey, jwk: { ...(await exportJWK(privateKey)), kid, alg, use: 'sig' } }
}

/** The provider insists on an RSA key for ID tokens, which no test asks for. To make one takes longer than most tests. */
let idTokenKey: Promise<SigningKey> | undefined

export async function createIssuer(scopes: readonly string[] = SCOPES): Promise<Issuer> {
  const key = await createSigningKey('first')
  idTokenKey ??= createSigningKey('id-tokens', 'RS256')
  const unusedKey = await idTokenKey
  const requests: string[] = []
  let answer: Handler = () => {}
  let signing = key
  const server = createServer((request, response) => {
    requests.push(request.url ?? '')
    ;(issuer.intercept ?? answer)(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const issuer: Issuer = {
    url,
    requests,
    key,
    intercept: undefined,
    publish(keys) {
      signing = keys[0] ?? key
      answer = createProvider(url, [...keys, unusedKey], scopes).callback()
    },
    async fetchToken({ resource = RESOURCE, scope = 'mem:read' } = {}) {
      const form = { grant_type: 'client_credentials', resource, scope, ...CLIENT }
      const response = await fetch(`${url}/token`, {
        method: 'POST',
        body: new URLSearchParams(form),
      })
      const body: unknown = await response.json()
      if (typeof body !== 'object' || body === null || !('access_token' in body))
        throw new Error(JSON.stringify(body))
      return String(body.access_token)
    },
    goodClaims() {
      const iat = Math.floor(Date.now() / 1000)
      const who = { sub: 'alice', client_id: 'agent', jti: crypto.randomUUID() }
      return { iss: url, aud: RESOURCE, iat, exp: iat + 600, scope: 'mem:read', ...who }
    },
    sign: (claims = issuer.goodClaims(), header = {}) =>
      new SignJWT({ ...claims })
        .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: signing.kid, ...header })
        .sign(signing.privateKey),
    async goAway() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
    async [Symbol.asyncDispose]() {
      if (server.listening) await issuer.goAway()
    },
  }
  issuer.publish([key])
  return issuer
}

function createProvider(
  url: string,
  keys: readonly SigningKey[],
  scopes: readonly string[],
): Provider {
  const machine = { grant_types: ['client_credentials'], redirect_uris: [], response_types: [] }
  const provider = withoutNotices(
    () =>
      new Provider(url, {
        jwks: { keys: keys.map(({ jwk }) => jwk) },
        clients: [
          { ...CLIENT, ...machine, token_endpoint_auth_method: 'client_secret_post' },
          { ...HEADER_CLIENT, ...machine, token_endpoint_auth_method: 'client_secret_basic' },
        ],
        scopes: [...scopes],
        ttl: { ClientCredentials: 600 },
        features: {
          clientCredentials: { enabled: true },
          devInteractions: { enabled: false },
          resourceIndicators: {
            enabled: true,
            getResourceServerInfo: (_context: unknown, audience: string) => ({
              audience,
              scope: scopes.join(' '),
              accessTokenFormat: 'jwt',
              accessTokenTTL: 600,
              jwt: { sign: { alg: 'ES256', kid: keys[0]?.kid } },
            }),
          },
        },
      }),
  )
  return provider
}

/** The provider prints advice for production use when it is made. */
function withoutNotices<T>(make: () => T): T {
  const { info, warn } = console
  console.info = () => {}
  console.warn = () => {}
  try {
    return make()
  } finally {
    console.info = info
    console.warn = warn
  }
}
