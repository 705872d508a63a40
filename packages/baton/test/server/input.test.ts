import { connectInMemory, createServer } from '@waymark/baton'
import type { JsonObject, MemoryClient, Server } from '@waymark/baton'
import { expect, test, vi } from 'vitest'
import { MODERN_META } from '../support/sample-server.ts'

const CAPABILITIES = { elicitation: { url: {} }, sampling: {}, roots: {} }
const META = { ...MODERN_META, 'io.modelcontextprotocol/clientCapabilities': CAPABILITIES }
const NAME_FORM = {
  message: 'What is your name?',
  requestedSchema: {
    type: 'object',
    properties: { name: { type: 'string' } },
    required: ['name'],
  },
} as const

const ALICE = { action: 'accept', content: { name: 'Alice' } }

function createAsking(counts = { drafts: 0, runs: 0 }): Server {
  return createServer({ name: 'asking', version: '1' })
    .tool({
      name: 'greet',
      async run(_input, { elicit }) {
        const answer = await elicit(NAME_FORM, 'user_name')
        const text =
          answer.action === 'accept' ? `Hello ${String(answer.content?.['name'])}` : 'Bye'
        return { content: [{ type: 'text', text }] }
      },
    })
    .tool({
      name: 'publish',
      async run(_input, { elicit, once }) {
        counts.runs++
        const draft = await once('draft', () => `draft ${++counts.drafts}`)
        const title = await elicit(NAME_FORM, 'title')
        const subtitle = await elicit(NAME_FORM, 'subtitle')
        return {
          structuredContent: [draft, title.content?.['name'], subtitle.content?.['name']],
        }
      },
    })
    .tool({
      name: 'survey',
      async run(_input, { requestInput }) {
        const { who, what, where } = await requestInput({
          who: { method: 'elicitation/create', params: NAME_FORM },
          what: {
            method: 'sampling/createMessage',
            params: {
              messages: [{ role: 'user', content: { type: 'text', text: 'Capital?' } }],
              maxTokens: 10,
            },
          },
          where: { method: 'roots/list' },
        })
        return { structuredContent: [who.content, what.model, where.roots] }
      },
    })
    .tool({
      name: 'numbered',
      async run(_input, { elicit, sample, listRoots }) {
        await elicit(NAME_FORM)
        await elicit({ mode: 'url', message: 'Sign in', url: 'https://example.org' })
        await sample({ messages: [], maxTokens: 1 })
        return { structuredContent: await listRoots() }
      },
    })
    .prompt({
      name: 'ask',
      async render(_args, { elicit }) {
        const { action } = await elicit(NAME_FORM, 'context')
        return { messages: [{ role: 'user', content: { type: 'text', text: action } }] }
      },
    })
    .resource({
      uri: 'a://b',
      name: 'b',
      read: async (_uri, { elicit }) => ({ text: (await elicit(NAME_FORM, 'why')).action }),
    })
}

interface Round {
  resultType: string
  inputRequests: Record<string, { method: string }>
  requestState?: string
  structuredContent?: unknown
}

async function call(client: MemoryClient, name: string, extra: object = {}): Promise<Round> {
  const response = await client.request('tools/call', { name, _meta: META, ...extra })
  expect(response['error']).toBeUndefined()
  return response['result'] as Round
}

async function initialize(client: MemoryClient): Promise<void> {
  await client.request('initialize', { protocolVersion: '2025-11-25', capabilities: CAPABILITIES })
}

/** Answers the server's next request the way a legacy client would. */
async function respond(client: MemoryClient, method: string, result: object): Promise<JsonObject> {
  const answered = new Set(sentIds)
  const request = await client.next(
    (message) => message['method'] === method && !answered.has(message['id']),
  )
  sentIds.add(request['id'])
  client.send({ jsonrpc: '2.0', id: request['id'], result })
  return request
}
const sentIds = new Set<unknown>()

test('a modern client gets the question as its result and retries with the answer', async () => {
  const client = connectInMemory(createAsking())
  const first = await call(client, 'greet')
  expect(first).toMatchObject({
    resultType: 'input_required',
    inputRequests: { user_name: { method: 'elicitation/create', params: NAME_FORM } },
  })
  expect(first).not.toHaveProperty('requestState')
  const second = await call(client, 'greet', { inputResponses: { user_name: ALICE, other: {} } })
  expect(second).toMatchObject({ resultType: 'complete', content: [{ text: 'Hello Alice' }] })
})

