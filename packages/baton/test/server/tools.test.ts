import { connectInMemory, createServer } from '@waymark/baton'
import type { CallToolResult, Server } from '@waymark/baton'
import { expect, test } from 'vitest'
import { z } from 'zod'

function create(): Server {
  return createServer({ name: 'tools', version: '1' })
}

async function call(server: Server, name: string, args: object = {}): Promise<CallToolResult> {
  const client = connectInMemory(server)
  return (await client.request('tools/call', { name, arguments: args }))['result'] as CallToolResult
}

test('a tool is listed without its run function', async () => {
  const server = create().tool({
    name: 'search',
    title: 'Search',
    description: 'Finds things',
    inputSchema: z.object({ query: z.string().describe('What to find') }),
    outputSchema: { type: 'object', properties: { hits: { type: 'number' } } },
    annotations: { readOnlyHint: true },
    icons: [{ src: 'https://example.org/icon.png' }],
    _meta: { ui: { resourceUri: 'ui://search' } },
    run: () => ({ structuredContent: { hits: 0 } }),
  })
  const { result } = await connectInMemory(server).request('tools/list')
  expect(result).toEqual({
    tools: [
      {
        name: 'search',
        title: 'Search',
        description: 'Finds things',
        inputSchema: {
          type: 'object',
          properties: { query: { type: 'string', description: 'What to find' } },
          required: ['query'],
        },
        outputSchema: { type: 'object', properties: { hits: { type: 'number' } } },
        annotations: { readOnlyHint: true },
        icons: [{ src: 'https://example.org/icon.png' }],
        _meta: { ui: { resourceUri: 'ui://search' } },
      },
    ],
  })
})

test('a Standard Schema fills in defaults and gives the handler its types', async () => {
  const server = create().tool({
    name: 'repeat',
    inputSchema: z.object({ text: z.string(), times: z.number().default(2) }),
    run: ({ text, times }) => ({ content: [{ type: 'text', text: text.repeat(times) }] }),
  })
  expect(await call(server, 'repeat', { text: 'ab' })).toMatchObject({
    content: [{ text: 'abab' }],
  })
})

test('invalid arguments are a result that names each field', async () => {
  const run = (): CallToolResult => ({ content: [] })
  const server = create()
    .tool({ name: 'zod', inputSchema: z.object({ a: z.object({ b: z.number() }) }), run })
    .tool({
      name: 'plain',
      inputSchema: { type: 'object', properties: { a: { type: 'number' } }, required: ['a', 'b'] },
      run,
    })
    .tool({ name: 'none', run })
  const zod = await call(server, 'zod', { a: { b: 'x' } })
  expect(zod).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/^invalid arguments for zod: a\.b: /) as string }],
  })
  expect(await call(server, 'plain', { a: 'x' })).toEqual({
    isError: true,
    content: [
      { type: 'text', text: 'invalid arguments for plain: b: is required; a: must be number' },
    ],
  })
  expect(await call(server, 'none', { a: 1 })).toEqual({
    isError: true,
    content: [{ type: 'text', text: 'invalid arguments for none: a: is not allowed' }],
  })
})

test('a result that violates its output schema is not sent to the client', async () => {
  const server = create().tool({
    name: 'count',
    outputSchema: z.object({ count: z.number() }),
    // @ts-expect-error the type of structuredContent follows from the schema
    run: () => ({ structuredContent: { count: 'many' } }),
  })
  const client = connectInMemory(server)
  const { error } = await client.request('tools/call', { name: 'count' })
  expect(error).toMatchObject({
    code: -32603,
    message: 'tool count returned a result that violates its output schema',
  })
})

test('an error result need not match the output schema', async () => {
  const server = create().tool({
    name: 'count',
    outputSchema: z.object({ count: z.number() }),
    run: () => ({ isError: true, content: [{ type: 'text', text: 'nothing to count' }] }),
  })
  expect(await call(server, 'count')).toMatchObject({ isError: true })
})

test('the type of structured content follows from the output schema', async () => {
  const outputSchema = z.object({ tags: z.array(z.string()), total: z.number().default(0) })
  const tags: readonly string[] = ['a']
  const server = create()
    .tool({ name: 'whole', outputSchema, run: () => ({ structuredContent: { tags, total: 1 } }) })
    // Defaults of the schema are optional.
    .tool({ name: 'less', outputSchema, run: async () => ({ structuredContent: { tags } }) })
    .tool({ name: 'plain', outputSchema: {}, run: () => ({ structuredContent: [1] }) })
    .tool({ name: 'text', run: () => ({ content: [{ type: 'text', text: 'ok' }] }) })
  // @ts-expect-error a tool with an output schema returns structured content or an error
  server.tool({ name: 'no_content', outputSchema, run: () => ({ content: [] }) })
  // @ts-expect-error a member of another type
  server.tool({ name: 'wrong', outputSchema, run: () => ({ structuredContent: { tags: 1 } }) })
  expect(await call(server, 'whole')).toMatchObject({ structuredContent: { tags, total: 1 } })
  expect(await call(server, 'less')).toMatchObject({ structuredContent: { tags } })
})

test('a schema may be asynchronous', async () => {
  const server = create().tool({
    name: 'slow',
    inputSchema: z.object({
      a: z.string().refine((text) => Promise.resolve(text === 'ok'), 'bad'),
    }),
    run: ({ a }) => ({ content: [{ type: 'text', text: a }] }),
  })
  expect(await call(server, 'slow', { a: 'ok' })).toMatchObject({ content: [{ text: 'ok' }] })
  expect(await call(server, 'slow', { a: 'no' })).toMatchObject({ isError: true })
})

test('structured content of any type is also sent as text', async () => {
  for (const value of [{ a: 'quote " and \u2028' }, [1, 'two'], 'text', 0, null, false]) {
    const server = create().tool({
      name: 'show',
      run: () => ({ structuredContent: value, _meta: { kept: true } }),
    })
    expect(await call(server, 'show')).toEqual({
      content: [{ type: 'text', text: JSON.stringify(value) }],
      structuredContent: value,
      _meta: { kept: true },
    })
  }
})

test('a tool without content has an empty list', async () => {
  const server = create().tool({ name: 'mute', run: () => ({}) })
  expect(await call(server, 'mute')).toEqual({ content: [] })
})

test('a tool that is added later is announced and listed', async () => {
  const server = create().tool({ name: 'first', run: () => ({}) })
  const client = connectInMemory(server)
  await client.request('initialize', { protocolVersion: '2025-11-25' })
  client.notify('notifications/initialized')
  await client.request('tools/list')
  server.tool({ name: 'second', run: () => ({}) })
  await client.next(({ method }) => method === 'notifications/tools/list_changed')
  const { result } = await client.request('tools/list')
  expect(result).toMatchObject({ tools: [{ name: 'first' }, { name: 'second' }] })
})

test.each([
  { a: { type: 'string', 'x-mcp-header': 'no spaces' } },
  { a: { type: 'number', 'x-mcp-header': 'Amount' } },
  {
    a: { type: 'string', 'x-mcp-header': 'Region' },
    b: { type: 'string', 'x-mcp-header': 'region' },
  },
])('arguments %j cannot be sent in headers', (properties) => {
  const inputSchema = { type: 'object', properties }
  expect(() => create().tool({ name: 'x', inputSchema, run: () => ({}) })).toThrow('x-mcp-header')
})
