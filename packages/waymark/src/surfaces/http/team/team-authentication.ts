import type { Authenticator, Denial, VerifiedPrincipal } from '@waymark/baton/http'
import { Failure } from '../../../core/error.ts'
import { lookUp } from '../../../support/look-up.ts'
import { isAtLeast, type Role, scopesOf } from '../../../team/roles.ts'
import type { ValidToken } from '../../../team/tokens.ts'
import { IMPLIED_SCOPES } from '../../caller.ts'
import type { Authentication } from '../authentication.ts'
import { loadNeeds } from '../needed-scopes.ts'

/** Streams end after this time at the latest, so that a token or a role that was taken away meanwhile is noticed. */
export const RECHECK_MS = 15 * 60_000

/** The holder of a token of the team's database, in the one project of the token. */
export class TokenPrincipal implements VerifiedPrincipal {
  readonly id: string
  readonly scopes: readonly string[]
  readonly claims: Readonly<Record<string, unknown>>
  readonly expiresAt: number
  readonly role: Role
  readonly token: ValidToken

  constructor(token: ValidToken) {
    const { name, role, scopes, projectId, expires_at: expires, now } = token
    // Tokens of one name are one member, so that a new token continues as the agents of the one before.
    this.id = JSON.stringify(['token', projectId, name])
    this.token = token
    this.role = role
    this.scopes =
      token.kind === 'invitation' ? [] : narrowed(scopesOf(role), scopes ?? scopesOf(role))
    this.claims = { sub: name, project_id: projectId }
    this.expiresAt = Math.min(expires ?? Infinity, now + RECHECK_MS)
  }
}

/** The scopes of a role that were also granted; write access includes read access. */
export function narrowed(ofRole: readonly string[], granted: readonly string[]): readonly string[] {
  const held = new Set(
    granted.flatMap((scope) => [scope, ...(lookUp(IMPLIED_SCOPES, scope) ?? [])]),
  )
  return ofRole.filter((scope) => held.has(scope))
}

const BEARER = /^Bearer +(wm[ti]_\S*)$/i

const INVALID: Denial = {
  status: 401,
  message: 'the token is unknown, was revoked or has expired; ask an owner of the project for one',
  headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
}

/** Not a 401: a client would discard a token that may well be valid. */
const UNAVAILABLE: Denial = {
  status: 503,
  message: 'the token cannot be checked at the moment',
  headers: { 'retry-after': '1' },
}

/** Accepts tokens of the database beside the other credentials that the site accepts. */
export function withTeamTokens(
  authentication: Authentication,
  find: (token: string) => Promise<ValidToken | undefined>,
): Authentication {
  const withTokens = (inner: Authenticator): Authenticator => ({
    ...inner,
    authenticate: async (credentials) => {
      const [, token] = BEARER.exec(credentials.authorization ?? '') ?? []
      if (token === undefined || credentials.query.has('access_token'))
        return await inner.authenticate(credentials)
      try {
        const found = await find(token)
        return found === undefined
          ? { accepted: false, denial: INVALID }
          : { accepted: true, principal: new TokenPrincipal(found) }
      } catch {
        return { accepted: false, denial: UNAVAILABLE }
      }
    },
  })
  return {
    ...authentication,
    site: withTokens(authentication.site),
    async forDialects(dialects) {
      const inner = withTokens(await authentication.forDialects(dialects))
      const needs = await loadNeeds(dialects)
      return {
        ...inner,
        authorize: (principal, operations) =>
          principal instanceof TokenPrincipal
            ? denyUnless(principal, operations.flatMap(needs))
            : inner.authorize(principal, operations),
      }
    },
    authorize: (principal, scopes) =>
      principal instanceof TokenPrincipal
        ? denyUnless(principal, scopes)
        : authentication.authorize(principal, scopes),
  }
}

function denyUnless({ scopes }: TokenPrincipal, needed: readonly string[]): Denial | undefined {
  if (needed.every((scope) => scopes.includes(scope))) return undefined
  const header = `Bearer error="insufficient_scope", scope="${needed.join(' ')}"`
  return {
    status: 403,
    message: 'the role of your token does not allow this',
    headers: { 'www-authenticate': header },
  }
}

/** `granted`: what the token of a member grants. */
export function requireScopes(
  granted: readonly string[] | undefined,
  needed: readonly string[],
): void {
  const missing = granted && needed.filter((scope) => !granted.includes(scope))
  if (missing === undefined || missing.length === 0) return
  throw new Failure('forbidden', `your token lacks the scope ${missing.join(' ')}`, {
    details: { reason: 'insufficient_scope', scopes: needed },
  })
}

export function requireRole(role: Role | undefined, least: Role): void {
  if (role !== undefined && isAtLeast(role, least)) return
  throw new Failure('forbidden', `this needs the role ${least}`, {
    details: { reason: 'insufficient_scope' },
  })
}
