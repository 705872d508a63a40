import { parseBearer } from './bearer-token.ts'
import type { Challenger } from './challenge.ts'
import type { Denial } from './denial.ts'
import type { VerifiedPrincipal } from './principal.ts'
import type { ResourceMetadata } from './resource-metadata.ts'
import type { Operation } from './scope-policy.ts'
import { InvalidTokenError, IssuerUnavailableError } from './token-error.ts'

/** The parts of a request that say who is calling. */
export interface Credentials {
  /** The `Authorization` header; several come joined by a comma. */
  readonly authorization: string | null
  /** Parameters of the URL, where tokens must not be. */
  readonly query: URLSearchParams
}

/** Who is calling, or why that cannot be accepted. */
export type Authentication =
  | { readonly accepted: true; readonly principal: VerifiedPrincipal }
  | { readonly accepted: false; readonly denial: Denial }

/** Decides who may do what; every HTTP route asks it before anything else happens. */
export interface Authenticator {
  authenticate(credentials: Credentials): Promise<Authentication>
  /** Refuses operations that the principal has too little scope for; asked before an answer begins. */
  authorize(principal: VerifiedPrincipal, operations: readonly Operation[]): Denial | undefined
  /** The document that tells clients where to get a token, when there is one. */
  readonly metadata?: ResourceMetadata
}

/** Takes a bearer token from a request and has it checked; the same steps whatever makes a token good. */
export async function authenticateBearer(
  { authorization, query }: Credentials,
  challenger: Challenger,
  verify: (token: string) => Promise<VerifiedPrincipal>,
): Promise<Authentication> {
  // Addresses end up in logs and histories.
  if (query.has('access_token')) return deny(challenger.malformed('a token must not be in the URL'))
  const credential = parseBearer(authorization)
  if (credential.kind === 'none') return deny(challenger.noCredentials())
  if (credential.kind === 'malformed')
    return deny(challenger.malformed('the authorization header is malformed'))
  try {
    return { accepted: true, principal: await verify(credential.token) }
  } catch (error) {
    if (error instanceof InvalidTokenError) return deny(challenger.invalidToken(error.message))
    if (error instanceof IssuerUnavailableError) return deny(ISSUER_UNAVAILABLE)
    throw error
  }
}

/** Not a 401: a client would throw away a token that may be perfectly good. */
const ISSUER_UNAVAILABLE: Denial = {
  status: 503,
  message: 'the token cannot be checked at the moment',
  headers: { 'retry-after': '5' },
}

function deny(denial: Denial): Authentication {
  return { accepted: false, denial }
}
