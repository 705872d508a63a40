import { Failure } from '../core/error.ts'
import type { Pool } from '../core/postgres/pool.ts'
import { inAuditedChange, NOW, recordAudit } from './audit.ts'
import type { Role } from './roles.ts'
import { TEAM_SCHEMA } from './names.ts'

/** A person or program that an OAuth issuer vouches for. */
export interface Member {
  /** The `sub` claim of its tokens. */
  readonly subject: string
  readonly role: Role
  readonly added_at: number
  readonly added_by: string
}

const LONGEST_SUBJECT = 255

export interface MemberChange {
  readonly projectId: string
  readonly subject: string
  readonly actor: string
}

export async function listMembers(pool: Pool, projectId: string): Promise<readonly Member[]> {
  const { rows } = await pool.use((client) =>
    client.query<Member>(
      `SELECT subject, role, added_at, added_by FROM ${TEAM_SCHEMA}.member
        WHERE project_id = $1 ORDER BY subject`,
      [projectId],
    ),
  )
  return rows
}

/** The role of a member in each of its projects, by the id of the project. */
export async function rolesOf(pool: Pool, subject: string): Promise<ReadonlyMap<string, Role>> {
  const { rows } = await pool.use((client) =>
    client.query<{ id: string; role: Role }>(
      // A role in the project itself wins over one in its organisation.
      `SELECT p.id, coalesce(m.role, o.role) AS role FROM ${TEAM_SCHEMA}.project p
        LEFT JOIN ${TEAM_SCHEMA}.member m ON m.project_id = p.id AND m.subject = $1
        LEFT JOIN ${TEAM_SCHEMA}.organisation_member o
          ON o.organisation_id = p.organisation_id AND o.subject = $1
        WHERE coalesce(m.role, o.role) IS NOT NULL`,
      [subject],
    ),
  )
  return new Map(rows.map(({ id, role }) => [id, role]))
}

export function assertSubject(subject: string): void {
  if (subject.trim() !== '' && subject.length <= LONGEST_SUBJECT) return
  throw new Failure('invalid_input', 'subject: must be the sub claim of its tokens', {
    details: { field: 'subject' },
  })
}

/** Adds a member, or gives it another role. */
export async function setMember(
  pool: Pool,
  { projectId, subject, actor, role }: MemberChange & { readonly role: Role },
): Promise<void> {
  assertSubject(subject)
  await inAuditedChange(pool, async (client) => {
    await client.query(
      `INSERT INTO ${TEAM_SCHEMA}.member (project_id, subject, role, added_at, added_by)
        VALUES ($1, $2, $3, ${NOW}, $4)
        ON CONFLICT (project_id, subject) DO UPDATE SET role = excluded.role`,
      [projectId, subject, role, actor],
    )
    await recordAudit(client, {
      projectId,
      actor,
      action: 'member.set',
      subject,
      details: { role },
    })
  })
}

export async function removeMember(
  pool: Pool,
  { projectId, subject, actor }: MemberChange,
): Promise<void> {
  await inAuditedChange(pool, async (client) => {
    const { rowCount } = await client.query(
      `DELETE FROM ${TEAM_SCHEMA}.member WHERE project_id = $1 AND subject = $2`,
      [projectId, subject],
    )
    if (rowCount === 0) throw new Failure('not_found', 'no such member')
    await recordAudit(client, { projectId, actor, action: 'member.removed', subject })
  })
}
