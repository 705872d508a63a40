import { Failure } from '../core/error.ts'
import type { Client, Pool } from '../core/postgres/pool.ts'
import { TEAM_SCHEMA } from './names.ts'

/** A project of the database. */
export interface TeamProject {
  readonly id: string
  /** In addresses: `/projects/<name>`. */
  readonly name: string
  readonly organisation: { readonly id: string; readonly name: string }
}

interface Row {
  readonly id: string
  readonly name: string
  readonly organisation_id: string
  readonly organisation: string
}

const SELECT = `SELECT p.id, p.name, o.id AS organisation_id, o.name AS organisation
  FROM ${TEAM_SCHEMA}.project p JOIN ${TEAM_SCHEMA}.organisation o ON o.id = p.organisation_id`

function toProject({ id, name, organisation_id, organisation }: Row): TeamProject {
  return { id, name, organisation: { id: organisation_id, name: organisation } }
}

/** What an address holds unescaped; not a UUID, because projects are known by their id too. */
const NAME = /^[a-z0-9][a-z0-9._-]{0,62}$/i
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export function parseProjectName(name: string, field = 'project'): string {
  if (NAME.test(name) && !UUID.test(name)) return name
  throw new Failure(
    'invalid_input',
    `${field}: must be a name of up to 63 letters, digits, ".", "_" and "-"`,
    { details: { field } },
  )
}

/** The nearest name that is one: what is no letter or digit becomes a hyphen. */
export function toProjectName(text: string): string {
  const name = text
    .replaceAll(/[^\w.-]+/g, '-')
    .replace(/^[^a-z0-9]+/i, '')
    .slice(0, 50)
  return name === '' || UUID.test(name) ? 'project' : name
}

export async function listProjects(pool: Pool): Promise<readonly TeamProject[]> {
  const { rows } = await pool.use((client) => client.query<Row>(`${SELECT} ORDER BY p.name`))
  return rows.map(toProject)
}

/** By its name or its id. */
export async function findProject(pool: Pool, named: string): Promise<TeamProject | undefined> {
  const { rows } = await pool.use((client) =>
    client.query<Row>(`${SELECT} WHERE p.name = $1 OR p.id = $1`, [named]),
  )
  return rows[0] && toProject(rows[0])
}

export interface NewTeamProject {
  readonly id: string
  readonly wantedName: string
  readonly createdAt: number
  readonly organisationId: string
}

/** Lists a project under the wanted name; one that is taken gets a number. Nothing for a project that is listed. */
export async function registerProject(
  client: Client,
  { id, wantedName, createdAt, organisationId }: NewTeamProject,
): Promise<void> {
  const { rows } = await client.query<{ name: string }>(`SELECT name FROM ${TEAM_SCHEMA}.project`)
  const taken = new Set(rows.map(({ name }) => name))
  let name = wantedName
  for (let number = 2; taken.has(name); number += 1) name = `${wantedName}-${number}`
  await client.query(
    `INSERT INTO ${TEAM_SCHEMA}.project (id, name, created_at, organisation_id)
      VALUES ($1, $2, $3, $4)
      ON CONFLICT (id) DO NOTHING`,
    [id, name, createdAt, organisationId],
  )
}
