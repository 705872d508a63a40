import { Failure } from '../../error.ts'
import { MIGRATIONS, type Migration } from '../../store/migrations.ts'
import { quoted } from '../commit-listener.ts'
import { COMPATIBILITY, COMPATIBILITY_SCHEMA } from './compatibility.ts'
import { FULL_TEXT_SCHEMA } from './full-text.ts'
import { toFailure } from '../failures.ts'
import type { Client, Pool } from '../pool.ts'
import { toPostgresSchema } from '../statement.ts'
import {
  createProjectRole,
  findProjectRole,
  grantProject,
  readWall,
  type Wall,
} from './project-role.ts'
import { addReplicaUser, grantReplicas, grantTeam } from '../../../team/replica-users.ts'
import { DEFAULT_ORGANISATION } from '../../../team/names.ts'
import { registerProject } from '../../../team/projects.ts'
import { migrateTeam } from '../../../team/schema.ts'

/** Serialises schema changes of all processes; any number that no other program is likely to use. */
const SCHEMA_LOCK = 0x5741594d

export const LATEST = MIGRATIONS.at(-1)?.version ?? 0

/** The schema that holds the tables of a project. */
export function schemaOf(projectId: string): string {
  return `waymark_${projectId.replaceAll('-', '')}`
}

/** Where the statements of a project look for tables, then for functions. */
export function searchPath(schema: string): string {
  return `${quoted(schema)}, ${COMPATIBILITY_SCHEMA}`
}

export interface NewProject {
  readonly projectId: string
  readonly createdAt: number
  /** What addresses call it, unless that is taken. */
  readonly name?: string
  readonly organisationId?: string
}

/** Creates the tables of a project, or brings them to this program's schema. Any number of processes may try at once. */
export async function migrateProject(
  pool: Pool,
  project: NewProject,
  migrations = MIGRATIONS,
): Promise<void> {
  await changeSchema(pool, (client) => migrate(client, project, migrations))
}

/** Brings the tables of the team and of all projects to this program's schema, in one transaction. */
export async function migrateAll(pool: Pool, createdAt: number): Promise<void> {
  await changeSchema(pool, async (client) => {
    for (const { projectId } of await listSchemas(client))
      await migrate(client, { projectId, createdAt }, MIGRATIONS)
  })
}

/** Lets replicas connect as a user that owns nothing, with the rights that they need. */
export async function grantReplicaUser(
  pool: Pool,
  { user, actor }: { readonly user: string; readonly actor: string },
): Promise<void> {
  await changeSchema(pool, async (client) => {
    await addReplicaUser(client, user, actor)
    await grantTeam(client)
    for (const { projectId } of await listSchemas(client))
      await grantProject(client, schemaOf(projectId), user)
  })
}

/** The projects of a database with the versions of their schemas, listed for the team or not. */
export async function describeProjects(pool: Pool): Promise<readonly FoundSchema[]> {
  return await pool.use((client) => listSchemas(client)).catch(rethrow)
}

async function changeSchema(pool: Pool, work: (client: Client) => Promise<void>): Promise<void> {
  const change = (client: Client) =>
    inTransaction(client, async () => {
      await client.query('SELECT pg_advisory_xact_lock($1)', [SCHEMA_LOCK])
      await assertByteOrder(client)
      for (const statement of COMPATIBILITY) await client.query(statement)
      await migrateTeam(client)
      await work(client)
    })
  await pool.use(change).catch(rethrow)
}

interface FoundSchema {
  readonly projectId: string
  readonly version: number
  /** By this program. */
  readonly isUsable: boolean
  readonly wall: Wall
}

async function listSchemas(client: Client): Promise<readonly FoundSchema[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT nspname AS name FROM pg_namespace WHERE nspname ~ '^waymark_[0-9a-f]{32}$'
      ORDER BY nspname`,
  )
  const found = []
  for (const { name } of rows) {
    const state = await readState(client, name)
    if (state === undefined) continue
    found.push({
      projectId: projectIdOf(name),
      version: state.version,
      isUsable: isUsable(state),
      wall: await readWall(client, name),
    })
  }
  return found
}

function projectIdOf(schema: string): string {
  const hex = schema.slice('waymark_'.length)
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** The role for its transactions. Throws unless the project is there, with tables that this program works with. */
export async function assertUsable(pool: Pool, projectId: string): Promise<string> {
  const schema = schemaOf(projectId)
  const state = await pool.use((client) => readState(client, schema)).catch(rethrow)
  if (state === undefined) {
    throw new Failure(
      'not_initialised',
      'the database has no such project; run `waymark admin init`',
    )
  }
  const { version, usableFrom } = state
  assertNotNewer(usableFrom)
  if (version < LATEST || usableFrom === UNKNOWN) {
    throw new Failure(
      'storage_unavailable',
      `the tables of the project are of an older waymark (schema ${version} of ${LATEST}); run \`waymark admin migrate\``,
    )
  }
  return await pool.use((client) => findProjectRole(client, schema)).catch(rethrow)
}

