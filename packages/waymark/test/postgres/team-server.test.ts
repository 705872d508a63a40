import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { allOperations } from '../../src/registry.ts'
import { command } from '../surface/command.ts'
import { WAYMARK } from '../e2e/binary.ts'
import { createDatabase, createTeamSite, SECRET } from './team-site.ts'

interface Status {
  readonly is_prepared: boolean
  readonly projects: readonly { readonly name: string; readonly state: string }[]
}

type Created = { readonly task: { readonly id: string; readonly number: number } }

describe('waymark admin', () => {
  it('prepares a database and creates projects, and repeats change nothing [admin-init]', async () => {
    await using database = await createDatabase()
    expect(await database.admin('status')).toMatchObject({ is_prepared: false, projects: [] })
    const first = await database.admin<Status>('init', 'api', 'web')
    expect(first.projects.map(({ name }) => name)).toEqual(['api', 'web'])
    expect(await database.admin('init', 'web', 'api')).toEqual(first)
    expect(await database.admin('migrate')).toEqual(first)
    for (const name of ['a/b', '', 'x'.repeat(64), crypto.randomUUID()])
      await expect(database.admin('init', name)).rejects.toThrow('project: must be a name')
  })

  it('says what to set and never prints the address of the database [admin-private]', async () => {
    const without = await command(tmpdir(), ['admin', 'status'])
    expect(without).toMatchObject({ exit: 2, err: expect.stringContaining('WAYMARK_DATABASE_URL') })
    for (const address of ['postgres://ann:hunter2@127.0.0.1:1/none', 'mysql://ann:hunter2@db/x']) {
      const env = { WAYMARK_DATABASE_URL: address }
      for (const words of [
        ['admin', 'status'],
        ['admin', 'init', 'api'],
        ['serve', '--http', '0', '--database'],
      ]) {
        const { exit, out, err } = await command(tmpdir(), words, env)
        expect(exit, err).not.toBe(0)
        expect(`${out}${err}`).not.toMatch(/hunter2|ann\b|127\.0\.0\.1|none|@db/)
      }
    }
  })

  it('lists projects that were created before there was a list [admin-migrate]', async () => {
    await using database = await createDatabase()
    await database.admin('init', 'api')
    await database.query('DROP SCHEMA waymark_team CASCADE')
    expect(await database.admin('status')).toMatchObject({ is_prepared: false })
    const { projects } = await database.admin<Status>('migrate')
    expect(projects).toMatchObject([{ name: expect.stringMatching(/^project-[0-9a-f]{8}$/) }])
  })
})

describe('a server of a database', () => {
  it('serves each project under its name to callers of every replica [team-projects]', async () => {
    await using database = await createDatabase()
    await database.admin('init', 'api', 'web')
    await using first = await createTeamSite(database)
    await using second = await createTeamSite(database)
    const { status, body } = await first.call<Created>('/projects/api/api/task.create', {
      title: 'Write the parser',
    })
    expect(status).toBe(200)
    const read = await second.call('/projects/api/api/task.get', { id: body.task.id })
    expect(read.body).toMatchObject({ title: 'Write the parser' })
    const elsewhere = await second.call('/projects/web/api/task.get', { id: body.task.id })
    expect(elsewhere.status).toBe(404)
    expect((await first.call('/projects/none/api/task.list')).status).toBe(404)
    expect((await first.call('/api/task.list')).body).toMatchObject({
      error: { code: 'invalid_input', message: expect.stringContaining('/projects/<name>') },
    })
    await database.admin('init', 'late')
    expect((await first.call('/projects/late/api/task.list')).status).toBe(200)
    const listed = await first.call<{ projects: { name: string }[] }>(
      '/projects/api/api/project.list',
    )
    expect(listed.body.projects.map(({ name }) => name)).toEqual(['api', 'late', 'web'])
  })

  it('needs no working tree for knowledge, and says so where one is needed [team-no-tree]', async () => {
    await using database = await createDatabase()
    await database.admin('init', 'api')
    const artifacts = mkdtempSync(join(tmpdir(), 'waymark-test-'))
    await using site = await createTeamSite(database, { artifacts })
    const added = await site.call<{ hash: string }>('/api/artifact.add', {
      text: 'hello',
      name: 'x',
    })
    expect(added.status).toBe(200)
    expect(await (await site.ask(`/cas/${added.body.hash}`)).text()).toBe('hello')
    for (const { name, input } of await allOperations()) {
      if (name === 'event.wait') continue
      const needed = Object.entries(input.shape)
        .filter(([, schema]) => !schema.safeParse(undefined).success)
        .map(([field]) => [field, 'x'])
      const { body } = await site.call(`/api/${name}`, Object.fromEntries(needed))
      expect(body, name).not.toMatchObject({ error: { code: 'internal' } })
    }
    expect((await site.call('/api/project.status')).body).toMatchObject({ name: 'api' })
    await using bare = await createTeamSite(database)
    const refused = await bare.call('/api/artifact.add', { text: 'hello', name: 'x' })
    expect(refused.body).toMatchObject({
      error: { message: expect.stringContaining('--artifacts') },
    })
    rmSync(artifacts, { recursive: true })
  })

  it('says 503 and when to come back while the database is away [team-database-away]', async () => {
    const database = await createDatabase()
    await database.admin('init', 'api')
    const { token } = await database.admin<{ token: string }>(
      'token',
      'create',
      'ci',
      '--project',
      'api',
    )
    await using site = await createTeamSite(database)
    expect((await site.call('/api/task.list', {}, token)).status).toBe(200)
    await database[Symbol.asyncDispose]()
    for (const credential of [SECRET, token]) {
      const init = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }
      const response = await site.ask('/projects/api/api/task.list', init, credential)
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
      await response.text()
    }
    for (const path of ['/health', '/ready']) expect((await site.ask(path)).status).toBe(503)
  })

  it('drains before it stops: not ready, still answering, then gone [team-drain]', async () => {
    await using database = await createDatabase()
    await database.admin('init', 'api')
    const child = spawn(
      process.execPath,
      [WAYMARK, 'serve', '--http', '0', '--database', '--drain-seconds', '2', '--json'],
      {
        cwd: tmpdir(),
        env: { ...process.env, WAYMARK_DATABASE_URL: database.url, WAYMARK_HTTP_SECRET: SECRET },
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    )
    const ended = once(child, 'exit')
    const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
    const { port } = JSON.parse(line) as { port: number }
    const get = (path: string) =>
      fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${SECRET}` } })
    expect((await get('/ready')).status).toBe(200)
    child.kill('SIGTERM')
    await expect.poll(async () => (await get('/ready')).status).toBe(503)
    expect((await get('/health')).status).toBe(200)
    expect((await get('/api/task.list')).status).toBe(200)
    expect(await ended).toEqual([0, null])
  })
})
