import { expect, it } from 'vitest'
import { CODE, createWorld, hashFiles, UNCOPIED } from '../operations/reads/world.ts'
import { connectOfficial } from './official-client.ts'

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
