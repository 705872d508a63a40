import { createAccessTokenVerifier } from './access-token.ts'
import { authenticateBearer, type Authenticator } from './authenticator.ts'
import type { Fetch } from './bounded-fetch.ts'
import { createChallenger } from './challenge.ts'
import { createResourceMetadata } from './resource-metadata.ts'
import { createScopeRules, type ScopePolicy } from './scope-policy.ts'

/** An OAuth 2.1 resource server: whose tokens it takes, and what for. */
export interface ResourceServerOptions {
  /** The URL of the MCP endpoint exactly as clients write it; also the audience of their tokens. */
  readonly resource: string
  /** The issuer's identifier exactly as it stands in its tokens. */
  readonly issuer: string
  /** The issuer's key set, when it should not be found through the issuer's metadata. */
  readonly jwksUri?: string
  readonly scopes: ScopePolicy
  /** For people who read the metadata document. */
  readonly name?: string
  readonly documentation?: string
  readonly fetch?: Fetch
  /** Epoch milliseconds; tests pass their own clock. */
  readonly now?: () => number
}

/** Accepts access tokens of one OAuth issuer, RFC 6750, 8707, 9068 and 9728. */
export function createResourceServer({
  resource,
  issuer,
  jwksUri,
  scopes,
  name,
  documentation,
  fetch = globalThis.fetch,
  now = Date.now,
}: ResourceServerOptions): Authenticator {
  const metadata = createResourceMetadata({
    resource,
    authorizationServers: [issuer],
    scopes: scopes.base,
    name,
    documentation,
  })
  const rules = createScopeRules(scopes)
  const challenger = createChallenger(metadata.url, scopes.base)
  const verify = createAccessTokenVerifier({ issuer, audience: resource, jwksUri, fetch, now })
  return {
    metadata,
    authenticate: (credentials) => authenticateBearer(credentials, challenger, verify),
    authorize(principal, operations) {
      const needed = rules.needed(operations)
      const granted = principal.scopes ?? []
      return rules.covers(granted, needed) ? undefined : challenger.insufficientScope(needed)
    },
  }
}
