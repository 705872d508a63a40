import type { VerifiedPrincipal } from '@waymark/baton/http'
import { Failure } from '../../core/error.ts'
import type { Pool } from '../../core/postgres/pool.ts'
import type { Organisation } from '../../team/organisations.ts'
import type { KnownQuotas } from '../../team/quotas.ts'
import type { Role } from '../../team/roles.ts'
import { claimValues } from '../claim-values.ts'
import type { HostedProject } from '../serve/hosting/hosted-project.ts'

export interface TeamAdmission {
  readonly projectId: string
  readonly organisation: Organisation
  readonly role: Role
  /** What the token grants, whatever the role in this project is; undefined for the operator. */
  readonly granted: readonly string[] | undefined
  readonly pool: Pool
  /** Changes of quotas are to be seen at once on this replica. */
  readonly quotas: KnownQuotas
}

/** A project, and the caller with no more rights than it has there. */
export interface Admission {
  readonly project: HostedProject
  readonly principal: VerifiedPrincipal
  /** On a team server. */
  readonly team?: TeamAdmission
}

/** The projects of a server, and which callers may use them. */
export interface Directory {
  /** The project that an address names; a Failure where the caller may not use it. */
  admit(wanted: string | undefined, principal: VerifiedPrincipal): Promise<Admission>
  visibleTo(principal: VerifiedPrincipal): Promise<readonly HostedProject[]>
  /** Throws while requests cannot be answered. */
  check(): Promise<void>
  /** Figures of the server are about all of its projects. */
  mayReadMetrics(principal: VerifiedPrincipal): boolean
}

/** Projects in folders of this machine. The first is meant where an address names none. */
export function createFolderDirectory(
  projects: readonly [HostedProject, ...HostedProject[]],
): Directory {
  return {
    async admit(wanted, principal) {
      const found =
        wanted === undefined ? projects[0] : projects.find(({ name }) => name === wanted)
      const allowed = allowedProjects(principal)
      if (found !== undefined && (allowed === undefined || isAmong(allowed, found)))
        return { project: found, principal }
      if (allowed !== undefined) throw otherProject()
      throw new Failure('not_found', 'no such project is served here', {
        details: { valid: projects.map(({ name }) => name) },
      })
    },

    async visibleTo(principal) {
      const allowed = allowedProjects(principal)
      return allowed === undefined ? projects : projects.filter((one) => isAmong(allowed, one))
    },

    async check() {
      const { project } = await projects[0].open()
      await project.store.events.latest()
    },

    mayReadMetrics: () => true,
  }
}

/** The `project_id` claim of a token; undefined when the token has none. */
export function allowedProjects({ claims }: VerifiedPrincipal): readonly unknown[] | undefined {
  const named = claims?.['project_id']
  return named === undefined ? undefined : claimValues(named)
}

export function otherProject(): Failure {
  return new Failure('forbidden', 'your token is for other projects', {
    details: { reason: 'other_project' },
  })
}

/** Reads only the marker: a project is not opened for a caller without access to it. */
function isAmong(allowed: readonly unknown[], { name, readId }: HostedProject): boolean {
  if (allowed.includes(name)) return true
  const id = readId()
  return id !== undefined && allowed.includes(id)
}
