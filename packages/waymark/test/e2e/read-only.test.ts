import { join, relative } from 'node:path'
import { expect, it } from 'vitest'
import { CODE, createWorld, hashFiles, UNCOPIED } from '../operations/reads/world.ts'
import { connectOfficial } from './official-client.ts'
import { connectLegacy, startHttp } from './http-server.ts'

it('a server started with --read-only answers its tools and changes no file [read-only-server-changes-nothing]', async () => {
  await using world = await createWorld()
  await using server = await connectOfficial(['serve', '--read-only'], { cwd: world.directory })
  const before = hashFiles(world)
  const why = await server.result('code_why', { path: CODE })
  expect(why.text).toContain(UNCOPIED)
  const found = await server.result('recall', { query: 'walls' })
  expect(found.text).toContain('Paint the walls')
  for (const name of ['brief', 'task_get', 'inbox', 'events']) {
    expect(await server.result(name), name).toMatchObject({ isError: false })
  }
  expect(hashFiles(world)).toEqual(before)
})

it('over HTTP it writes its secret, its sessions and its address, and nothing else [read-only-http]', async () => {
  await using world = await createWorld()
  const before = hashFiles(world)
  const state = join(world.directory, '.git', 'waymark')
  {
    await using server = await startHttp(world.directory, ['--http', '0', '--read-only'])
    const headers = { authorization: `Bearer ${server.secret}`, 'content-type': 'application/json' }
    const ask = async (path: string, body: object) =>
      (await server.ask(path, { method: 'POST', headers, body: JSON.stringify(body) })).status
    await using client = await connectLegacy(server.ready.url, { token: server.secret })
    await client.call('code_why', { path: CODE })
    expect(await ask('/api/search.query', { query: 'walls' })).toBe(200)
    expect(await ask('/api/code.why', { path: CODE })).toBe(200)
    expect(await ask('/api/brief.show', {})).toBe(200)
    expect(await ask('/api/task.create', { title: 'no' })).toBe(403)
    expect(await ask('/cas?name=no', {})).toBe(403)
  }
  const made = Object.entries(hashFiles(world)).filter(([path, hash]) => before[path] !== hash)
  const names = made.map(([path]) => relative(state, path).replace(/^(http-.*)-wal$/, '$1'))
  expect([...new Set(names)].toSorted()).toEqual([
    'http-secret',
    'http-sessions-waymark.db',
    'ui/server.json',
  ])
})
