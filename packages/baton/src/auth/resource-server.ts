import { createAccessTokenVerifier, type TokenClaims } from './access-token.ts'
import { authenticateBearer, type Authenticator } from './authenticator.ts'
import type { Fetch } from './bounded-fetch.ts'
import { createChallenger } from './challenge.ts'
import { createResourceMetadata } from './resource-metadata.ts'
import { createScopeRules, type ScopePolicy } from './scope-policy.ts'

/** An OAuth 2.1 resource server: whose tokens it takes, and what for. */
export interface ResourceServerOptions {
  /** The URL of the MCP endpoint exactly as clients write it. */
  readonly resource: string
  /** The audience of tokens; the resource when absent. */
  readonly audience?: string
  /** The issuer's identifier exactly as it stands in its tokens. */
  readonly issuer: string
  /** The issuer's key set, when it should not be found through the issuer's metadata. */
  readonly jwksUri?: string
  readonly scopes: ScopePolicy
  /** Refuses tokens that are good otherwise, such as those of other clients. */
  readonly accepts?: (claims: TokenClaims) => boolean
  /** For people who read the metadata document. */
  readonly name?: string
  readonly documentation?: string
  readonly fetch?: Fetch
  /** Epoch milliseconds; tests pass their own clock. */
  readonly now?: () => number
}

/** An authenticator whose tokens can be asked for other scopes elsewhere. */
export interface ResourceServer extends Authenticator {
  /** The same issuer, keys and metadata for a part of the application with needs of its own. */
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
