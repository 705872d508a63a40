import { parseBearer } from './token/bearer-token.ts'
import type { Challenger } from './challenge.ts'
import type { Denial } from './denial.ts'
import type { VerifiedPrincipal } from './principal.ts'
import type { ResourceMetadata } from './resource-metadata.ts'
import type { Operation } from './scope-policy.ts'
import { InvalidTokenError, IssuerUnavailableError } from './token/token-error.ts'

/** The parts of a request that may carry credentials. */
export interface Credentials {
  /** The `Authorization` header; repeated headers are joined with a comma. */
  readonly authorization: string | null
  /** Query parameters, which must not contain a token. */
  readonly query: URLSearchParams
}

/** The verified caller, or why the credentials were denied. */
export type Authentication =
  | { readonly accepted: true; readonly principal: VerifiedPrincipal }
  | { readonly accepted: false; readonly denial: Denial }

/** Authenticates and authorizes callers; every HTTP route uses it before it does anything else. */
export interface Authenticator {
  authenticate(credentials: Credentials): Promise<Authentication>
  /** Denies operations for which the principal lacks a scope; called before a response begins. */
  authorize(principal: VerifiedPrincipal, operations: readonly Operation[]): Denial | undefined
  /** The document that tells clients where to get a token, if there is one. */
  readonly metadata?: ResourceMetadata
}

/** Reads the bearer token of a request and verifies it with `verify`. */
export async function authenticateBearer(
  { authorization, query }: Credentials,
  challenger: Challenger,
  verify: (token: string) => Promise<VerifiedPrincipal>,
): Promise<Authentication> {
  // URLs end up in logs and browser histories.
  if (query.has('access_token')) return deny(challenger.malformed('a token must not be in the URL'))
  const credential = parseBearer(authorization)
  if (credential.kind === 'none') return deny(challenger.noCredentials())
  if (credential.kind === 'malformed')
    return deny(challenger.malformed('the authorization header is malformed'))
  if (credential.kind === 'unusable')
    return deny(challenger.invalidToken('the token is empty or a variable that was not expanded'))
  try {
    return { accepted: true, principal: await verify(credential.token) }
  } catch (error) {
    if (error instanceof InvalidTokenError) return deny(challenger.invalidToken(error.message))
    if (error instanceof IssuerUnavailableError) return deny(ISSUER_UNAVAILABLE)
    throw error
  }
}

/** Not a 401: a client would discard a token that may well be valid. */
const ISSUER_UNAVAILABLE: Denial = {
  status: 503,
  message: 'the token cannot be checked at the moment',
  headers: { 'retry-after': '5' },
}

function deny(denial: Denial): Authentication {
  return { accepted: false, denial }
}
