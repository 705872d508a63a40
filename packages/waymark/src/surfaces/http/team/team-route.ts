import * as z from 'zod'
import type { AdmittedRequest, HttpAnswer } from '@waymark/baton/http'
import type { Access } from '../../../core/context.ts'
import { Failure } from '../../../core/error.ts'
import { parseExact } from '../../../core/input/parse.ts'
import { toFailure } from '../../../core/postgres/failures.ts'
import { listAudit } from '../../../team/audit.ts'
import { listMembers, removeMember, setMember } from '../../../team/members.ts'
import {
  listOrganisationMembers,
  organisationRoleOf,
  removeOrganisationMember,
  setOrganisationMember,
} from '../../../team/organisations.ts'
import { listProjects } from '../../../team/projects.ts'
import { listQuotas, parseQuotaKind, setQuota, WHOLE_PROJECT } from '../../../team/quotas.ts'
import { isAtLeast, parseScopes, type Role, ROLES, scopesOf } from '../../../team/roles.ts'
import {
  createToken,
  listTokens,
  redeemInvitation,
  revokeToken,
  type TokenKind,
} from '../../../team/tokens.ts'
import { type Admission, allowedProjects, type TeamAdmission } from '../directory.ts'
import { readJsonBody } from '../json-body.ts'
import { toFailureAnswer, toJsonAnswer } from '../answer/json-answer.ts'
import type { Target } from '../site-path.ts'
import { requireRole, requireScopes, TokenPrincipal } from './team-authentication.ts'

type Call = AdmittedRequest &
  Admission & {
    readonly access: Access
    readonly team: TeamAdmission
    readonly visible: () => Promise<readonly { readonly name: string }[]>
  }
type TeamTarget = Extract<Target, { kind: 'team' }>

const LARGEST_BODY = 64 * 1024
const role = z.enum(ROLES)
export const newMember = z.object({ role })
export const newToken = z.object({
  name: z.string(),
  role: role.default('agent'),
  scopes: z.array(z.string()).optional(),
  days: z.int().optional(),
})
export const newQuota = z.object({
  amount: z.int().nonnegative().nullable(),
  member: z.string().default(WHOLE_PROJECT),
})
const auditQuery = z.object({
  before: z.coerce.number().int().positive().optional(),
  limit: z.coerce.number().int().min(1).max(500).default(100),
})

/** Who may use a project: `/team/members`, `/team/tokens`, `/team/invitations`, `/team/audit`, `/team/me`. */
export async function answerTeam(
  call: AdmittedRequest & Admission & Pick<Call, 'visible' | 'access'>,
  target: TeamTarget,
): Promise<HttpAnswer> {
  const { team } = call
  if (team === undefined) throw new Failure('not_found', 'members are those of a team server')
  const { method } = call.request
  const answer = ROUTES[`${method} ${target.resource}${target.name === undefined ? '' : '/:name'}`]
  if (answer === undefined) {
    const failure = new Failure('not_found', 'no such route of the team')
    return toFailureAnswer(failure)
  }
  // An invitation is good for one thing.
  const isInvitation = call.principal instanceof TokenPrincipal && isInvited(call.principal)
  if (isInvitation !== (target.resource === 'redeem'))
    throw new Failure('forbidden', 'an invitation can only be redeemed, at /team/redeem')
  try {
    return toJsonAnswer(200, await answer({ ...call, team }, target.name ?? ''))
  } catch (error) {
    throw toFailure(error)
  }
}

/** Who has the secret of the server. */
const OPERATOR = 'operator'

type Answer = (call: Call, name: string) => Promise<unknown>

