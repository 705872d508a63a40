import { expect, it } from 'vitest'
import { openPostgres } from '../../src/core/postgres/open.ts'
import { LATEST, migrateProject, schemaOf } from '../../src/core/postgres/schema/schema.ts'
import { Pool } from '../../src/core/postgres/pool.ts'
import { MIGRATIONS, type Migration } from '../../src/core/store/migrations.ts'
import { createDatabase, createTeamSite, type TeamSite } from './team-site.ts'

interface Status {
  readonly projects: readonly { readonly id: string; readonly state: string }[]
}

/** What a later release may do, and what programs before it stand. */
const ADDING: Migration = {
  version: LATEST + 1,
  usableFrom: LATEST,
  sqlite: [
    `ALTER TABLE entity ADD COLUMN colour TEXT NOT NULL DEFAULT 'grey'`,
    'CREATE INDEX entity_by_colour ON entity (colour)',
    'CREATE TABLE colour (name TEXT NOT NULL PRIMARY KEY) STRICT',
  ],
}
const BREAKING: Migration = {
  version: LATEST + 2,
  sqlite: ['ALTER TABLE entity RENAME COLUMN title TO name'],
}

const create = (site: TeamSite, title: string) => site.call('/api/task.create', { title })
const take = (site: TeamSite) => site.call('/api/task.take')

it('a replica goes on beside a newer one, until a migration changes what it uses [team-upgrade]', async () => {
  await using database = await createDatabase()
  const { projects } = await database.admin<Status>('init', 'api')
  const projectId = projects[0]?.id ?? ''
  await using running = await createTeamSite(database)
  expect((await create(running, 'Before')).status).toBe(200)
  await using pool = new Pool({ url: database.url })
  const upgrade = (...steps: readonly Migration[]) =>
    migrateProject(pool, { projectId, createdAt: 0 }, [...MIGRATIONS, ...steps])

  await upgrade(ADDING)
  // One that ran meanwhile, and one that is started again by its supervisor.
  await using restarted = await createTeamSite(database)
  for (const site of [running, restarted]) {
    expect((await create(site, 'Beside')).status).toBe(200)
    expect((await take(site)).status).toBe(200)
  }
  expect((await running.call('/api/task.list')).body).toMatchObject({ total: 3 })
  const status = await database.admin<Status>('status')
  expect(status.projects[0]?.state).toBe('newer, works')

  await upgrade(ADDING, BREAKING)
  for (const site of [running, restarted, await createTeamSite(database)]) {
    const { status, body } = await create(site, 'Too late')
    expect([status, body]).toMatchObject([503, { error: { code: 'storage_newer' } }])
  }
  const titles = await database.query(`SELECT name FROM "${schemaOf(projectId)}".entity`)
  expect(titles).toHaveLength(3)
})

it('a project of an older release is refused until it is migrated, and keeps its rows [team-upgrade-older]', async () => {
  await using database = await createDatabase()
  await database.admin('init', 'web')
  const projectId = crypto.randomUUID()
  await using pool = new Pool({ url: database.url })
  await migrateProject(pool, { projectId, createdAt: 0, name: 'api' }, MIGRATIONS.slice(0, 1))
  await database.query(`INSERT INTO "${schemaOf(projectId)}".entity
    (id, number, type, title, tags, properties, created_at, updated_at, revision)
    VALUES ('${projectId}', 1, 'note', 'Old', '[]', '{}', 0, 0, 1)`)
  await using site = await createTeamSite(database)
  const list = () => site.call('/projects/api/api/entity.list')
  expect(await list()).toMatchObject({
    status: 503,
    body: { error: { message: expect.stringContaining('waymark admin migrate') } },
  })
  const [first] = await Promise.all([database.admin<Status>('migrate'), database.admin('migrate')])
  expect(first.projects.map(({ state }) => state)).toEqual(['current', 'current'])
  expect(await list()).toMatchObject({ status: 200, body: { entities: [{ title: 'Old' }] } })
  await using engine = await openPostgres(projectId, database.url)
  expect(await engine.get('SELECT schema_version FROM project')).toEqual({ schema_version: LATEST })
})
