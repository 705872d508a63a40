import { createServer, createTestClient } from '@waymark/baton'
import { expect, it } from 'vitest'
import { createEmbeddedGenerator } from '../src/generator/embedded.ts'
import { openStudio } from '../src/studio.ts'
import { addGraphResources } from '../src/resources/graph-resources.ts'
import { addGraphTools } from '../src/tools/graph-tools.ts'
import { createFolder } from './support.ts'

it('tools and resources are tested without a transport', async () => {
  await using folder = await createFolder()
  await using studio = await openStudio({
    stateFolder: folder.path,
    generator: createEmbeddedGenerator(),
  })
  const server = createServer({ name: 'studio', version: '1.0.0' })
  addGraphTools(server, studio)
  addGraphResources(server, studio)
  const client = createTestClient(server)
  await client.callTool('graph_bind', { id: 'jd', name: 'JD-Xi' })
  const tag = { identity_id: 'jd', namespace: 'role', value: 'synth' }
  expect(await client.callTool('graph_tag', tag)).toMatchObject({
    structuredContent: { tags: ['role:synth'] },
  })
  const { contents } = await client.readResource('graph://identity/jd')
  expect(contents).toMatchObject([{ uri: 'graph://identity/jd' }])
})
