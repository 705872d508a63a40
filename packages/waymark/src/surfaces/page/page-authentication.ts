import type { Authenticator, Denial } from '@waymark/baton/http'
import type { Authentication } from '../http/authentication.ts'
import { PagePrincipal } from './page-principal.ts'
import type { PageSessions } from './page-sessions.ts'

const BEARER = /^Bearer +(wmk_\S*)$/i

const SIGNED_OUT: Denial = {
  status: 401,
  message: 'this session of the page has ended; run `waymark ui` for a new one',
  headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
}

/** Accepts sessions of the page beside the credentials that the site accepts. */
export function withPageSessions(
  authentication: Authentication,
  sessions: Pick<PageSessions, 'find'>,
): Authentication {
  const { site } = authentication
  const both: Authenticator = {
    ...site,
    authenticate: async (credentials) => {
      const [, token] = BEARER.exec(credentials.authorization ?? '') ?? []
      if (token === undefined || credentials.query.has('access_token'))
        return await site.authenticate(credentials)
      const session = sessions.find(token)
      return session === undefined
        ? { accepted: false, denial: SIGNED_OUT }
        : { accepted: true, principal: new PagePrincipal(session) }
    },
  }
  return {
    ...authentication,
    site: both,
    // The owner may do everything; a read-only session is held to that by its access.
    authorize: (principal, scopes) =>
      principal instanceof PagePrincipal ? undefined : authentication.authorize(principal, scopes),
  }
}
