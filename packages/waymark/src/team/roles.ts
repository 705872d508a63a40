import { Failure } from '../core/error.ts'
import { SCOPES } from '../core/scopes.ts'

/** From the fewest rights to the most. */
export const ROLES = ['reader', 'agent', 'maintainer', 'owner'] as const
export type Role = (typeof ROLES)[number]

/** Areas whose operations change the project as a whole: repairs, imports of backups, restored caches. */
const OF_MAINTAINERS = /^projects:write$/

export function parseRole(text: string): Role {
  const role = ROLES.find((each) => each === text)
  if (role !== undefined) return role
  throw new Failure('invalid_input', `role: must be one of ${ROLES.join(', ')}`, {
    details: { field: 'role', valid: ROLES },
  })
}

/** The scopes that a role has in its project. */
export function scopesOf(role: Role): readonly string[] {
  if (role === 'reader') return SCOPES.filter((scope) => scope.endsWith(':read'))
  return role === 'agent' ? SCOPES.filter((scope) => !OF_MAINTAINERS.test(scope)) : SCOPES
}

/** Whether the first role may do what the second may. */
export function isAtLeast(role: Role, least: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(least)
}

/** A token may be limited to some of the scopes of its role; write access includes read access. */
export function parseScopes(scopes: readonly string[]): readonly string[] {
  const unknown = scopes.find((scope) => !SCOPES.some((known) => known === scope))
  if (unknown === undefined) return scopes
  throw new Failure('invalid_input', `scopes: must be some of ${SCOPES.join(', ')}`, {
    details: { field: 'scopes', valid: SCOPES },
  })
}

/**
 * The role that a claim gives in a project: `{"api": "agent"}`, or `["api:agent", "*:reader"]` where an issuer can only
 * write lists; `acme/*` is for all projects of an organisation. A project's own entry wins over that of all.
 */
export function roleOfClaim(
  claim: unknown,
  project: { id: string; name: string; organisation: { name: string } },
): Role | undefined {
  const entries = Array.isArray(claim) ? claim.map(toEntry) : Object.entries(claim ?? {})
  const roles = new Map<string, unknown>(entries)
  const named = [project.id, project.name, `${project.organisation.name}/*`, '*'].map((key) =>
    roles.get(key),
  )
  return ROLES.find((role) => role === named.find((one) => one !== undefined))
}

function toEntry(text: unknown): [string, unknown] {
  const [, project = '', role] = /^(.+):([a-z]+)$/.exec(String(text)) ?? []
  return [project, role]
}
