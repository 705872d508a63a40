import { connectInMemory, createServer } from '@waymark/baton'
import type { CallContext, Definitions, MemoryClient, Server, ServerOptions } from '@waymark/baton'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { MODERN_META } from '../support/sample-server.ts'

/** Defines one thing of every kind. */
function defineAll(definitions: Definitions): void {
  definitions
    .tool({
      name: 'double',
      inputSchema: z.object({ of: z.number() }),
      run: ({ of }) => ({ structuredContent: { double: of * 2 } }),
    })
    .resource({ uri: 'app://readme', name: 'Readme', read: () => ({ text: 'read me' }) })
    .resourceTemplate({
      uriTemplate: 'app://notes/{id}',
      name: 'Note',
      read: (_uri, { id }) => ({ text: `note ${id}` }),
    })
    .prompt({ name: 'greet', render: () => ({ messages: [] }) })
    .completion(() => ({ values: ['one'] }))
}

const ALL = ['tools', 'resources', 'prompts', 'completions'] as const

function create(options: Partial<ServerOptions> = {}): Server {
  return createServer({ name: 'app', version: '1', ...options })
}

/** A server whose definitions are loaded, with the number of times that they were. */
function createLazy() {
  const loads = { count: 0 }
  const server = create().lazy(ALL, async (definitions) => {
    loads.count++
    await Promise.resolve()
    defineAll(definitions)
  })
  return { loads, client: connectInMemory(server) }
}

async function namesOfTools(client: MemoryClient): Promise<unknown> {
  const { result } = await client.request('tools/list')
  return (result as { tools: { name: string }[] }).tools.map(({ name }) => name)
}

