import { connectInMemory, createServer } from '@waymark/baton'
import { expect, test } from 'vitest'

test('a server announces what it was built with and keeps to its limits [configuration-server-announces]', async () => {
  const inputSchema = { type: 'object' } as const
  const server = createServer({
    name: 'app',
    version: '2.1',
    title: 'An application',
    instructions: 'Call first before second.',
    limits: { pageSize: 1 },
  })
    .tool({ name: 'first', inputSchema, run: () => ({}) })
    .tool({ name: 'second', inputSchema, run: () => ({}) })
    .prompt({ name: 'greet', render: () => ({ messages: [] }) })
  const client = connectInMemory(server)
  const { result: hello } = await client.request('initialize', { protocolVersion: '2025-11-25' })
  expect(hello).toMatchObject({
    serverInfo: { name: 'app', version: '2.1', title: 'An application' },
    instructions: 'Call first before second.',
    capabilities: { tools: {}, prompts: {} },
  })
  expect(hello).not.toHaveProperty('capabilities.resources')
  const { result: page } = await client.request('tools/list')
  expect(page).toMatchObject({ tools: [{ name: 'first' }], nextCursor: expect.any(String) })
  expect((page as { tools: unknown[] }).tools).toHaveLength(1)
})
