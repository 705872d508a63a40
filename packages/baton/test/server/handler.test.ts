import { connectInMemory, createServer, ProtocolError, resourceNotFound } from '@waymark/baton'
import type { CallContext, Prompt, ServerHandler, Tool } from '@waymark/baton'
import { expect, test } from 'vitest'
import { MODERN_META } from '../support/sample-server.ts'

const TOOLS: readonly Tool[] = [{ name: 'look', inputSchema: { type: 'object' } }]
const PROMPTS: readonly Prompt[] = [{ name: 'greet', arguments: [{ name: 'who' }] }]

function connect(handler: ServerHandler) {
  return connectInMemory(createServer({ name: 'app', version: '1', handler }))
}

test('a handler advertises the features of its methods [handler-advertises-features]', async () => {
  const client = connect({ listPrompts: () => PROMPTS, getPrompt: () => ({ messages: [] }) })
  const { result } = await client.request('server/discover', { _meta: MODERN_META })
  expect(result).toMatchObject({ capabilities: { prompts: { listChanged: true }, logging: {} } })
  expect(result).not.toHaveProperty('capabilities.tools')
})

test('a tool gets its name, its arguments and a context [handler-tool-gets]', async () => {
  let seen: CallContext | undefined
  const client = connect({
    listTools: () => TOOLS,
    callTool(name, args, context) {
      seen = context
      return { structuredContent: { name, args } }
    },
  })
  const params = { name: 'look', arguments: { at: 'it' }, _meta: { ...MODERN_META, extra: 1 } }
  const { result } = await client.request('tools/call', params)
  expect(result).toMatchObject({ structuredContent: { name: 'look', args: { at: 'it' } } })
  expect(seen).toMatchObject({ era: 'modern', protocolVersion: '2026-07-28', meta: { extra: 1 } })
  expect(seen?.client).toEqual({ name: 'test', version: '0' })
})

test('a handler limits its time, and is told to stop with its own error', async () => {
  const reasons: unknown[] = []
  const client = connect({
    listTools: () => TOOLS,
    async callTool(_name, _args, { signal, limit }) {
      {
        using _ = limit(0, () => new Error('too early'))
      }
      using _ = limit(1, () => new Error('the time is over'))
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      reasons.push(signal.reason)
      return {}
    },
  })
  await client.request('tools/call', { name: 'look', arguments: {} })
  expect(reasons).toEqual([new Error('the time is over')])
})

test('a list that is the same array is serialised once', async () => {
  let serialised = 0
  const tool = { name: 'look', inputSchema: { toJSON: () => ({ times: ++serialised }) } }
  const tools: readonly Tool[] = [tool]
  const client = connect({ listTools: () => tools, callTool: () => ({}) })
  await client.request('tools/list')
  await client.request('tools/list')
  expect(serialised).toBe(1)
})

test('a missing resource has the error code of the era', async () => {
  const client = connect({
    readResource(uri) {
      throw resourceNotFound(uri)
    },
  })
  const legacy = await client.request('resources/read', { uri: 'a://b' })
  const modern = await client.request('resources/read', { uri: 'a://b', _meta: MODERN_META })
  expect(legacy['error']).toMatchObject({ code: -32002, data: { uri: 'a://b' } })
  expect(modern['error']).toMatchObject({ code: -32602, data: { uri: 'a://b' } })
})

test('a protocol error reaches the client as it was thrown', async () => {
  const client = connect({
    callTool() {
      throw new ProtocolError(-32042, 'no', { why: 'because' })
    },
  })
  const { error } = await client.request('tools/call', { name: 'x' })
  expect(error).toEqual({ code: -32042, message: 'no', data: { why: 'because' } })
})

test('any other error outside a tool is not shown to the client', async () => {
  const errors: unknown[] = []
  const server = createServer({
    name: 'app',
    version: '1',
    handler: {
      readResource() {
        throw new Error('password is hunter2')
      },
    },
    onError: (error) => errors.push(error),
  })
  const { error } = await connectInMemory(server).request('resources/read', { uri: 'a://b' })
  expect(error).toEqual({ code: -32603, message: 'internal error' })
  expect(errors).toEqual([new Error('password is hunter2')])
})

test('a result that cannot be serialised is an internal error', async () => {
  const client = connect({ callTool: () => ({ structuredContent: 1n }) })
  expect((await client.request('tools/call', { name: 'x' }))['error']).toMatchObject({
    code: -32603,
  })
})

test('pages follow the items, not their positions', async () => {
  let names = ['a', 'b', 'c', 'd', 'e']
  const server = createServer({
    name: 'app',
    version: '1',
    limits: { pageSize: 2 },
    handler: {
      listTools: () => names.map((name) => ({ name, inputSchema: { type: 'object' } })),
      callTool: () => ({}),
    },
  })
  const client = connectInMemory(server)
  const first = (await client.request('tools/list'))['result'] as { nextCursor: string }
  expect(first).toMatchObject({ tools: [{ name: 'a' }, { name: 'b' }] })
  names = ['b', 'c', 'd', 'e']
  const next = await client.request('tools/list', { cursor: first.nextCursor })
  expect(next['result']).toMatchObject({ tools: [{ name: 'c' }, { name: 'd' }] })
  const wrong = await client.request('tools/list', { cursor: 'nonsense' })
  expect(wrong['error']).toMatchObject({ code: -32602 })
})

test('strict versions make an unknown one an error that lists them', async () => {
  const server = createServer({ name: 'app', version: '1', strictVersions: ['2025-06-18'] })
  const client = connectInMemory(server)
  const refused = await client.request('initialize', { protocolVersion: '2025-11-25' })
  expect(refused['error']).toEqual({
    code: -32602,
    message: 'protocol version is not supported',
    data: { supported: ['2025-06-18'], requested: '2025-11-25' },
  })
  const accepted = await client.request('initialize', { protocolVersion: '2025-06-18' })
  expect(accepted['result']).toMatchObject({ protocolVersion: '2025-06-18' })
})

test('one empty array may be returned for several lists', async () => {
  const none: readonly never[] = []
  const client = connect({
    listTools: () => none,
    callTool: () => ({}),
    listResources: () => none,
    listResourceTemplates: () => none,
  })
  for (const [method, member] of [
    ['tools/list', 'tools'],
    ['resources/list', 'resources'],
    ['resources/templates/list', 'resourceTemplates'],
  ] as const) {
    expect((await client.request(method))['result']).toEqual({ [member]: [] })
  }
})

test('a handler without a list method has an empty list', async () => {
  const client = connect({ callTool: () => ({}), readResource: () => ({ contents: [] }) })
  expect((await client.request('tools/list'))['result']).toEqual({ tools: [] })
  expect((await client.request('resources/list'))['result']).toEqual({ resources: [] })
  const templates = await client.request('resources/templates/list')
  expect(templates['result']).toEqual({ resourceTemplates: [] })
  expect((await client.request('prompts/list'))['error']).toMatchObject({ code: -32601 })
})
