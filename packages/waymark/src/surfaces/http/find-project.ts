import type { VerifiedPrincipal } from '@waymark/baton/http'
import { Failure } from '../../core/error.ts'
import { claimValues } from '../claim-values.ts'
import type { HostedProject } from '../serve/hosted-project.ts'
import type { Target } from './site-path.ts'

/** The project that an address is about, if the caller's token is good for it. */
export function findProject(
  projects: readonly [HostedProject, ...HostedProject[]],
  { project: wanted }: Target,
  { claims }: VerifiedPrincipal,
): HostedProject {
  const found = wanted === undefined ? projects[0] : projects.find(({ name }) => name === wanted)
  const allowed = allowedProjects(claims)
  if (found !== undefined && (allowed === undefined || isAmong(allowed, found))) return found
  if (allowed !== undefined)
    throw new Failure('forbidden', 'your token is for other projects', {
      details: { reason: 'other_project' },
    })
  throw new Failure('not_found', 'no such project is served here', {
    details: { valid: projects.map(({ name }) => name) },
  })
}

/** The projects that the caller's token is good for. */
export function visibleProjects(
  projects: readonly HostedProject[],
  { claims }: VerifiedPrincipal,
): readonly HostedProject[] {
  const allowed = allowedProjects(claims)
  return allowed === undefined ? projects : projects.filter((one) => isAmong(allowed, one))
}

/** The `project_id` claim of a token; undefined when the token has none. */
function allowedProjects(claims: VerifiedPrincipal['claims']): readonly unknown[] | undefined {
  const named = claims?.['project_id']
  return named === undefined ? undefined : claimValues(named)
}

/** Reads only the marker: a project is not opened for a caller without access to it. */
function isAmong(allowed: readonly unknown[], { name, readId }: HostedProject): boolean {
  if (allowed.includes(name)) return true
  const id = readId()
  return id !== undefined && allowed.includes(id)
}
