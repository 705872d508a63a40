import { connectInMemory } from '@waymark/baton'
import { expect, it } from 'vitest'
import { loadConfig } from '../../src/core/project/config.ts'
import type { Dialect } from '../../src/dialects/dialect.ts'
import { WAYMARK } from '../../src/dialects/waymark/dialect.ts'
import { SILENT } from '../../src/support/logger.ts'
import { createMcpServer } from '../../src/surfaces/mcp/mcp.ts'
import { setup } from '../setup.ts'

async function serve(hostEnv?: Record<string, string>) {
  const project = await setup()
  const called: string[] = []
  const dialect: Dialect = {
    ...WAYMARK,
    async loadTools() {
      const tools = await WAYMARK.loadTools()
      return tools.map((tool) => ({
        ...tool,
        toCall(args) {
          const call = tool.toCall(args)
          const toAnswer: typeof call.toAnswer = (output) => {
            called.push(tool.listed.name)
            return call.toAnswer(output)
          }
          return { ...call, toAnswer }
        },
      }))
    },
  }
  const server = createMcpServer({
    dialects: [dialect],
    store: project.context.store,
    config: loadConfig(undefined, {}),
    logger: SILENT,
    ...(hostEnv !== undefined && { hostEnv }),
  })
  const client = connectInMemory(server)
  await client.request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'agent', version: '1' },
  })
  return { project, client, called }
}

it('a host that lists the tools finds the first calls prepared, and nothing written [prefetch-first-calls]', async () => {
  const { project, client, called } = await serve({})
  await using _ = project
  const before = await project.context.store.events.latest()
  await client.request('tools/list', {})
  await expect.poll(() => called).toContain('recall')
  expect(called[0]).toBe('brief')
  expect(await project.context.store.events.latest()).toBe(before)
  expect(await project.context.store.agents.byName('agent')).toEqual([])
  const answer = await client.request('tools/call', { name: 'brief', arguments: {} })
  expect(answer).toMatchObject({ result: { structuredContent: { ready_total: 0 } } })
  client.close()
})

it('a call that comes first is answered alone [prefetch-yields]', async () => {
  const { project, client, called } = await serve({})
  await using _ = project
  await client.request('tools/list', {})
  await client.request('tools/call', { name: 'recall', arguments: { query: 'tea' } })
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(called).toEqual(['recall'])
  client.close()
})

it('a server of many clients prepares nothing for one that lists its tools [prefetch-many-clients]', async () => {
  const { project, client, called } = await serve()
  await using _ = project
  await client.request('tools/list', {})
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(called).toEqual([])
  client.close()
})