const ROUTES: Readonly<Record<string, Answer>> = {
  'GET me': async ({ team, project, principal }) => ({
    project: project.name,
    project_id: team.projectId,
    role: team.role,
    name: nameOf(principal),
  }),
  'POST redeem': async ({ team, project, principal }) => {
    if (!(principal instanceof TokenPrincipal)) throw new Failure('internal', 'no invitation')
    const redeemed = await redeemInvitation(team.pool, principal.token)
    return { project: project.name, project_id: team.projectId, ...redeemed }
  },
  'GET members': async (call) => {
    mayRead(call, call.team.role)
    const { team } = call
    return { members: await listMembers(team.pool, team.projectId) }
  },
  'PUT members/:name': async (call, subject) => {
    mayChange(call, call.team.role)
    const member = {
      ...parseExact(newMember, await readJsonBody(call.request, LARGEST_BODY)),
      subject,
    }
    await setMember(call.team.pool, { ...member, ...changeOf(call) })
    return member
  },
  'DELETE members/:name': async (call, subject) => {
    mayChange(call, call.team.role)
    await removeMember(call.team.pool, { subject, ...changeOf(call) })
    return { subject }
  },
  'GET tokens': async (call) => {
    mayRead(call, call.team.role)
    const { team } = call
    return { tokens: await listTokens(team.pool, team.projectId) }
  },
  'POST tokens': (call) => create(call, 'token'),
  'POST invitations': (call) => create(call, 'invitation'),
  'DELETE tokens/:name': async (call, id) => {
    mayChange(call, call.team.role)
    await revokeToken(call.team.pool, { id, ...changeOf(call) })
    return { id }
  },
  'GET organisation': async ({ team, principal, visible }) => {
    requireScopes(team.granted, TO_READ)
    const { id, name } = team.organisation
    const seen = new Set((await visible()).map((one) => one.name))
    const projects = (await listProjects(team.pool))
      .filter((one) => one.organisation.id === id && seen.has(one.name))
      .map((one) => one.name)
    const role = await organisationRole(team, principal)
    const members =
      role !== undefined && isAtLeast(role, 'maintainer')
        ? { members: await listOrganisationMembers(team.pool, id) }
        : {}
    return { name, role: role ?? null, projects, ...members }
  },
  'PUT organisation/:name': async (call, subject) => {
    const change = await organisationChange(call, subject)
    const { role: wanted } = parseExact(newMember, await readJsonBody(call.request, LARGEST_BODY))
    await setOrganisationMember(call.team.pool, { ...change, role: wanted })
    return { subject, role: wanted }
  },
  'DELETE organisation/:name': async (call, subject) => {
    await removeOrganisationMember(call.team.pool, await organisationChange(call, subject))
    return { subject }
  },
  'GET quotas': async (call) => {
    mayRead(call, call.team.role)
    const { team } = call
    return { quotas: await listQuotas(team.pool, team.projectId) }
  },
  'PUT quotas/:name': async (call, name) => {
    const { team } = call
    const { member, amount } = parseExact(newQuota, await readJsonBody(call.request, LARGEST_BODY))
    // An owner shares out among members what the organisation gives to the project.
    const isWhole = member === WHOLE_PROJECT
    mayChange(call, isWhole ? await organisationRole(team, call.principal) : team.role)
    const quota = { kind: parseQuotaKind(name), member, amount }
    await setQuota(team.pool, { ...quota, ...changeOf(call) })
    team.quotas.forget(team.projectId)
    return quota
  },
  'GET audit': async (call) => {
    mayRead(call, call.team.role)
    const { team, request } = call
    const { before, limit } = parseExact(auditQuery, Object.fromEntries(request.query))
    const older = before === undefined ? {} : { before }
    const query = { place: { projectId: team.projectId }, limit, ...older }
    return { entries: await listAudit(team.pool, query) }
  },
}

/** As `team-openapi.ts` describes them: method, resource, and `/:name` where it takes one. */
export const TEAM_ROUTES: readonly string[] = Object.keys(ROUTES)

const TO_READ = ['projects:read']

function mayRead({ team }: Call, role: Role | undefined): void {
  requireRole(role, 'maintainer')
  requireScopes(team.granted, TO_READ)
}

/** A token that is limited to some scopes must not be able to create one that is not. */
function mayChange({ team, access }: Call, role: Role | undefined): void {
  requireRole(role, 'owner')
  requireScopes(team.granted, scopesOf('owner'))
  if (access.readOnly)
    throw new Failure('forbidden', 'this server is read-only, and so is who may use it')
}

/** Tokens of a project, also those whose claims name it, have no role beyond it. */
async function organisationRole(
  { pool, organisation }: TeamAdmission,
  principal: AdmittedRequest['principal'],
): Promise<Role | undefined> {
  if (principal.scopes === undefined) return 'owner'
  if (principal instanceof TokenPrincipal || allowedProjects(principal) !== undefined)
    return undefined
  return await organisationRoleOf(pool, organisation.id, nameOf(principal))
}

async function organisationChange(call: Call, subject: string) {
  const { team, principal } = call
  mayChange(call, await organisationRole(team, principal))
  return { organisationId: team.organisation.id, subject, actor: actorOf(principal) }
}

async function create(call: Call, kind: TokenKind): Promise<unknown> {
  mayChange(call, call.team.role)
  const { scopes, days, ...input } = parseExact(
    newToken,
    await readJsonBody(call.request, LARGEST_BODY),
  )
  return await createToken(call.team.pool, {
    ...input,
    kind,
    ...(scopes !== undefined && { scopes: parseScopes(scopes) }),
    ...(days !== undefined && { days }),
    ...changeOf(call),
  })
}

function changeOf({ team, principal }: Call): { projectId: string; actor: string } {
  return { projectId: team.projectId, actor: actorOf(principal) }
}

function isInvited({ token }: TokenPrincipal): boolean {
  return token.kind === 'invitation'
}

/** As the audit log names the caller. No member passes for the operator. */
function actorOf(principal: AdmittedRequest['principal']): string {
  const name = nameOf(principal)
  return name === OPERATOR && principal.scopes !== undefined ? `member ${name}` : name
}

function nameOf({ claims }: AdmittedRequest['principal']): string {
  return typeof claims?.['sub'] === 'string' ? claims['sub'] : OPERATOR
}
