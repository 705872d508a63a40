import { createAccessTokenVerifier, type TokenClaims } from './token/access-token.ts'
import { authenticateBearer, type Authenticator } from './authenticator.ts'
import type { Fetch } from './token/bounded-fetch.ts'
import { createChallenger } from './challenge.ts'
import { createResourceMetadata } from './resource-metadata.ts'
import { createScopeRules, type ScopePolicy } from './scope-policy.ts'

/** Configuration of an OAuth 2.1 resource server. */
export interface ResourceServerOptions {
  /** The URL of the MCP endpoint, exactly as clients use it. */
  readonly resource: string
  /** The audience of tokens; the resource when absent. */
  readonly audience?: string
  /** The issuer identifier, exactly as in the `iss` claim of its tokens. */
  readonly issuer: string
  /** URL of the issuer's key set; discovered through the issuer's metadata when absent. */
  readonly jwksUri?: string
  readonly scopes: ScopePolicy
  /** A further check of valid tokens, for example of their `client_id`. */
  readonly accepts?: (claims: TokenClaims) => boolean
  /** `resource_name` of the metadata document. */
  readonly name?: string
  readonly documentation?: string
  readonly fetch?: Fetch
  /** Epoch milliseconds; tests pass their own clock. */
  readonly now?: () => number
}

/** An authenticator for access tokens, from which others with different scope policies can be derived. */
export interface ResourceServer extends Authenticator {
  /** The same issuer, keys and metadata with another scope policy, for another part of the application. */
  withScopes(scopes: ScopePolicy): ResourceServer
}

/** Accepts access tokens of one OAuth issuer, RFC 6750, 8707, 9068 and 9728. */
export function createResourceServer({
  resource,
  audience = resource,
  issuer,
  jwksUri,
  scopes: ownScopes,
  accepts,
  name,
  documentation,
  fetch = globalThis.fetch,
  now = Date.now,
}: ResourceServerOptions): ResourceServer {
  const firstScopes = ownScopes.first ?? ownScopes.base
  const metadata = createResourceMetadata({
    resource,
    authorizationServers: [issuer],
    scopes: firstScopes,
    name,
    documentation,
  })
  const challenger = createChallenger(metadata.url, firstScopes)
  const verify = createAccessTokenVerifier({ issuer, audience, jwksUri, accepts, fetch, now })
  const withScopes = (scopes: ScopePolicy): ResourceServer => {
    const rules = createScopeRules(scopes)
    return {
      metadata,
      authenticate: (credentials) => authenticateBearer(credentials, challenger, verify),
      authorize(principal, operations) {
        const needed = rules.needed(operations)
        const granted = principal.scopes ?? []
        return rules.covers(granted, needed) ? undefined : challenger.insufficientScope(needed)
      },
      withScopes,
    }
  }
  return withScopes(ownScopes)
}
