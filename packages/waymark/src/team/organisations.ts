import { randomUUID } from 'node:crypto'
import { Failure } from '../core/error.ts'
import type { Client, Pool } from '../core/postgres/pool.ts'
import { inAuditedChange, NOW, recordAudit } from './audit.ts'
import { assertSubject, type Member } from './members.ts'
import { TEAM_SCHEMA as T } from './names.ts'
import { parseProjectName } from './projects.ts'
import type { Role } from './roles.ts'

/** Projects of one owner. Its members have their role in all of its projects. */
export interface Organisation {
  readonly id: string
  readonly name: string
}

export interface ListedOrganisation extends Organisation {
  readonly projects: readonly string[]
  readonly members: number
}

export async function listOrganisations(pool: Pool): Promise<readonly ListedOrganisation[]> {
  const { rows } = await pool.use((client) =>
    client.query<Omit<ListedOrganisation, 'projects'> & { projects: string }>(
      `SELECT o.id, o.name,
          (SELECT coalesce(json_agg(p.name ORDER BY p.name), '[]')::text FROM ${T}.project p
            WHERE p.organisation_id = o.id) AS projects,
          (SELECT count(*) FROM ${T}.organisation_member m
            WHERE m.organisation_id = o.id) AS members
        FROM ${T}.organisation o ORDER BY o.name`,
    ),
  )
  return rows.map((row) => ({ ...row, projects: JSON.parse(row.projects) as string[] }))
}

export async function findOrganisation(pool: Pool, named: string): Promise<Organisation> {
  const { rows } = await pool.use((client) => selectOrganisation(client, named))
  const [found] = rows
  if (found !== undefined) return found
  const message = 'organisation: no such one; `waymark admin organisation list` shows what there is'
  throw new Failure('not_found', message, { details: { field: 'organisation' } })
}

function selectOrganisation(client: Client, named: string) {
  return client.query<Organisation>(
    `SELECT id, name FROM ${T}.organisation WHERE name = $1 OR id = $1`,
    [named],
  )
}

/** The organisation of that name; created where there is none. */
export async function createOrganisation(
  pool: Pool,
  { name, actor }: { readonly name: string; readonly actor: string },
): Promise<Organisation> {
  parseProjectName(name, 'organisation')
  return await inAuditedChange(pool, async (client) => {
    const id = randomUUID()
    const { rowCount } = await client.query(
      `INSERT INTO ${T}.organisation VALUES ($1, $2, ${NOW}) ON CONFLICT DO NOTHING`,
      [id, name],
    )
    const found = (await selectOrganisation(client, name)).rows[0] ?? { id, name }
    if (rowCount === 1)
      await recordAudit(client, {
        organisationId: id,
        actor,
        action: 'organisation.created',
        subject: name,
      })
    return found
  })
}

export interface OrganisationChange {
  readonly organisationId: string
  readonly subject: string
  readonly actor: string
}

/** Its members get their roles in the project, those of the organisation before lose them. */
export async function moveProject(
  pool: Pool,
  { organisationId, projectId, subject, actor }: OrganisationChange & { projectId: string },
): Promise<void> {
  await inAuditedChange(pool, async (client) => {
    await client.query(`UPDATE ${T}.project SET organisation_id = $1 WHERE id = $2`, [
      organisationId,
      projectId,
    ])
    const action = 'organisation.project_moved'
    await recordAudit(client, { organisationId, projectId, actor, action, subject })
  })
}

export async function listOrganisationMembers(
  pool: Pool,
  organisationId: string,
): Promise<readonly Member[]> {
  const { rows } = await pool.use((client) =>
    client.query<Member>(
      `SELECT subject, role, added_at, added_by FROM ${T}.organisation_member
        WHERE organisation_id = $1 ORDER BY subject`,
      [organisationId],
    ),
  )
  return rows
}

/** The role that a member has in all projects of an organisation. */
export async function organisationRoleOf(
  pool: Pool,
  organisationId: string,
  subject: string,
): Promise<Role | undefined> {
  const { rows } = await pool.use((client) =>
    client.query<{ role: Role }>(
      `SELECT role FROM ${T}.organisation_member WHERE organisation_id = $1 AND subject = $2`,
      [organisationId, subject],
    ),
  )
  return rows[0]?.role
}

/** Adds a member to all projects of an organisation, or gives it another role there. */
export async function setOrganisationMember(
  pool: Pool,
  { organisationId, subject, actor, role }: OrganisationChange & { readonly role: Role },
): Promise<void> {
  assertSubject(subject)
  await inAuditedChange(pool, async (client) => {
    await client.query(
      `INSERT INTO ${T}.organisation_member VALUES ($1, $2, $3, ${NOW}, $4)
        ON CONFLICT (organisation_id, subject) DO UPDATE SET role = excluded.role`,
      [organisationId, subject, role, actor],
    )
    const action = 'organisation.member_set'
    await recordAudit(client, { organisationId, actor, action, subject, details: { role } })
  })
}

export async function removeOrganisationMember(
  pool: Pool,
  { organisationId, subject, actor }: OrganisationChange,
): Promise<void> {
  await inAuditedChange(pool, async (client) => {
    const { rowCount } = await client.query(
      `DELETE FROM ${T}.organisation_member WHERE organisation_id = $1 AND subject = $2`,
      [organisationId, subject],
    )
    if (rowCount === 0) throw new Failure('not_found', 'no such member')
    const action = 'organisation.member_removed'
    await recordAudit(client, { organisationId, actor, action, subject })
  })
}
