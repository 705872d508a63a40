// An OpenID Connect issuer for trying a team server: it gives every client a token that says what the client asks for.
// Never for more than a trial.
import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface TrialIssuer {
  readonly url: string
  close(): Promise<void>
}

interface IssuerOptions {
  readonly port?: number
  readonly host?: string
  /** Where clients find it, if not at the address that it listens on. */
  readonly url?: string
}

const SECONDS = 3600

/** `POST /token` with `sub`, `roles` such as `demo:agent`, `scope` and `resource` answers with a signed token. */
export async function startIssuer({
  port = 0,
  host = '127.0.0.1',
  url: given,
}: IssuerOptions = {}): Promise<TrialIssuer> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = publicKey.export({ format: 'jwk' })
  const kid = createHash('sha256').update(JSON.stringify(jwk)).digest('hex').slice(0, 16)
  let url = given ?? ''
  const toToken = (form: URLSearchParams): string => {
    const now = Math.floor(Date.now() / 1000)
    const sub = form.get('sub') ?? 'trial'
    const claims = {
      iss: url,
      aud: form.get('resource') ?? '',
      sub,
      client_id: 'trial',
      jti: randomUUID(),
      iat: now,
      exp: now + SECONDS,
      scope: form.get('scope') ?? '',
      waymark_roles: form.getAll('roles'),
    }
    const header = { alg: 'ES256', typ: 'at+jwt', kid }
    const text = [header, claims].map((part) => encode(JSON.stringify(part))).join('.')
    const signature = sign('sha256', Buffer.from(text), {
      key: privateKey,
      dsaEncoding: 'ieee-p1363',
    })
    return `${text}.${signature.toString('base64url')}`
  }
  const answers: Readonly<Record<string, (request: IncomingMessage) => Promise<object>>> = {
    '/.well-known/openid-configuration': async () => describe(url),
    '/.well-known/oauth-authorization-server': async () => describe(url),
    '/jwks': async () => ({ keys: [{ ...jwk, kid, alg: 'ES256', use: 'sig' }] }),
    '/token': async (request) => {
      const token = toToken(new URLSearchParams(await bodyOf(request)))
      return { access_token: token, token_type: 'Bearer', expires_in: SECONDS }
    },
  }
  const server = createServer((request, response) => {
    const answer = answers[new URL(request.url ?? '/', 'http://localhost').pathname]
    void (answer?.(request) ?? Promise.resolve(undefined)).then((body) => {
      response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body ?? { error: 'not_found' }))
    })
  })
  server.listen(port, host)
  await once(server, 'listening')
  url ||= `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function describe(issuer: string): object {
  return {
    issuer,
    jwks_uri: `${issuer}/jwks`,
    token_endpoint: `${issuer}/token`,
    authorization_endpoint: `${issuer}/authorize`,
    response_types_supported: ['code'],
    grant_types_supported: ['client_credentials'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
  }
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64url')
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text
}
