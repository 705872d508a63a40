import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import {
  type Authenticator,
  createResourceServer,
  createSecretAuthenticator,
  type Denial,
  type ScopePolicy,
  type TokenClaims,
  type VerifiedPrincipal,
} from '@waymark/baton/http'
import type { Dialect } from '../../dialects/dialect.ts'
import { SCOPES } from '../../core/scopes.ts'
import { IMPLIED_SCOPES } from '../caller.ts'
import type { HttpSettings, OAuthSettings } from '../serve/http-settings.ts'
import { loadNeeds } from './needed-scopes.ts'
import { claimValues } from '../claim-values.ts'
import { openSecretFile, readSecretFile, secretPath } from '../serve/secret-file.ts'

/** Authentication and authorization of each part of the site. */
export interface Authentication {
  readonly site: Authenticator
  /** Where the secret is, when it is in a file. */
  readonly secretFile?: string
  /** Judges calls of the tools of these dialects. */
  forDialects(dialects: readonly Dialect[]): Promise<Authenticator>
  /** The refusal of a caller who lacks one of the scopes. */
  authorize(principal: VerifiedPrincipal, scopes: readonly string[]): Denial | undefined
}

export interface ServedAt {
  /** Address of the server, without a path. */
  readonly url: string
  /** Folder of the project whose secret it is; absent where projects are only in a database. */
  readonly state: string | undefined
  readonly hasSeveralProjects: boolean
  readonly isReadOnly: boolean
}

/** Tokens where an issuer is configured, otherwise a secret. */
export function createAuthentication(settings: HttpSettings, at: ServedAt): Authentication {
  const { oauth, secret, database } = settings
  if (oauth === undefined) return authenticateBySecret(settings, at)
  const byToken = authenticateByToken(oauth, at)
  // The operator of a team server, beside its members.
  const isBoth = database !== undefined && secret !== undefined
  return isBoth ? withOperator(byToken, authenticateBySecret(settings, at)) : byToken
}

function withOperator(members: Authentication, operator: Authentication): Authentication {
  const isOperator = ({ scopes }: VerifiedPrincipal) => scopes === undefined
  const both = (inner: Authenticator): Authenticator => ({
    ...inner,
    authenticate: async (credentials) => {
      const found = await operator.site.authenticate(credentials)
      return found.accepted ? found : await inner.authenticate(credentials)
    },
    authorize: (principal, operations) =>
      isOperator(principal) ? undefined : inner.authorize(principal, operations),
  })
  return {
    site: both(members.site),
    forDialects: async (dialects) => both(await members.forDialects(dialects)),
    authorize: (principal, scopes) =>
      isOperator(principal) ? undefined : members.authorize(principal, scopes),
  }
}

function authenticateBySecret({ secret }: HttpSettings, { state }: ServedAt): Authentication {
  if (secret !== undefined && 'text' in secret) return allOrNothing(secret.text)
  if (secret === undefined) {
    // Tokens of the database are the only way in.
    if (state === undefined) return allOrNothing(randomBytes(32).toString('base64url'), NO_TOKEN)
    const secretFile = secretPath(state)
    return { ...allOrNothing(openSecretFile(secretFile)), secretFile }
  }
  const secretFile = resolve(secret.file)
  return { ...allOrNothing(readSecretFile(secretFile)), secretFile }
}

const NO_TOKEN =
  'send a token of the project as Authorization: Bearer <token> (hosts: set WAYMARK_TOKEN); its owners create them'

/** Hosts show it to the person who configured them. */
const HINT =
  'send the secret of the server as Authorization: Bearer <secret> (hosts: set WAYMARK_TOKEN); waymark serve --http prints the path of its file'

function allOrNothing(secret: string, hint = HINT): Authentication {
  const site = createSecretAuthenticator(secret, { hint })
  return { site, forDialects: async () => site, authorize: () => undefined }
}

function authenticateByToken(oauth: OAuthSettings, at: ServedAt): Authentication {
  // A client compares the resource with the address that it was given, which may be below the one of the resource.
  const own = at.hasSeveralProjects ? at.url : `${at.url}/mcp`
  const audience = oauth.audience ?? own
  const site = createResourceServer({
    resource: /^https?:\/\//.test(audience) ? audience : own,
    audience,
    issuer: oauth.issuer,
    // Write scopes too: a client registers itself with these, and cannot ask for others later.
    scopes: { base: [], first: SCOPES.filter((scope) => !at.isReadOnly || isToRead(scope)) },
    name: 'Waymark',
    accepts: (claims) => isForUs(claims, audience) && isFromClient(claims, oauth.clientIds),
  })
  const needing = (policy: ScopePolicy) => site.withScopes({ ...policy, implies: IMPLIED_SCOPES })
  return {
    site,
    forDialects: async (dialects) => needing({ base: [], needs: await loadNeeds(dialects) }),
    authorize: (principal, scopes) => needing({ base: scopes }).authorize(principal, []),
  }
}

function isToRead(scope: string): boolean {
  return scope.endsWith(':read')
}

/** A token may name the resource a second time; then that has to be us as well. */
function isForUs({ resource_aud: named }: TokenClaims, audience: string): boolean {
  if (named === undefined) return true
  return claimValues(named).includes(audience)
}

/** The client that a token was issued to is its `client_id` (RFC 9068); `azp` belongs to ID tokens. */
function isFromClient({ client_id }: TokenClaims, clientIds: readonly string[]): boolean {
  return clientIds.length === 0 || clientIds.some((one) => one === client_id)
}
