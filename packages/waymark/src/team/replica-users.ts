import { Failure } from '../core/error.ts'
import type { Client } from '../core/postgres/pool.ts'
import { COMPATIBILITY_SCHEMA } from '../core/postgres/schema/compatibility.ts'
import { recordAudit } from './audit.ts'
import { TEAM_SCHEMA as T } from './names.ts'

/** What a replica does with each table of the team. Nothing changes or removes an entry of the audit log. */
const RIGHTS: Readonly<Record<string, string>> = {
  version: 'SELECT',
  organisation: 'SELECT',
  project: 'SELECT',
  organisation_member: 'SELECT, INSERT, UPDATE, DELETE',
  member: 'SELECT, INSERT, UPDATE, DELETE',
  token: 'SELECT, INSERT, UPDATE',
  quota: 'SELECT, INSERT, UPDATE, DELETE',
  usage: 'SELECT, INSERT, UPDATE, DELETE',
  audit: 'SELECT, INSERT',
  content_ref: 'SELECT, INSERT, DELETE',
  mcp_session: 'SELECT, INSERT, UPDATE, DELETE',
  mcp_stream: 'SELECT, INSERT, UPDATE, DELETE',
  mcp_event: 'SELECT, INSERT, UPDATE, DELETE',
  mcp_writer: 'SELECT, INSERT, UPDATE, DELETE',
  mcp_record: 'SELECT, INSERT, UPDATE, DELETE',
}

/** Remembers a user of the database as one that replicas connect as; its rights are given by the next migration. */
export async function addReplicaUser(client: Client, user: string, actor: string): Promise<void> {
  const { rows } = await client.query<{ powerful: number }>(
    `SELECT rolsuper OR rolcreaterole OR pg_has_role(oid, (
        SELECT nspowner FROM pg_namespace WHERE nspname = $2), 'MEMBER') AS powerful
      FROM pg_roles WHERE rolname = $1`,
    [user, T],
  )
  const details = { field: 'user' }
  if (rows[0] === undefined)
    throw new Failure('not_found', 'user: the database has no such user; create it first', {
      details,
    })
  if (rows[0].powerful === 1) {
    const message = 'user: it has the rights of the owner already; name one that has none'
    throw new Failure('invalid_input', message, { details })
  }
  await client.query(`INSERT INTO ${T}.replica_user VALUES ($1) ON CONFLICT DO NOTHING`, [user])
  await recordAudit(client, { actor, action: 'replica.granted', subject: user })
}

/** Calls `grant` for each user that replicas connect as. */
export async function grantReplicas(
  client: Client,
  grant: (user: string) => Promise<void>,
): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT name FROM ${T}.replica_user JOIN pg_roles ON rolname = name`,
  )
  for (const { name } of rows) await grant(name)
}

export async function grantTeam(client: Client): Promise<void> {
  await grantReplicas(client, async (user) => {
    const to = `"${user.replaceAll('"', '""')}"`
    await client.query(`GRANT USAGE ON SCHEMA ${T}, ${COMPATIBILITY_SCHEMA} TO ${to}`)
    for (const [table, rights] of Object.entries(RIGHTS))
      await client.query(`GRANT ${rights} ON ${T}.${table} TO ${to}`)
  })
}
