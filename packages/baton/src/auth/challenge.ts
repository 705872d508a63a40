import type { Denial } from './denial.ts'

/** The parts of a `WWW-Authenticate: Bearer` challenge, RFC 6750 section 3. */
interface ChallengeParts {
  readonly error?: 'invalid_request' | 'invalid_token' | 'insufficient_scope'
  readonly description?: string
  readonly scopes?: readonly string[]
  readonly resourceMetadata?: string | undefined
}

/** Formats the value of a `WWW-Authenticate` header. */
function toChallenge({ error, description, scopes, resourceMetadata }: ChallengeParts): string {
  const parameters = Object.entries({
    error,
    error_description: description,
    scope: scopes?.join(' '),
    resource_metadata: resourceMetadata,
  })
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => `${name}="${value}"`)
  return parameters.length === 0 ? 'Bearer' : `Bearer ${parameters.join(', ')}`
}

/** Builds the denials of one resource for missing, invalid or insufficient credentials. */
export interface Challenger {
  /** A challenge without an error code, because the client made no attempt (RFC 6750 section 3.1). */
  noCredentials(): Denial
  malformed(message: string): Denial
  invalidToken(message: string): Denial
  insufficientScope(scopes: readonly string[]): Denial
}

/** Creates the challenger of one resource. */
export function createChallenger(
  resourceMetadata: string | undefined,
  firstScopes: readonly string[],
  /** How to get and send a credential, where no metadata says it. */
  hint?: string,
): Challenger {
  const deny = (status: Denial['status'], message: string, parts: ChallengeParts): Denial => ({
    status,
    message: status === 401 && hint !== undefined ? `${message}; ${hint}` : message,
    headers: { 'www-authenticate': toChallenge({ ...parts, resourceMetadata }) },
  })
  return {
    noCredentials: () => deny(401, 'authentication is required', { scopes: firstScopes }),
    malformed: (message) => deny(400, message, { error: 'invalid_request', description: message }),
    invalidToken: (message) =>
      deny(401, message, { error: 'invalid_token', description: message, scopes: firstScopes }),
    insufficientScope: (scopes) =>
      deny(403, 'more scope is needed', { error: 'insufficient_scope', scopes }),
  }
}
