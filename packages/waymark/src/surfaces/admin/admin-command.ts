import { Failure } from '../../core/error.ts'
import { MACHINE_CLOCK } from '../../core/clock/machine-clock.ts'
import { openPool } from '../../core/postgres/open.ts'
import { toFailure } from '../../core/postgres/failures.ts'
import type { Pool } from '../../core/postgres/pool.ts'
import { describeProjects, LATEST, migrateAll, migrateProject } from '../../core/postgres/schema.ts'
import { readSetting } from '../../core/project/settings.ts'
import { type Column, line, table } from '../../core/show.ts'
import { findProject, listProjects, parseProjectName } from '../../team/projects.ts'
import { LATEST_TEAM_VERSION, readTeamVersion } from '../../team/schema.ts'
import { print } from '../terminal/print.ts'
import type { Terminal } from '../terminal/terminal.ts'

interface AdminOptions {
  readonly database?: string
  readonly json?: boolean
}

/** One project, as the operator sees it. */
interface ProjectState {
  readonly name: string
  readonly id: string
  readonly schema: number
  readonly state: 'current' | 'needs migration' | 'newer than this waymark'
}

interface DatabaseState {
  readonly server: string
  readonly schema: number
  readonly is_prepared: boolean
  readonly projects: readonly ProjectState[]
}

/** Creates the tables that all projects share, and the named projects that are not there yet. */
export async function initDatabase(
  names: readonly string[],
  options: AdminOptions,
  terminal: Terminal,
): Promise<void> {
  for (const name of names) parseProjectName(name)
  await using database = openDatabase(options, terminal)
  const { pool } = database
  const createdAt = MACHINE_CLOCK.now()
  await migrateAll(pool, createdAt)
  for (const name of new Set(names)) {
    if ((await withFailures(findProject(pool, name))) !== undefined) continue
    await migrateProject(pool, { projectId: crypto.randomUUID(), createdAt, name })
  }
  await printState(pool, options, terminal)
}

export async function migrateDatabase(options: AdminOptions, terminal: Terminal): Promise<void> {
  await using database = openDatabase(options, terminal)
  await migrateAll(database.pool, MACHINE_CLOCK.now())
  await printState(database.pool, options, terminal)
}

export async function showDatabase(options: AdminOptions, terminal: Terminal): Promise<void> {
  await using database = openDatabase(options, terminal)
  await printState(database.pool, options, terminal)
}

function openDatabase({ database }: AdminOptions, { env }: Terminal) {
  const url = readSetting('database', { env, flag: database })
  if (url !== undefined) return openPool(url)
  throw new Failure('invalid_input', 'database: set WAYMARK_DATABASE_URL, or pass --database', {
    details: { field: 'database' },
  })
}

const COLUMNS: readonly Column<ProjectState>[] = [
  { head: 'PROJECT', value: ({ name }) => name, isMain: true },
  { head: 'ID', value: ({ id }) => id },
  { head: 'SCHEMA', value: ({ schema }) => schema },
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
  const nameById = new Map(names.map(({ id, name }) => [id, name]))
  const projects = (await describeProjects(pool)).map(({ projectId, version: schema }) => ({
    name: nameById.get(projectId) ?? '-',
    id: projectId,
    schema,
    state: stateOf(schema),
  }))
  return {
    server,
    schema: LATEST,
    is_prepared: isPrepared,
    projects: projects.toSorted((left, right) => left.name.localeCompare(right.name)),
  }
}

function stateOf(schema: number): ProjectState['state'] {
  if (schema === LATEST) return 'current'
  return schema < LATEST ? 'needs migration' : 'newer than this waymark'
}

async function withFailures<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw toFailure(error)
  }
}
