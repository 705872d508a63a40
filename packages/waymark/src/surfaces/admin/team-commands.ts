import { toFailure } from '../../core/postgres/failures.ts'
import { Failure } from '../../core/error.ts'
import type { Pool } from '../../core/postgres/pool.ts'
import { type Block, type Column, line, table } from '../../core/show.ts'
import { type AuditEntry, listAudit } from '../../team/audit.ts'
import { listMembers, type Member, removeMember, setMember } from '../../team/members.ts'
import {
  findOrganisation,
  listOrganisationMembers,
  removeOrganisationMember,
  setOrganisationMember,
} from '../../team/organisations.ts'
import { findProject } from '../../team/projects.ts'
import { parseRole, parseScopes } from '../../team/roles.ts'
import { createToken, listTokens, revokeToken, type TokenInfo } from '../../team/tokens.ts'
import { print } from '../terminal/print.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { type AdminOptions, openDatabase } from './open-database.ts'

export interface TeamOptions extends AdminOptions {
  readonly project?: string
  readonly organisation?: string
  readonly member?: string
  readonly amount?: string
  readonly actor?: string
  readonly role?: string
  readonly scope?: readonly string[]
  readonly days?: string
  readonly invitation?: boolean
  readonly limit?: string
}

interface Place {
  readonly pool: Pool
  readonly projectId: string
  /** As the audit log names the operator. */
  readonly actor: string
}

/** Members are those of a project, or of all projects of an organisation. */
type MemberPlace = Omit<Place, 'projectId'> &
  ({ readonly projectId: string } | { readonly organisationId: string })

interface Result {
  readonly json: unknown
  readonly blocks: readonly Block[]
}

/** Runs one command about a project and prints its result. */
export async function runInProject(
  options: TeamOptions,
  terminal: Terminal,
  work: (place: Place) => Promise<Result>,
): Promise<void> {
  await run(options, terminal, async (pool, actor) => {
    const project = await findProject(pool, options.project ?? '')
    if (project !== undefined) return await work({ pool, projectId: project.id, actor })
    const message = 'no such project; `waymark admin status` shows what there is'
    throw new Failure('not_found', message)
  })
}

/** The same for a project or an organisation. */
async function runInEither(
  options: TeamOptions,
  terminal: Terminal,
  work: (place: MemberPlace) => Promise<Result>,
): Promise<void> {
  const { organisation, project } = options
  if (organisation === undefined && project !== undefined)
    return await runInProject(options, terminal, work)
  if (organisation === undefined || project !== undefined) {
    const message = 'project: name a project with --project, or an organisation with --organisation'
    throw new Failure('invalid_input', message, { details: { field: 'project' } })
  }
  await run(options, terminal, async (pool, actor) => {
    const { id } = await findOrganisation(pool, organisation)
    return await work({ pool, organisationId: id, actor })
  })
}

async function run(
  options: TeamOptions,
  terminal: Terminal,
  work: (pool: Pool, actor: string) => Promise<Result>,
): Promise<void> {
  await using database = openDatabase(options, terminal)
  try {
    const { json, blocks } = await work(database.pool, options.actor ?? 'operator')
    terminal.out(
      options.json === true ? `${JSON.stringify(json)}\n` : await print(blocks, terminal),
    )
  } catch (error) {
    throw toFailure(error)
  }
}

const MEMBERS: readonly Column<Member>[] = [
  { head: 'SUBJECT', value: ({ subject }) => subject, isMain: true },
  { head: 'ROLE', value: ({ role }) => role },
  { head: 'ADDED', value: ({ added_at }) => toDate(added_at) },
  { head: 'BY', value: ({ added_by }) => added_by },
]

async function showMembers(_: string, options: TeamOptions, terminal: Terminal): Promise<void> {
  await runInEither(options, terminal, async ({ pool, ...place }) => {
    const members =
      'projectId' in place
        ? await listMembers(pool, place.projectId)
        : await listOrganisationMembers(pool, place.organisationId)
    return { json: { members }, blocks: [table(members, MEMBERS)] }
  })
}

