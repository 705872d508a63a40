import { MACHINE_CLOCK } from '../../core/clock/machine-clock.ts'
import { toFailure } from '../../core/postgres/failures.ts'
import type { Wall } from '../../core/postgres/schema/project-role.ts'
import type { Pool } from '../../core/postgres/pool.ts'
import {
  describeProjects,
  grantReplicaUser,
  LATEST,
  migrateAll,
  migrateProject,
} from '../../core/postgres/schema/schema.ts'
import { type Column, line, table } from '../../core/show.ts'
import { createOrganisation } from '../../team/organisations.ts'
import { findProject, listProjects, parseProjectName } from '../../team/projects.ts'
import { LATEST_TEAM_VERSION, readTeamVersion } from '../../team/schema.ts'
import { print } from '../terminal/print.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { type AdminOptions, openDatabase } from './open-database.ts'
import { ORGANISATION_COMMANDS } from './organisation-commands.ts'
import { QUOTA_COMMANDS } from './quota-commands.ts'
import { TEAM_COMMANDS, type TeamOptions } from './team-commands.ts'

/** One project, as the operator sees it. */
interface ProjectState {
  readonly name: string
  readonly id: string
  readonly organisation: string
  readonly schema: number
  /** Whether the database itself keeps projects apart. */
  readonly wall: Wall
  readonly state: 'current' | 'needs migration' | 'newer, works' | 'newer than this waymark'
}

interface DatabaseState {
  readonly server: string
  readonly schema: number
  readonly is_prepared: boolean
  readonly projects: readonly ProjectState[]
}

const DATABASE_COMMANDS = {
  init: initDatabase,
  migrate: migrateDatabase,
  status: showDatabase,
  grant: grantUser,
}

const OTHER_COMMANDS = { ...TEAM_COMMANDS, ...ORGANISATION_COMMANDS, ...QUOTA_COMMANDS }

export type AdminCommand = keyof typeof DATABASE_COMMANDS | keyof typeof OTHER_COMMANDS

export async function runAdmin(
  name: AdminCommand,
  words: readonly string[],
  options: TeamOptions,
  terminal: Terminal,
): Promise<void> {
  if (name === 'init' || name === 'migrate' || name === 'status' || name === 'grant')
    return await DATABASE_COMMANDS[name](words, options, terminal)
  const [word = '', amount] = words
  const given = amount === undefined ? options : { ...options, amount }
  await OTHER_COMMANDS[name](word, given, terminal)
}

/** Creates the tables that all projects share, and the named projects that are not there yet. */
async function initDatabase(
  names: readonly string[],
  options: TeamOptions,
  terminal: Terminal,
): Promise<void> {
  for (const name of names) parseProjectName(name)
  await using database = openDatabase(options, terminal)
  const { pool } = database
  const createdAt = MACHINE_CLOCK.now()
  await migrateAll(pool, createdAt)
  const place = await withFailures(findOrCreateOrganisation(pool, options))
  for (const name of new Set(names)) {
    if ((await withFailures(findProject(pool, name))) !== undefined) continue
    const projectId = crypto.randomUUID()
    await migrateProject(pool, { projectId, createdAt, name, ...place })
  }
  await printState(pool, options, terminal)
}

async function findOrCreateOrganisation(
  pool: Pool,
  { organisation, actor = 'operator' }: TeamOptions,
): Promise<{ organisationId?: string }> {
  if (organisation === undefined) return {}
  const { id } = await createOrganisation(pool, { name: organisation, actor })
  return { organisationId: id }
}

async function migrateDatabase(
  _: readonly string[],
  options: AdminOptions,
  terminal: Terminal,
): Promise<void> {
  await using database = openDatabase(options, terminal)
  await migrateAll(database.pool, MACHINE_CLOCK.now())
  await printState(database.pool, options, terminal)
}

async function grantUser(
  [user = '']: readonly string[],
  options: TeamOptions,
  terminal: Terminal,
): Promise<void> {
  await using database = openDatabase(options, terminal)
  await grantReplicaUser(database.pool, { user, actor: options.actor ?? 'operator' })
  if (options.json === true) return terminal.out(`${JSON.stringify({ user })}\n`)
  terminal.out(await print([line`replicas may connect as ${user}`], terminal))
}

async function showDatabase(
  _: readonly string[],
  options: AdminOptions,
  terminal: Terminal,
): Promise<void> {
  await using database = openDatabase(options, terminal)
  await printState(database.pool, options, terminal)
}

const COLUMNS: readonly Column<ProjectState>[] = [
  { head: 'PROJECT', value: ({ name }) => name, isMain: true },
  { head: 'ORGANISATION', value: ({ organisation }) => organisation },
  { head: 'ID', value: ({ id }) => id },
  { head: 'SCHEMA', value: ({ schema }) => schema },
  { head: 'ROLE', value: ({ wall }) => wall },
  { head: 'STATE', value: ({ state }) => state },
]

async function printState(pool: Pool, { json }: AdminOptions, terminal: Terminal): Promise<void> {
  const state = await withFailures(readState(pool))
  if (json === true) return terminal.out(`${JSON.stringify(state)}\n`)
  const blocks = state.is_prepared
    ? [table(state.projects, COLUMNS), ...(state.projects.length === 0 ? [NO_PROJECTS] : [])]
    : [NOT_PREPARED]
  terminal.out(await print([line`PostgreSQL ${state.server}`, ...blocks], terminal))
}

const NO_PROJECTS = line`no projects yet; create one with: waymark admin init <name>`
const NOT_PREPARED = line`not prepared yet; run: waymark admin init <name>`

async function readState(pool: Pool): Promise<DatabaseState> {
  const [server, version] = await pool.use(async (client) => {
    const { rows } = await client.query<{ server_version: string }>('SHOW server_version')
    return [rows[0]?.server_version ?? '', await readTeamVersion(client)] as const
  })
  const isPrepared = version !== undefined && version >= LATEST_TEAM_VERSION
  const names = isPrepared ? await listProjects(pool) : []
  const projectById = new Map(names.map((one) => [one.id, one]))
  const projects = (await describeProjects(pool)).map(
    ({ projectId, version: schema, isUsable, wall }) => ({
      name: projectById.get(projectId)?.name ?? '-',
      id: projectId,
      organisation: projectById.get(projectId)?.organisation.name ?? '-',
      schema,
      wall,
      state: stateOf(schema, isUsable),
    }),
  )
  return {
    server,
    schema: LATEST,
    is_prepared: isPrepared,
    projects: projects.toSorted((left, right) => left.name.localeCompare(right.name)),
  }
}

function stateOf(schema: number, isUsable: boolean): ProjectState['state'] {
  if (isUsable) return schema === LATEST ? 'current' : 'newer, works'
  return schema <= LATEST ? 'needs migration' : 'newer than this waymark'
}

async function withFailures<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw toFailure(error)
  }
}