test('a legacy client gets the same question as a request', async () => {
  const client = connectInMemory(createAsking())
  await initialize(client)
  const answer = client.request('tools/call', { name: 'greet' })
  const request = await respond(client, 'elicitation/create', ALICE)
  expect(request['params']).toEqual(NAME_FORM)
  expect((await answer)['result']).toEqual({ content: [{ type: 'text', text: 'Hello Alice' }] })
})

test('responses and values of earlier rounds are in the signed state', async () => {
  const counts = { drafts: 0, runs: 0 }
  const client = connectInMemory(createAsking(counts))
  const first = await call(client, 'publish')
  const second = await call(client, 'publish', {
    inputResponses: { title: { action: 'accept', content: { name: 'T' } } },
    requestState: first.requestState,
  })
  expect(Object.keys(second.inputRequests)).toEqual(['subtitle'])
  const third = await call(client, 'publish', {
    inputResponses: { subtitle: { action: 'accept', content: { name: 'S' } } },
    requestState: second.requestState,
  })
  expect(third.structuredContent).toEqual(['draft 1', 'T', 'S'])
  expect(counts).toEqual({ drafts: 1, runs: 3 })
})

test('several questions are sent together, and unanswered ones are sent again', async () => {
  const client = connectInMemory(createAsking())
  const first = await call(client, 'survey')
  expect(Object.keys(first.inputRequests)).toEqual(['who', 'what', 'where'])
  const sampled = { role: 'assistant', content: { type: 'text', text: 'Paris' }, model: 'm' }
  const second = await call(client, 'survey', { inputResponses: { who: ALICE, what: sampled } })
  expect(Object.keys(second.inputRequests)).toEqual(['where'])
  const third = await call(client, 'survey', {
    inputResponses: { where: { roots: [{ uri: 'file:///r' }] } },
    requestState: second.requestState,
  })
  expect(third.structuredContent).toEqual([{ name: 'Alice' }, 'm', [{ uri: 'file:///r' }]])
})

test('questions without a key are numbered by kind', async () => {
  const client = connectInMemory(createAsking())
  const inputResponses = {
    'elicitation/create#1': ALICE,
    'elicitation/create#2': { action: 'accept' },
    'sampling/createMessage#1': { role: 'assistant', content: {}, model: 'm' },
  }
  const round = await call(client, 'numbered', { inputResponses })
  expect(round.inputRequests).toEqual({ 'roots/list#1': { method: 'roots/list' } })
})

test('prompts and resources can ask too', async () => {
  const client = connectInMemory(createAsking())
  const prompt = { name: 'ask', _meta: META }
  const asked = await client.request('prompts/get', prompt)
  expect(asked['result']).toMatchObject({ resultType: 'input_required' })
  const inputResponses = { context: { action: 'decline' } }
  const rendered = await client.request('prompts/get', { ...prompt, inputResponses })
  expect(rendered['result']).toMatchObject({ messages: [{ content: { text: 'decline' } }] })
  const read = await client.request('resources/read', { uri: 'a://b', _meta: META })
  expect(read['result']).toMatchObject({ resultType: 'input_required' })
  expect(read['result']).not.toHaveProperty('ttlMs')
})

test('a client that did not declare the capability is not asked', async () => {
  const client = connectInMemory(createAsking())
  const response = await client.request('tools/call', { name: 'greet', _meta: MODERN_META })
  expect(response['error']).toMatchObject({
    code: -32021,
    data: { requiredCapabilities: { elicitation: {} } },
  })
})

test.each([
  { inputResponses: { user_name: 12345 } },
  { inputResponses: null },
  { inputResponses: [] },
  { inputResponses: { user_name: { action: 'perhaps' } } },
  { inputResponses: { user_name: { action: 'accept', content: { name: 7 } } } },
  { inputResponses: { user_name: { action: 'accept' } } },
  { requestState: 'nonsense' },
  { requestState: 'AA.AA.AA' },
  { requestState: 17 },
])('%j is refused', async (extra) => {
  const client = connectInMemory(createAsking())
  const response = await client.request('tools/call', { name: 'greet', _meta: META, ...extra })
  expect(response).toHaveProperty('error.code', -32602)
})

