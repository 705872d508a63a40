import { type Fetch, fetchJson } from './bounded-fetch.ts'
import { IssuerUnavailableError } from './token-error.ts'

/** Discovers the URL of the issuer's key set from its metadata: RFC 8414 first, then OpenID Connect. */
export async function discoverJwksUri(issuer: string, fetchUrl: Fetch): Promise<string> {
  for (const url of metadataUrls(issuer)) {
    const metadata = await fetchJson(url, fetchUrl)
    if (metadata !== undefined) return readJwksUri(metadata, issuer)
  }
  throw new IssuerUnavailableError('the issuer has no metadata')
}

function metadataUrls(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer)
  const path = pathname === '/' ? '' : pathname.replace(/\/$/, '')
  return [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ]
}

function readJwksUri(metadata: unknown, issuer: string): string {
  if (typeof metadata !== 'object' || metadata === null)
    throw new IssuerUnavailableError('the issuer metadata is not an object')
  if (!('issuer' in metadata) || metadata.issuer !== issuer)
    throw new IssuerUnavailableError('the issuer metadata names another issuer')
  const uri = 'jwks_uri' in metadata ? metadata.jwks_uri : undefined
  // Keys on another host need explicit configuration (`jwksUri`); a document from the network must not choose the host.
  if (
    typeof uri !== 'string' ||
    !URL.canParse(uri) ||
    new URL(uri).origin !== new URL(issuer).origin
  )
    throw new IssuerUnavailableError('the issuer metadata names no key set on the issuer itself')
  return uri
}