describe('definitions that are loaded', () => {
  test('are advertised in both eras before anything is loaded', async () => {
    const { loads, client } = createLazy()
    const capabilities = { tools: {}, resources: {}, prompts: {}, completions: {} }
    const { result: legacy } = await client.request('initialize', { protocolVersion: '2025-11-25' })
    const { result: modern } = await client.request('server/discover', { _meta: MODERN_META })
    expect(legacy).toMatchObject({ capabilities })
    expect(modern).toMatchObject({ capabilities })
    expect(loads.count).toBe(0)
  })

  const reference = { type: 'ref/prompt', name: 'greet' }
  test.each([
    ['tools/list', {}, { tools: [{ name: 'double' }] }],
    ['tools/call', { name: 'double', arguments: { of: 4 } }, { structuredContent: { double: 8 } }],
    ['resources/list', {}, { resources: [{ uri: 'app://readme' }] }],
    ['resources/templates/list', {}, { resourceTemplates: [{ name: 'Note' }] }],
    ['resources/read', { uri: 'app://readme' }, { contents: [{ text: 'read me' }] }],
    ['resources/read', { uri: 'app://notes/7' }, { contents: [{ text: 'note 7' }] }],
    ['prompts/list', {}, { prompts: [{ name: 'greet' }] }],
    ['prompts/get', { name: 'greet' }, { messages: [] }],
    [
      'completion/complete',
      { ref: reference, argument: { name: 'who', value: '' } },
      { completion: { values: ['one'] } },
    ],
  ])('are loaded for a first %s %j', async (method, params, expected) => {
    const { loads, client } = createLazy()
    expect((await client.request(method, params))['result']).toMatchObject(expected)
    expect((await client.request(method, params))['result']).toMatchObject(expected)
    expect(loads.count).toBe(1)
  })

  test('are loaded once for requests that come at the same time', async () => {
    const { loads, client } = createLazy()
    const answers = await Promise.all([
      ...Array.from({ length: 50 }, () =>
        client.request('tools/call', { name: 'double', arguments: { of: 1 } }),
      ),
      client.request('tools/list'),
      client.request('prompts/list'),
    ])
    expect(answers.filter((answer) => 'error' in answer)).toEqual([])
    expect(loads.count).toBe(1)
  })

  test('keep the checks of their schemas', async () => {
    const { client } = createLazy()
    const { result } = await client.request('tools/call', {
      name: 'double',
      arguments: { of: '4' },
    })
    expect(result).toMatchObject({ isError: true })
  })

  test('are loaded only for their own features', async () => {
    const loaded: string[] = []
    const server = create()
      .tool({ name: 'here', run: () => ({}) })
      .lazy(['prompts'], (definitions) => {
        loaded.push('prompts')
        definitions.prompt({ name: 'greet', render: () => ({ messages: [] }) })
      })
      .lazy(['tools'], (definitions) => {
        loaded.push('tools')
        definitions.tool({ name: 'there', run: () => ({}) })
      })
    const client = connectInMemory(server)
    await client.request('tools/call', { name: 'here' })
    await client.request('resources/read', { uri: 'app://readme' })
    expect(loaded).toEqual([])
    expect(await namesOfTools(client)).toEqual(['here', 'there'])
    expect(loaded).toEqual(['tools'])
  })

  test('are listed in the order of their registration', async () => {
    const tool = (name: string) => ({ name, run: () => ({}) })
    const slow = new Promise((resolve) => {
      setTimeout(resolve, 20)
    })
    const server = create()
      .lazy(['tools'], async (definitions) => {
        await slow
        definitions.tool(tool('first'))
      })
      .lazy(['tools'], (definitions) => void definitions.tool(tool('second')))
    expect(await namesOfTools(connectInMemory(server))).toEqual(['first', 'second'])
  })

  test('may be none', async () => {
    const client = connectInMemory(create().lazy(ALL, () => {}))
    expect((await client.request('tools/list'))['result']).toEqual({ tools: [] })
    expect((await client.request('resources/list'))['result']).toEqual({ resources: [] })
    const params = { ref: reference, argument: { name: 'who', value: '' } }
    const { result } = await client.request('completion/complete', params)
    expect(result).toMatchObject({ completion: { values: [] } })
  })

  test('that are unknown are so after loading too', async () => {
    const { client } = createLazy()
    const tool = await client.request('tools/call', { name: 'triple' })
    expect(tool['error']).toEqual({ code: -32602, message: 'unknown tool: triple' })
    const prompt = await client.request('prompts/get', { name: 'part' })
    expect(prompt['error']).toEqual({ code: -32602, message: 'unknown prompt: part' })
  })

  test('are announced to connected clients', async () => {
    const server = create().tool({ name: 'here', run: () => ({}) })
    const client = connectInMemory(server)
    await client.request('initialize', { protocolVersion: '2025-11-25' })
    client.notify('notifications/initialized')
    server.lazy(['tools'], defineAll)
    await client.next(({ method }) => method === 'notifications/tools/list_changed')
  })

  test('cannot be added to a server with a handler', () => {
    expect(() => create({ handler: {} }).lazy(['tools'], defineAll)).toThrow('handler')
  })
})