async function migrate(
  client: Client,
  project: NewProject,
  migrations: readonly Migration[],
): Promise<void> {
  const {
    projectId,
    createdAt,
    name = `project-${projectId.slice(0, 8)}`,
    organisationId = DEFAULT_ORGANISATION,
  } = project
  const schema = schemaOf(projectId)
  await registerProject(client, { id: projectId, wantedName: name, createdAt, organisationId })
  const { version = 0, usableFrom = UNKNOWN } = (await readState(client, schema)) ?? {}
  assertNotNewer(usableFrom)
  const steps = migrations.filter((step) => step.version > version)
  if (steps.length > 0) await migrateTables(client, { projectId, createdAt }, version, steps)
  if (steps.length > 0 || usableFrom === UNKNOWN) await noteVersion(client, schema, migrations)
  await createProjectRole(client, schema)
  await grantReplicas(client, (user) => grantProject(client, schema, user))
}

async function migrateTables(
  client: Client,
  { projectId, createdAt }: NewProject,
  version: number,
  steps: readonly Migration[],
): Promise<void> {
  const schema = schemaOf(projectId)
  await client.query(`CREATE SCHEMA IF NOT EXISTS ${quoted(schema)}`)
  await client.query("SELECT set_config('search_path', $1, true)", [searchPath(schema)])
  // The lock that replicas write under, first: they wait, and none has locks that this needs.
  if (version > 0) await client.query('UPDATE project SET version = version + 1')
  for (const statement of steps.flatMap(({ sqlite }) => sqlite)) {
    const translated = toPostgresSchema(statement)
    if (translated !== undefined) await client.query(translated)
  }
  if (version === 0) await createOwnTables(client, { projectId, createdAt })
}

/** Replicas read it with the lock of every write, so those that are too old stop at the next one. */
async function noteVersion(
  client: Client,
  schema: string,
  migrations: readonly Migration[],
): Promise<void> {
  const project = `${quoted(schema)}.project`
  await client.query(
    `ALTER TABLE ${project} ADD COLUMN IF NOT EXISTS usable_from BIGINT NOT NULL DEFAULT 0`,
  )
  const needed = migrations.map(({ version, usableFrom = version }) => usableFrom)
  await client.query(`UPDATE ${project} SET schema_version = $1, usable_from = $2`, [
    migrations.at(-1)?.version ?? 0,
    Math.max(...needed),
  ])
}

/** Throws unless this program works with the tables. */
export function assertNotNewer(usableFrom: number): void {
  if (usableFrom <= LATEST) return
  throw new Failure('storage_newer', 'a newer waymark has changed this database; update waymark')
}

/** Texts are compared byte by byte, as SQLite does: ranges and pages depend on the order. */
async function assertByteOrder(client: Client): Promise<void> {
  const { rows } = await client.query<{ sorted: number; encoding: string }>(
    `SELECT 'B' < 'a' AND 'a b' < 'aa' AS sorted, getdatabaseencoding() AS encoding`,
  )
  if (rows[0]?.sorted === 1 && rows[0].encoding === 'UTF8') return
  throw new Failure(
    'storage_unavailable',
    "the database needs UTF-8 and the collation C: create it with `CREATE DATABASE waymark ENCODING 'UTF8' LOCALE 'C' TEMPLATE template0`",
  )
}

async function createOwnTables(
  client: Client,
  { projectId, createdAt }: NewProject,
): Promise<void> {
  // `version` grows with each commit; its row is the lock that makes the writes of a project serial.
  await client.query(`ALTER TABLE project ADD COLUMN version BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN schema_version BIGINT NOT NULL DEFAULT 0`)
  for (const statement of FULL_TEXT_SCHEMA) await client.query(statement)
  await client.query('INSERT INTO project (id, created_at) VALUES ($1, $2)', [projectId, createdAt])
}

interface SchemaState {
  readonly version: number
  readonly usableFrom: number
}

/** Of tables that were made before it was noted. */
const UNKNOWN = -1

function isUsable({ version, usableFrom }: SchemaState): boolean {
  return version >= LATEST && usableFrom !== UNKNOWN && usableFrom <= LATEST
}

async function readState(client: Client, schema: string): Promise<SchemaState | undefined> {
  const project = `${quoted(schema)}.project`
  const { rows: tables } = await client.query<{ found: string | null; noted: number }>(
    `SELECT to_regclass($1) AS found, EXISTS (SELECT FROM pg_attribute
        WHERE attrelid = to_regclass($1) AND attname = 'usable_from') AS noted`,
    [project],
  )
  const [table] = tables
  if ((table?.found ?? null) === null) return undefined
  const from = table?.noted === 1 ? 'usable_from' : UNKNOWN
  const { rows } = await client.query<SchemaState>(
    `SELECT schema_version AS version, ${from} AS "usableFrom" FROM ${project}`,
  )
  return rows[0]
}

function rethrow(error: unknown): never {
  throw toFailure(error)
}

async function inTransaction(client: Client, work: () => Promise<void>): Promise<void> {
  await client.query('BEGIN')
  try {
    await work()
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}
