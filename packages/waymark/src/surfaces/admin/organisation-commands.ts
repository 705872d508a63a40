import { Failure } from '../../core/error.ts'
import { toFailure } from '../../core/postgres/failures.ts'
import { type Column, line, table } from '../../core/show.ts'
import {
  createOrganisation,
  findOrganisation,
  type ListedOrganisation,
  listOrganisations,
  moveProject,
} from '../../team/organisations.ts'
import { findProject } from '../../team/projects.ts'
import { print } from '../terminal/print.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { openDatabase } from './open-database.ts'
import type { TeamOptions } from './team-commands.ts'

const COLUMNS: readonly Column<ListedOrganisation>[] = [
  { head: 'ORGANISATION', value: ({ name }) => name, isMain: true },
  { head: 'PROJECTS', value: ({ projects }) => projects.join(', ') },
  { head: 'MEMBERS', value: ({ members }) => members },
]

async function showAll(_: string, options: TeamOptions, terminal: Terminal): Promise<void> {
  await using database = openDatabase(options, terminal)
  const organisations = await listOrganisations(database.pool).catch(rethrow)
  const blocks = [table(organisations, COLUMNS)]
  const json = `${JSON.stringify({ organisations })}\n`
  terminal.out(options.json === true ? json : await print(blocks, terminal))
}

async function create(name: string, options: TeamOptions, terminal: Terminal): Promise<void> {
  await using database = openDatabase(options, terminal)
  const actor = options.actor ?? 'operator'
  const created = await createOrganisation(database.pool, { name, actor }).catch(rethrow)
  const blocks = [line`${name}; create projects in it with: waymark admin init --organisation`]
  const json = `${JSON.stringify(created)}\n`
  terminal.out(options.json === true ? json : await print(blocks, terminal))
}

async function move(name: string, options: TeamOptions, terminal: Terminal): Promise<void> {
  await using database = openDatabase(options, terminal)
  const { pool } = database
  const project = await findProject(pool, options.project ?? '').catch(rethrow)
  if (project === undefined) {
    const message = 'no such project; `waymark admin status` shows what there is'
    throw new Failure('not_found', message)
  }
  const { id: organisationId } = await findOrganisation(pool, name).catch(rethrow)
  const actor = options.actor ?? 'operator'
  const change = { organisationId, projectId: project.id, subject: project.name, actor }
  await moveProject(pool, change).catch(rethrow)
  const json = `${JSON.stringify({ project: project.name, organisation: name })}\n`
  const blocks = [line`${project.name} belongs to ${name}`]
  terminal.out(options.json === true ? json : await print(blocks, terminal))
}

function rethrow(error: unknown): never {
  throw toFailure(error)
}

export const ORGANISATION_COMMANDS = {
  'organisation list': showAll,
  'organisation create': create,
  'organisation move': move,
}