describe('a loader that fails', () => {
  /** A server whose loader fails as often as said. */
  function createFailing(failures: number) {
    const errors: [unknown, CallContext][] = []
    let left = failures
    const server = create({ onError: (error, context) => errors.push([error, context]) }).lazy(
      ['tools'],
      async (definitions) => {
        await Promise.resolve()
        definitions.tool({ name: 'look', run: () => ({}) })
        if (left-- > 0) throw new Error('cannot find /secret/path')
      },
    )
    return { errors, client: connectInMemory(server) }
  }

  test('is an error without its cause, which the application gets', async () => {
    const { errors, client } = createFailing(2)
    const expected = {
      code: -32603,
      message: 'tools could not be loaded; the next request tries again',
    }
    expect((await client.request('tools/list'))['error']).toEqual(expected)
    expect((await client.request('tools/call', { name: 'look' }))['error']).toEqual(expected)
    expect(errors).toMatchObject([
      [new Error('cannot find /secret/path'), { method: 'tools/list' }],
      [new Error('cannot find /secret/path'), { method: 'tools/call' }],
    ])
  })

  test('is retried, without leftovers of its failures', async () => {
    const { client } = createFailing(2)
    for (let times = 0; times < 2; times++) {
      expect(await client.request('tools/list')).toHaveProperty('error')
    }
    expect(await namesOfTools(client)).toEqual(['look'])
  })

  test('fails for all requests that wait for it', async () => {
    const { client } = createFailing(1)
    const answers = await Promise.all([1, 2, 3].map(() => client.request('tools/list')))
    expect(answers.filter((answer) => 'error' in answer)).toHaveLength(3)
    expect(await namesOfTools(client)).toEqual(['look'])
  })

  test('does not block other requests', async () => {
    const { client } = createFailing(Number.POSITIVE_INFINITY)
    await client.request('tools/list')
    expect(await client.request('ping')).toHaveProperty('result')
  })

  test('keeps the earlier definitions', async () => {
    const server = create()
      .tool({ name: 'here', run: () => ({ content: [] }) })
      .lazy(['tools'], () => {
        throw new Error('no')
      })
    const client = connectInMemory(server)
    await client.request('tools/list')
    expect((await client.request('tools/call', { name: 'here' }))['result']).toEqual({
      content: [],
    })
  })

  test.each<[string, (definitions: Definitions) => void]>([
    ['tool here is defined twice', (to) => void to.tool({ name: 'here', run: () => ({}) })],
    [
      'a lazy loader of tools defined prompts',
      (to) => void to.prompt({ name: 'p', render: () => ({ messages: [] }) }),
    ],
    [
      'set the server option `tasks`',
      (to) => void to.tool({ name: 't', task: 'optional', run: () => ({}) }),
    ],
  ])('because %s says so', async (message, define) => {
    const errors: unknown[] = []
    const server = create({ onError: (error) => errors.push(error) })
      .tool({ name: 'here', run: () => ({}) })
      .lazy(['tools'], (definitions) => {
        definitions.tool({ name: 'good', run: () => ({}) })
        define(definitions)
      })
    const client = connectInMemory(server)
    expect(await client.request('tools/list')).toHaveProperty('error')
    expect(await client.request('tools/call', { name: 'good' })).toHaveProperty('error')
    expect(String(errors[0])).toContain(message)
  })

  test('gets an error if it adds a definition after it has returned', async () => {
    let late: Definitions | undefined
    const server = create().lazy(['tools'], (definitions) => {
      late = definitions
    })
    await connectInMemory(server).request('tools/list')
    expect(() => late?.tool({ name: 'late', run: () => ({}) })).toThrow('after it had returned')
  })
})

test('a loaded tool may become a task if the server has tasks', async () => {
  const server = create({ tasks: {} }).lazy(['tools'], (definitions) => {
    definitions.tool({ name: 'long', task: 'optional', run: () => ({ content: [] }) })
  })
  const client = connectInMemory(server)
  const key = 'io.modelcontextprotocol/clientCapabilities'
  const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
  const params = { name: 'long', _meta: { ...MODERN_META, [key]: capabilities } }
  expect((await client.request('tools/call', params))['result']).toMatchObject({
    resultType: 'task',
  })
})

test('the types say what a loader must do', () => {
  const server = create()
  const load = (): Promise<{ defineAll: typeof defineAll }> => Promise.resolve({ defineAll })
  server.lazy(['tools'], async (definitions) => (await load()).defineAll(definitions))
  // @ts-expect-error a loader that only imports has defined nothing
  server.lazy(['tools'], load)
  // @ts-expect-error there is no such feature
  server.lazy(['logging'], defineAll)
  server.lazy(['tools'], (definitions) => {
    const inputSchema = z.object({ text: z.string() })
    // @ts-expect-error what a tool gets is what its schema says
    definitions.tool({ name: 'x', inputSchema, run: ({ word }) => ({ structuredContent: word }) })
  })
  // The same function serves a server that is defined at once.
  defineAll(server)
})
