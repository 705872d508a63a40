import type { VerifiedPrincipal } from '@waymark/baton/http'
import { MACHINE_CLOCK } from '../../../core/clock/machine-clock.ts'
import { Failure } from '../../../core/error.ts'
import { SCOPES } from '../../../core/scopes.ts'
import { toFailure } from '../../../core/postgres/failures.ts'
import type { Pool } from '../../../core/postgres/pool.ts'
import { rolesOf } from '../../../team/members.ts'
import { findProject, listProjects, type TeamProject } from '../../../team/projects.ts'
import type { KnownQuotas } from '../../../team/quotas.ts'
import type { RequestMeter } from '../../../team/request-meter.ts'
import { type Role, roleOfClaim, scopesOf } from '../../../team/roles.ts'
import type { HostedProject } from '../../serve/hosting/hosted-project.ts'
import { allowedProjects, type Directory, otherProject } from '../directory.ts'
import { narrowed, RECHECK_MS, TokenPrincipal } from './team-authentication.ts'

export interface TeamDirectoryOptions {
  readonly pool: Pool
  readonly quotas: KnownQuotas
  readonly meter: RequestMeter
  readonly host: (project: TeamProject) => HostedProject
  /** The claim of OAuth tokens that may hold roles. */
  readonly roleClaim: string
}

/** The projects of a database. Others than the operator learn only of those in which they have a role. */
export function createTeamDirectory(options: TeamDirectoryOptions): Directory {
  const { pool, host, quotas, meter } = options
  return {
    admit: (wanted, principal) =>
      withFailures(async () => {
        const allowed = allowedProjects(principal)
        const found =
          wanted === undefined
            ? await findOnly(options, principal)
            : await findProject(pool, wanted)
        // The same answer whether there is such a project or not.
        if (allowed !== undefined && (found === undefined || !isAmong(allowed, found)))
          throw otherProject()
        const role = found && (await findRole(options, found, principal))
        if (found === undefined || role === undefined)
          throw new Failure('not_found', 'no such project is served here')
        if (!isOperator(principal)) await meter.count(found.id, String(principal.claims?.['sub']))
        const { id: projectId, organisation } = found
        const granted = principal.scopes && narrowed(SCOPES, principal.scopes)
        const team = { projectId, organisation, role, granted, pool, quotas }
        return { project: host(found), principal: limited(principal, role), team }
      }),
    visibleTo: (principal) =>
      withFailures(async () => (await listVisible(options, principal)).map(host)),
    check: async () => {
      await pool.use((client) => client.query('SELECT 1'))
    },
    mayReadMetrics: isOperator,
  }
}

/** The holder of the server's own secret, which belongs to no member. */
function isOperator(principal: VerifiedPrincipal): boolean {
  return principal.scopes === undefined
}

async function findRole(
  { pool, roleClaim }: TeamDirectoryOptions,
  project: TeamProject,
  principal: VerifiedPrincipal,
): Promise<Role | undefined> {
  if (isOperator(principal)) return 'owner'
  if (principal instanceof TokenPrincipal)
    return principal.token.projectId === project.id ? principal.role : undefined
  const roles = await rolesOf(pool, String(principal.claims?.['sub']))
  return roles.get(project.id) ?? roleOfClaim(principal.claims?.[roleClaim], project)
}

/** What the role allows and the token grants, for as long as both are not asked about again. */
function limited(principal: VerifiedPrincipal, role: Role): VerifiedPrincipal {
  if (isOperator(principal) || principal instanceof TokenPrincipal) return principal
  const scopes = narrowed(scopesOf(role), principal.scopes ?? [])
  const recheck = MACHINE_CLOCK.now() + RECHECK_MS
  return { ...principal, scopes, expiresAt: Math.min(principal.expiresAt ?? Infinity, recheck) }
}

/** The one project that a caller has a role in. */
async function findOnly(
  options: TeamDirectoryOptions,
  principal: VerifiedPrincipal,
): Promise<TeamProject | undefined> {
  const [only, ...others] = await listVisible(options, principal)
  if (others.length === 0) return only
  throw new Failure('invalid_input', 'project: name one in the address: /projects/<name>/…', {
    details: { field: 'project' },
  })
}

async function listVisible(
  { pool, roleClaim }: TeamDirectoryOptions,
  principal: VerifiedPrincipal,
): Promise<readonly TeamProject[]> {
  const all = await listProjects(pool)
  if (isOperator(principal)) return all
  const allowed = allowedProjects(principal)
  const listed = allowed === undefined ? all : all.filter((one) => isAmong(allowed, one))
  if (principal instanceof TokenPrincipal) return listed
  const roles = await rolesOf(pool, String(principal.claims?.['sub']))
  const claim = principal.claims?.[roleClaim]
  return listed.filter((one) => (roles.get(one.id) ?? roleOfClaim(claim, one)) !== undefined)
}

function isAmong(allowed: readonly unknown[], { id, name }: TeamProject): boolean {
  return allowed.includes(id) || allowed.includes(name)
}

async function withFailures<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw toFailure(error)
  }
}