async function addMember(subject: string, options: TeamOptions, terminal: Terminal): Promise<void> {
  const role = parseRole(options.role ?? 'agent')
  await runInEither(options, terminal, async ({ pool, ...place }) => {
    if ('projectId' in place) await setMember(pool, { ...place, subject, role })
    else await setOrganisationMember(pool, { ...place, subject, role })
    const name = options.project ?? options.organisation ?? ''
    return { json: { subject, role }, blocks: [line`${subject} is ${role} of ${name}`] }
  })
}

async function dropMember(
  subject: string,
  options: TeamOptions,
  terminal: Terminal,
): Promise<void> {
  await runInEither(options, terminal, async ({ pool, ...place }) => {
    if ('projectId' in place) await removeMember(pool, { ...place, subject })
    else await removeOrganisationMember(pool, { ...place, subject })
    return { json: { subject }, blocks: [line`${subject} is no longer a member`] }
  })
}

const TOKENS: readonly Column<TokenInfo>[] = [
  { head: 'ID', value: ({ id }) => id },
  { head: 'NAME', value: ({ name }) => name, isMain: true },
  { head: 'KIND', value: ({ kind }) => kind },
  { head: 'ROLE', value: ({ role }) => role },
  { head: 'EXPIRES', value: ({ expires_at }) => toDate(expires_at) },
  { head: 'USED', value: ({ used_at }) => toDate(used_at) },
  { head: 'REVOKED', value: ({ revoked_at }) => toDate(revoked_at) },
]

async function showTokens(_: string, options: TeamOptions, terminal: Terminal): Promise<void> {
  await runInProject(options, terminal, async ({ pool, projectId }) => {
    const tokens = await listTokens(pool, projectId)
    return { json: { tokens }, blocks: [table(tokens, TOKENS)] }
  })
}

/** The token is printed here and nowhere else. */
async function addToken(name: string, options: TeamOptions, terminal: Terminal): Promise<void> {
  const { days, scope, invitation } = options
  const role = parseRole(options.role ?? 'agent')
  const kind = invitation === true ? 'invitation' : 'token'
  await runInProject(options, terminal, async ({ pool, ...place }) => {
    const created = await createToken(pool, {
      ...place,
      kind,
      name,
      role,
      ...(scope !== undefined && { scopes: parseScopes(scope) }),
      ...(days !== undefined && { days: Number(days) }),
    })
    const blocks = [line`${created.token}`, line`shown once; revoke it by its id ${created.id}`]
    return { json: created, blocks }
  })
}

async function endToken(id: string, options: TeamOptions, terminal: Terminal): Promise<void> {
  await runInProject(options, terminal, async ({ pool, ...place }) => {
    await revokeToken(pool, { ...place, id })
    return { json: { id }, blocks: [line`${id} is revoked`] }
  })
}

const AUDIT: readonly Column<AuditEntry>[] = [
  { head: 'AT', value: ({ at }) => new Date(at).toISOString() },
  { head: 'BY', value: ({ actor }) => actor },
  { head: 'ACTION', value: ({ action }) => action },
  { head: 'SUBJECT', value: ({ subject }) => subject, isMain: true },
  { head: 'DETAILS', value: ({ details }) => JSON.stringify(details) },
]

const MOST_ENTRIES = 500

async function showAudit(_: string, options: TeamOptions, terminal: Terminal): Promise<void> {
  const limit = Math.min(Number(options.limit) || MOST_ENTRIES, MOST_ENTRIES)
  await runInEither(options, terminal, async ({ pool, actor: _actor, ...place }) => {
    const entries = await listAudit(pool, { place, limit })
    return { json: { entries }, blocks: [table(entries, AUDIT)] }
  })
}

function toDate(at: number | null): string {
  return at === null ? '-' : new Date(at).toISOString().slice(0, 10)
}

export const TEAM_COMMANDS = {
  'member list': showMembers,
  'member add': addMember,
  'member remove': dropMember,
  'token list': showTokens,
  'token create': addToken,
  'token revoke': endToken,
  audit: showAudit,
}