test('a state is valid only for its request, caller and time', async () => {
  const server = createAsking()
  const alice = connectInMemory(server, { principal: { id: 'alice' } })
  const { requestState = '' } = await call(alice, 'publish')
  const params = { name: 'publish', requestState, _meta: META }
  const isRefused = async (client: MemoryClient, other: object = {}): Promise<boolean> =>
    'error' in (await client.request('tools/call', { ...params, ...other }))

  expect(await isRefused(alice)).toBe(false)
  expect(await isRefused(alice, { arguments: { x: 1 } })).toBe(true)
  expect(await isRefused(alice, { name: 'greet' })).toBe(true)
  expect(await isRefused(alice, { requestState: `${requestState}-TAMPERED` })).toBe(true)
  expect(await isRefused(alice, { requestState: `A${requestState.slice(1)}` })).toBe(true)
  expect(await isRefused(connectInMemory(server, { principal: { id: 'bob' } }))).toBe(true)
  expect(await isRefused(connectInMemory(createAsking(), { principal: { id: 'alice' } }))).toBe(
    true,
  )
  vi.setSystemTime(Date.now() + 11 * 60 * 1000)
  expect(await isRefused(alice)).toBe(true)
  vi.useRealTimers()
})

test('a shared key lets another process continue', async () => {
  const requestState = { key: new Uint8Array(32).fill(7) }
  const create = (): Server =>
    createServer({ name: 'x', version: '1', requestState }).tool({
      name: 'two',
      async run(_input, { elicit }) {
        await elicit(NAME_FORM, 'first')
        await elicit(NAME_FORM, 'second')
        return {}
      },
    })
  const first = await call(connectInMemory(create()), 'two', { inputResponses: { first: ALICE } })
  const second = await call(connectInMemory(create()), 'two', {
    inputResponses: { second: ALICE },
    requestState: first.requestState,
  })
  expect(second.resultType).toBe('complete')
  expect(() =>
    createServer({ name: 'x', version: '1', requestState: { key: new Uint8Array(8) } }),
  ).toThrow(RangeError)
})

test('an invalid response or an error of a legacy client fails the tool, not the server', async () => {
  const client = connectInMemory(createAsking())
  await initialize(client)
  const nonsense = client.request('tools/call', { name: 'greet' })
  await respond(client, 'elicitation/create', { action: 'perhaps' })
  expect((await nonsense)['result']).toMatchObject({ isError: true })
  const refused = client.request('tools/call', { name: 'greet' })
  const request = await client.next(
    ({ id, method }) => method === 'elicitation/create' && !sentIds.has(id),
  )
  const error = { code: -32601, message: 'no forms here' }
  client.send({ jsonrpc: '2.0', id: request['id'], error })
  expect((await refused)['result']).toMatchObject({
    isError: true,
    content: [{ text: 'the client responded with an error: no forms here' }],
  })
})

test('cancelling a legacy request cancels its question', async () => {
  const client = connectInMemory(createAsking())
  await initialize(client)
  client.send({ jsonrpc: '2.0', id: 9, method: 'tools/call', params: { name: 'greet' } })
  const question = await client.next(({ method }) => method === 'elicitation/create')
  client.notify('notifications/cancelled', { requestId: 9 })
  const withdrawn = await client.next(({ method }) => method === 'notifications/cancelled')
  expect(withdrawn['params']).toMatchObject({ requestId: question['id'] })
  await client.drained()
  client.send({ jsonrpc: '2.0', id: question['id'], result: ALICE })
  expect(client.received.filter(({ id }) => id === 9)).toEqual([])
})

test('the time that the user takes to answer does not count', async () => {
  const server = createServer({ name: 'x', version: '1', limits: { requestMs: 30 } }).tool({
    name: 'ask',
    run: async (_input, { elicit }) => ({ structuredContent: (await elicit(NAME_FORM)).action }),
  })
  const client = connectInMemory(server)
  await initialize(client)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  const answer = client.request('tools/call', { name: 'ask' })
  await vi.advanceTimersByTimeAsync(80)
  vi.useRealTimers()
  await respond(client, 'elicitation/create', { action: 'decline' })
  expect((await answer)['result']).toMatchObject({ structuredContent: 'decline' })
})
