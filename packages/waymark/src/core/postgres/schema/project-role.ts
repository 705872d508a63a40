import { Failure } from '../../error.ts'
import { quoted } from '../commit-listener.ts'
import { COMPATIBILITY_SCHEMA } from './compatibility.ts'
import type { Client } from '../pool.ts'

/**
 * Each project has a role of its own, named as its schema, with rights on that schema alone. Every transaction on the
 * project's tables runs as that role: a statement that names another project's schema is refused by the database,
 * whichever mistake in Waymark produced it.
 */
export type Wall = 'on' | 'off'

/** As `set_config('role', …)` takes it: the user that connected. */
const NO_ROLE = 'none'

/** Creates the role of a project and gives it its rights, where the user may create roles. Safe to repeat. */
export async function createProjectRole(client: Client, schema: string): Promise<void> {
  const { rows } = await client.query<{ may: number; has: number; can: number }>(
    `SELECT rolsuper OR rolcreaterole AS may,
        EXISTS (SELECT FROM pg_roles WHERE rolname = $1) AS has,
        EXISTS (SELECT FROM pg_roles WHERE rolname = $1 AND pg_has_role(oid, 'SET')) AS can
      FROM pg_roles WHERE rolname = current_user`,
    [schema],
  )
  const [found] = rows
  if (found === undefined || (found.may === 0 && found.can === 0)) return
  const role = quoted(schema)
  if (found.has === 0) await client.query(`CREATE ROLE ${role} NOLOGIN NOINHERIT`)
  // The user that creates a role administers it, and may not yet act as it.
  if (found.can === 0)
    await client.query(`GRANT ${role} TO CURRENT_USER WITH SET TRUE, INHERIT FALSE`)
  for (const statement of [
    `GRANT USAGE ON SCHEMA ${role}, ${COMPATIBILITY_SCHEMA} TO ${role}`,
    `GRANT SELECT ON ALL TABLES IN SCHEMA ${COMPATIBILITY_SCHEMA} TO ${role}`,
    `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${role} TO ${role}`,
    `GRANT USAGE, SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA ${role} TO ${role}`,
  ])
    await client.query(statement)
}

/** Lets a user of the database act as a project, without having the project's rights by itself. */
export async function grantProject(client: Client, schema: string, user: string): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [schema])
  const [role, to] = [quoted(schema), quoted(user)]
  await client.query(`GRANT USAGE ON SCHEMA ${role} TO ${to}`)
  // How far a project is, which replicas poll for.
  await client.query(
    `GRANT SELECT (version, schema_version, usable_from) ON ${role}.project TO ${to}`,
  )
  if (rowCount === 1) await client.query(`GRANT ${role} TO ${to} WITH SET TRUE, INHERIT FALSE`)
  else throw new Failure('storage_unavailable', CANNOT_CREATE)
}

const CANNOT_CREATE =
  'projects have no roles of their own: give the owner of the database CREATEROLE, then run `waymark admin migrate`'

interface RoleState {
  readonly has: number
  readonly can: number
  readonly reads: number
}

async function readRole(client: Client, schema: string): Promise<RoleState | undefined> {
  const { rows } = await client.query<RoleState>(
    `SELECT 1 AS has, pg_has_role(oid, 'SET') AS can, has_schema_privilege(oid, $1, 'USAGE') AS reads
      FROM pg_roles WHERE rolname = $1`,
    [schema],
  )
  return rows[0]
}

export async function readWall(client: Client, schema: string): Promise<Wall> {
  const role = await readRole(client, schema)
  return role?.reads === 1 ? 'on' : 'off'
}

/** The role for the transactions of a project; no other one where the project has none. */
export async function findProjectRole(client: Client, schema: string): Promise<string> {
  const role = await readRole(client, schema)
  if (role === undefined) return NO_ROLE
  if (role.can === 0) {
    const message =
      'this user of the database may not act for the project; the owner runs `waymark admin grant <user>`'
    throw new Failure('storage_unavailable', message)
  }
  if (role.reads === 1) return schema
  const message = 'the role of the project lacks its rights; run `waymark admin migrate`'
  throw new Failure('storage_unavailable', message)
}
