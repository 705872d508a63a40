import type { JWTPayload, JWTVerifyOptions } from 'jose'
import type { Fetch } from './bounded-fetch.ts'
import { isCanonicalJwt } from './canonical-jwt.ts'
import { KeySource } from './key-source.ts'
import type { VerifiedPrincipal } from '../principal.ts'
import { sha256 } from './sha256.ts'
import { TokenCache } from './token-cache.ts'
import { InvalidTokenError, IssuerUnavailableError } from './token-error.ts'

/** Which access tokens are accepted. */
export interface AccessTokenOptions {
  readonly issuer: string
  /** The only accepted audience, RFC 8707. */
  readonly audience: string
  readonly jwksUri?: string | undefined
  /** A further check of tokens that are valid otherwise. */
  readonly accepts?: ((claims: TokenClaims) => boolean) | undefined
  readonly fetch: Fetch
  readonly now: () => number
}

/** The claims of a verified token. */
export type TokenClaims = Readonly<Record<string, unknown>>

/** Verifies an access token and returns its principal; throws `InvalidTokenError` or `IssuerUnavailableError`. */
export type VerifyAccessToken = (token: string) => Promise<VerifiedPrincipal>

const CLOCK_TOLERANCE_SECONDS = 30
/** Asymmetric algorithms only: with HS256 in the list, an attacker could sign with the public key as the secret. */
const ALGORITHMS = ['ES256', 'RS256', 'PS256', 'EdDSA']
/** RFC 9068 section 2.2. */
const REQUIRED_CLAIMS = ['exp', 'iat', 'sub', 'client_id', 'jti']

/** Verifies JWT access tokens of one issuer for one audience, RFC 9068. */
export function createAccessTokenVerifier(options: AccessTokenOptions): VerifyAccessToken {
  const keys = new KeySource(options)
  const cache = new TokenCache<VerifiedPrincipal>(options.now)
  return async (token) => {
    if (!isCanonicalJwt(token)) throw new InvalidTokenError('the token is not valid')
    const hash = String.fromCharCode(...(await sha256(token)))
    const known = cache.get(hash)
    if (known !== undefined) return known
    const claims = await verify(token, keys, options)
    if (options.accepts?.(claims) === false)
      throw new InvalidTokenError('the token is meant for another use')
    const principal = toPrincipal(claims)
    cache.set(hash, principal, claims.exp * 1000)
    return principal
  }
}

async function verify(
  token: string,
  keys: KeySource,
  { issuer, audience, now }: AccessTokenOptions,
): Promise<CheckedClaims> {
  const { jwtVerify } = await import('jose')
  const checks: JWTVerifyOptions = {
    issuer,
    audience,
    algorithms: ALGORITHMS,
    // Excludes ID tokens and other JWTs of the same issuer.
    typ: 'at+jwt',
    clockTolerance: CLOCK_TOLERANCE_SECONDS,
    requiredClaims: REQUIRED_CLAIMS,
    currentDate: new Date(now()),
  }
  try {
    const { payload } = await jwtVerify(token, keys.getKey, checks)
    return checkClaims(payload, now() / 1000)
  } catch (error) {
    if (error instanceof IssuerUnavailableError || error instanceof InvalidTokenError) throw error
    throw new InvalidTokenError(toMessage(error), { cause: error })
  }
}

type CheckedClaims = JWTPayload & {
  readonly iss: string
  readonly sub: string
  readonly exp: number
}

/** Checks that jose does not make: claim types, infinite numbers, tokens issued in the future. */
function checkClaims(claims: JWTPayload, nowSeconds: number): CheckedClaims {
  const { iss, sub, exp, iat } = claims
  const isSound =
    typeof iss === 'string' &&
    typeof sub === 'string' &&
    sub !== '' &&
    typeof exp === 'number' &&
    Number.isFinite(exp) &&
    typeof iat === 'number' &&
    iat <= Math.floor(nowSeconds) + CLOCK_TOLERANCE_SECONDS
  if (!isSound) throw new InvalidTokenError('the token is not valid')
  return { ...claims, iss, sub, exp }
}

function toPrincipal(claims: CheckedClaims): VerifiedPrincipal {
  const { iss, sub, exp } = claims
  return {
    // A subject is unique only within its issuer.
    id: JSON.stringify([iss, sub]),
    scopes: typeof claims['scope'] === 'string' ? claims['scope'].split(' ').filter(Boolean) : [],
    claims,
    expiresAt: exp * 1000,
  }
}

/** One fixed message for each cause, so that no part of a token reaches a response or a log. */
function toMessage(error: unknown): string {
  const claim = error instanceof Error && 'claim' in error ? error.claim : undefined
  switch (claim) {
    case 'aud':
      return 'the token is meant for another resource'
    case 'exp':
      return 'the token has expired'
    default:
      return 'the token is not valid'
  }
}
