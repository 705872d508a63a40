import pg from 'pg'
import { expect, it } from 'vitest'
import { openPostgres } from '../../src/core/postgres/open.ts'
import { createDatabase, createTeamSite, type TestDatabase } from './team-site.ts'

interface Status {
  readonly projects: readonly { readonly name: string; readonly id: string; wall: string }[]
}

/** A user of the database that owns nothing in it. */
async function addUser(
  database: TestDatabase,
  rights = '',
): Promise<{ name: string; url: string }> {
  const name = `replica_${crypto.randomUUID().slice(0, 8)}`
  await database.query(`CREATE ROLE ${name} LOGIN ${rights}`)
  return { name, url: database.url.replace(/\/\/[^@/]*@/, `//${name}@`) }
}

const schemaOf = (id: string) => `waymark_${id.replaceAll('-', '')}`

it('the database refuses a statement on the schema of another project [team-second-wall]', async () => {
  await using database = await createDatabase()
  const { projects } = await database.admin<Status>('init', 'api', 'web')
  expect(projects.map(({ wall }) => wall)).toEqual(['on', 'on'])
  const [api = '', web = ''] = projects.map(({ id }) => id)
  const store = await openPostgres(api, database.url)
  const theirs = `SELECT count(*) AS n FROM ${schemaOf(web)}.entity`
  const own = `SELECT count(*) AS n FROM ${schemaOf(api)}.entity`
  expect(await store.all(own)).toEqual([{ n: 0 }])
  await expect(store.all(theirs)).rejects.toThrow('refused')
  await expect(store.write(async (tx) => await tx.all(theirs))).rejects.toThrow('refused')
  await expect(
    store.write(async (tx) => await tx.run(`DELETE FROM ${schemaOf(web)}.counter`)),
  ).rejects.toThrow('refused')
  for (const table of ['token', 'member', 'audit'])
    await expect(store.all(`SELECT * FROM waymark_team.${table}`), table).rejects.toThrow('refused')
  // Nor the tables of its own schema: rows are its own, the shape is the owner's.
  await expect(store.write(async (tx) => await tx.run('DROP TABLE counter'))).rejects.toThrow()
  await store[Symbol.asyncDispose]()
})

it('replicas may connect as a user without the rights of the owner [team-replica-user]', async () => {
  await using database = await createDatabase()
  await database.admin('init', 'api')
  const user = await addUser(database)
  const refused = await createTeamSite({ url: user.url }).catch((error: unknown) => error)
  expect(String(refused)).toContain('waymark admin grant')
  expect(await database.admin('grant', user.name)).toMatchObject({ user: user.name })
  await database.admin('init', 'later')
  await using site = await createTeamSite({ url: user.url })
  for (const project of ['api', 'later']) {
    const created = await site.call(`/projects/${project}/api/task.create`, { title: 'x' })
    expect(created.status, JSON.stringify(created.body)).toBe(200)
  }
  const added = await site.ask('/projects/api/team/members/ann', {
    method: 'PUT',
    body: '{"role":"agent"}',
    headers: { 'content-type': 'application/json' },
  })
  expect(added.status).toBe(200)
  const client = new pg.Client(user.url)
  await client.connect()
  const { rows } = await client.query('SELECT action FROM waymark_team.audit')
  expect(rows).toContainEqual({ action: 'member.set' })
  for (const statement of [
    "UPDATE waymark_team.audit SET actor = 'another'",
    'DELETE FROM waymark_team.audit',
    'TRUNCATE waymark_team.audit',
    'ALTER TABLE waymark_team.audit DISABLE TRIGGER ALL',
    'DROP TRIGGER audit_append_only ON waymark_team.audit',
    'DROP TABLE waymark_team.audit',
    `SELECT * FROM ${schemaOf((await database.admin<Status>('status')).projects[0]?.id ?? '')}.entity`,
  ])
    await expect(client.query(statement), statement).rejects.toThrow(/permission|must be owner/)
  await client.end()
  // The owner is held by the trigger.
  for (const statement of ['DELETE FROM', 'TRUNCATE'])
    await expect(database.query(`${statement} waymark_team.audit`)).rejects.toThrow('append-only')
  await expect(database.admin('grant', 'nobody_here')).rejects.toThrow('no such user')
  await database.query(`DROP OWNED BY ${user.name}`)
  await database.query(`DROP ROLE ${user.name}`)
})

it('an owner without the right to create roles has no second wall, and is told so [team-no-wall]', async () => {
  for (const [rights, wall] of [
    ['CREATEROLE', 'on'],
    ['', 'off'],
  ] as const) {
    await using database = await createDatabase()
    const owner = await addUser(database, rights)
    const [found] = await database.query<{ name: string }>('SELECT current_database() AS name')
    await database.query(`ALTER DATABASE ${found?.name} OWNER TO ${owner.name}`)
    const status = await database.admin<Status>('init', 'api', '--database', owner.url)
    expect(status.projects).toMatchObject([{ wall }])
    await using site = await createTeamSite(owner)
    const created = await site.call('/api/task.create', { title: 'x' })
    expect(created.status, JSON.stringify(created.body)).toBe(200)
  }
})
