import type { Client, Pool } from '../core/postgres/pool.ts'
import { TEAM_SCHEMA } from './names.ts'

/** Who may do what was changed by whom. Entries cannot be changed or removed. */
export interface AuditEntry {
  readonly id: number
  /** Milliseconds since 1970, by the clock of the database. */
  readonly at: number
  readonly actor: string
  readonly action: AuditAction
  readonly subject: string
  readonly details: Readonly<Record<string, unknown>>
}

type AuditAction =
  | 'member.set'
  | 'member.removed'
  | 'token.created'
  | 'token.revoked'
  | 'invitation.created'
  | 'invitation.redeemed'
  | 'organisation.created'
  | 'organisation.project_moved'
  | 'organisation.member_set'
  | 'organisation.member_removed'
  | 'quota.set'
  | 'replica.granted'

export interface NewAuditEntry {
  /** Absent where it is about an organisation, or about the server. */
  readonly projectId?: string
  readonly organisationId?: string
  readonly actor: string
  readonly action: AuditAction
  readonly subject: string
  readonly details?: Readonly<Record<string, unknown>>
}

export const NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'

/** In the transaction of the change. */
export async function recordAudit(client: Client, entry: NewAuditEntry): Promise<void> {
  const { projectId = null, organisationId = null, actor, action, subject, details = {} } = entry
  await client.query(
    `INSERT INTO ${TEAM_SCHEMA}.audit (at, project_id, organisation_id, actor, action, subject, details)
      VALUES (${NOW}, $1, $2, $3, $4, $5, $6)`,
    [projectId, organisationId, actor, action, subject, JSON.stringify(details)],
  )
}

export interface AuditQuery {
  readonly place: { readonly projectId: string } | { readonly organisationId: string }
  /** Entries older than this one. */
  readonly before?: number
  readonly limit: number
}

/** Newest first. */
export async function listAudit(
  pool: Pool,
  { place, before, limit }: AuditQuery,
): Promise<readonly AuditEntry[]> {
  const [column, id] =
    'projectId' in place
      ? ['project_id', place.projectId]
      : ['organisation_id', place.organisationId]
  const { rows } = await pool.use((client) =>
    client.query<Omit<AuditEntry, 'details'> & { details: string }>(
      `SELECT id, at, actor, action, subject, details FROM ${TEAM_SCHEMA}.audit
        WHERE ${column} = $1 AND ($2::bigint IS NULL OR id < $2) ORDER BY id DESC LIMIT $3`,
      [id, before ?? null, limit],
    ),
  )
  return rows.map((row) => ({ ...row, details: JSON.parse(row.details) as AuditEntry['details'] }))
}

/** One transaction: a change of access and the entry about it. */
export async function inAuditedChange<T>(
  pool: Pool,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  return await pool.use(async (client) => {
    await client.query('BEGIN')
    try {
      const result = await work(client)
      await client.query('COMMIT')
      return result
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {})
      throw error
    }
  })
}
