import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startServer } from '../e2e/binary.ts'
import { createMachine, startReplica } from './joined-clone.ts'
import { createDatabase } from './team-site.ts'

type Created = { readonly token: string }

it('two clones that join a server share tasks and knowledge, each with local Git [team-join]', async () => {
  await using database = await createDatabase()
  await database.admin('init', 'api')
  // Clones of this test have a store of their own, in SQLite.
  const url = process.env['WAYMARK_DATABASE_URL']
  delete process.env['WAYMARK_DATABASE_URL']
  try {
    await using replica = await startReplica(database)
    await using ann = createMachine()
    await using bo = createMachine()
    const invite = async (name: string, ...words: readonly string[]) =>
      (await database.admin<Created>('token', 'create', name, '--project', 'api', ...words)).token
    const [token, invitation] = [await invite('ann'), await invite('bo', '--invitation')]
    const refused = await ann.run(['join', replica.url], { WAYMARK_TOKEN: 'wmt_wrong' })
    expect(refused.body).toMatchObject({ error: { code: 'unauthenticated' } })
    expect(
      (await ann.run(['join', 'http://example.com'], { WAYMARK_TOKEN: token })).body,
    ).toMatchObject({
      error: { code: 'invalid_input', message: expect.stringContaining('https') },
    })
    const joined = await ann.run(['join', replica.url], { WAYMARK_TOKEN: token })
    expect(joined.body).toMatchObject({ project: 'api', name: 'ann', role: 'agent' })
    await bo.run(['join', `${replica.url}/projects/api`], { WAYMARK_TOKEN: invitation })

    const { body: made } = await ann.run<{ task: { id: string } }>([
      'task',
      'create',
      'Write the parser',
    ])
    await ann.run(['add', 'note', 'Tabs are eight wide'])
    const claims = await Promise.all(
      [ann, bo].map((machine) => machine.run(['task', 'claim', made.task.id])),
    )
    expect(new Set(claims.map(({ exit }) => exit))).toEqual(new Set([0, 4]))
    const found = await bo.run(['search', 'query', 'tabs'])
    expect(found.out).toContain('Tabs are eight wide')
    expect((await bo.run(['status'])).body).toMatchObject({ project: 'api' })
    expect((await bo.run(['code', 'status'])).exit).toBe(0)
    expect((await bo.run(['backup', 'export', 'x.json'])).body).toMatchObject({
      error: { code: 'forbidden', details: { reason: 'joined' } },
    })

    // A host that starts `waymark serve` on pipes reaches the same project.
    await using host = await startServer(ann.directory, [], ann.env)
    const answer = await host.request('tools/call', {
      name: 'recall',
      arguments: { query: 'tabs' },
    })
    expect(JSON.stringify(answer.result)).toContain('Tabs are eight wide')

    const file = join(ann.home, '.config', 'waymark', 'joined.json')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(file, 'utf8')).toContain(token)
    for (const name of readdirSync(ann.directory, { recursive: true, encoding: 'utf8' })) {
      const path = join(ann.directory, name)
      if (statSync(path).isFile()) expect(readFileSync(path).includes(token), name).toBe(false)
    }

    await replica.stop()
    expect((await ann.run(['code', 'status'])).exit).toBe(0)
    await ann.run(['join', '--leave'])
    expect((await ann.run<{ tasks: unknown[] }>(['task', 'list'])).body.tasks).toEqual([])
  } finally {
    process.env['WAYMARK_DATABASE_URL'] = url
  }
})
