import {
  Client as Client2,
  StreamableHTTPClientTransport as Http2,
} from '@modelcontextprotocol/client'
import type { VersionNegotiationMode } from '@modelcontextprotocol/client'
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport as Sse1 } from '@modelcontextprotocol/sdk/client/sse.js'
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import {
  ElicitRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { listenHttp } from '@waymark/baton/node'
import { describe, expect, test } from 'vitest'
import { createScenarioServer } from '../support/scenario.ts'
import { bundleProgram } from '../../../../scripts/vitest/bundle-program.ts'

const FIXTURE = new URL('../fixtures/scenario-server.ts', import.meta.url)
const SERVER = {
  command: process.execPath,
  args: [bundleProgram(FIXTURE)],
}
const INFO = { name: 'interop', version: '1' }
const CAPABILITIES = { elicitation: {} }
const ALICE = { action: 'accept' as const, content: { name: 'Alice' } }

/** The part of the official clients that the scenario needs. */
interface Connected extends AsyncDisposable {
  readonly client: Client1 | Client2
  /** What the server said by itself: log lines and the URIs of changed resources. */
  readonly heard: unknown[]
  /** Asks to be told when a resource changes. */
  watch(uri: string): Promise<unknown>
}

async function connectVersion1(
  transport: Parameters<Client1['connect']>[0] = new Stdio1(SERVER),
): Promise<Connected> {
  const client = new Client1(INFO, { capabilities: CAPABILITIES })
  const heard: unknown[] = []
  client.setRequestHandler(ElicitRequestSchema, () => ALICE)
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
    heard.push(params.data)
  })
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
    heard.push(params.uri)
  })
  await client.connect(transport)
  return {
    client,
    heard,
    watch: (uri) => client.subscribeResource({ uri }),
    [Symbol.asyncDispose]: () => client.close(),
  }
}

async function connectVersion2(
  mode: VersionNegotiationMode,
  transport: Parameters<Client2['connect']>[0] = new Stdio2(SERVER),
): Promise<Connected> {
  const client = new Client2(INFO, { capabilities: CAPABILITIES, versionNegotiation: { mode } })
  const heard: unknown[] = []
  client.setRequestHandler('elicitation/create', () => ALICE)
  client.setNotificationHandler(
    'notifications/message',
    ({ params }) => void heard.push(params.data),
  )
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    heard.push(params.uri)
  })
  await client.connect(transport)
  const isModern = client.getNegotiatedProtocolVersion() === '2026-07-28'
  return {
    client,
    heard,
    watch: (uri) =>
      isModern
        ? client.listen({ resourceSubscriptions: [uri] })
        : client.subscribeResource({ uri }),
    [Symbol.asyncDispose]: () => client.close(),
  }
}

describe.each([
  { name: 'SDK 1', connect: () => connectVersion1() },
  { name: 'SDK 2, legacy', connect: () => connectVersion2('legacy') },
  { name: 'SDK 2, modern', connect: () => connectVersion2({ pin: '2026-07-28' }) },
  { name: 'SDK 2, auto-negotiated', connect: () => connectVersion2('auto') },
])('$name over stdio', ({ connect }) => {
  test('runs the whole scenario', async () => {
    await using connected = await connect()
    await runScenario(connected)
  })
})

describe.each([
  { name: 'SDK 1, HTTP', connect: (url: URL) => connectVersion1(new Http1(url) as Http) },
  {
    name: 'SDK 1, HTTP+SSE',
    connect: (url: URL) => connectVersion1(new Sse1(new URL(`${url.href}/sse`))),
  },
  {
    name: 'SDK 2, legacy, HTTP',
    connect: (url: URL) => connectVersion2('legacy', new Http2(url)),
  },
  {
    name: 'SDK 2, modern, HTTP',
    connect: (url: URL) => connectVersion2({ pin: '2026-07-28' }, new Http2(url)),
  },
  {
    name: 'SDK 2, auto-negotiated, HTTP',
    connect: (url: URL) => connectVersion2('auto', new Http2(url)),
  },
])('$name', ({ connect }) => {
  test('runs the whole scenario', async () => {
    await using listener = await listenHttp(createScenarioServer(), { authenticator: 'none' })
    await using connected = await connect(new URL(listener.url))
    await runScenario(connected)
  })
})

/** The official type has a property that may be undefined, which its own interface does not allow. */
type Http = Parameters<Client1['connect']>[0]

async function runScenario(connected: Connected): Promise<void> {
  const { client, heard } = connected
  expect(client.getServerVersion()).toMatchObject({ name: 'scenario', version: '1.0.0' })
  expect(client.getInstructions()).toBe('Try everything')

  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(['add', 'count', 'greet', 'touch', 'sleep'])
  const sum = await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } })
  expect(sum).toMatchObject({ structuredContent: { sum: 3 }, content: [{ text: '{"sum":3}' }] })
  const wrong = await client.callTool({ name: 'add', arguments: { a: 'x', b: 2 } })
  expect(wrong).toMatchObject({ isError: true })

  const { contents } = await client.readResource({ uri: 'note://1' })
  expect(contents).toMatchObject([{ uri: 'note://1', text: 'one' }])
  const { resourceTemplates } = await client.listResourceTemplates()
  expect(resourceTemplates).toHaveLength(1)
  const copy = await client.readResource({ uri: 'note://7/copy' })
  expect(copy.contents).toMatchObject([{ text: 'copy of 7' }])

  const prompt = await client.getPrompt({ name: 'ask', arguments: { topic: 'time' } })
  expect(prompt.messages).toMatchObject([{ content: { text: 'About time?' } }])
  const completed = await client.complete({
    ref: { type: 'ref/prompt', name: 'ask' },
    argument: { name: 'topic', value: 'wh' },
  })
  expect(completed.completion.values).toEqual(['wh!'])

  const greeting = await client.callTool({ name: 'greet' })
  expect(greeting).toMatchObject({ content: [{ text: 'Hello Alice' }] })

  await connected.watch('note://1')
  await client.callTool({ name: 'touch' })
  await expect.poll(() => heard).toContain('note://1')

  const progress: number[] = []
  await callCounting(client, (value) => progress.push(value))
  expect(progress).toEqual([1, 2, 3])
  const controller = new AbortController()
  const sleeping = callSleeping(client, controller.signal)
  controller.abort()
  await expect(sleeping).rejects.toThrow()
  expect(await client.callTool({ name: 'add', arguments: { a: 2, b: 2 } })).toMatchObject({
    structuredContent: { sum: 4 },
  })
}

// The two clients take the same options at different places.
function callCounting(
  client: Client1 | Client2,
  report: (value: number) => void,
): Promise<unknown> {
  const options = { onprogress: ({ progress }: { progress: number }) => report(progress) }
  if (client instanceof Client1) return client.callTool({ name: 'count' }, undefined, options)
  return client.callTool({ name: 'count' }, options)
}

function callSleeping(client: Client1 | Client2, signal: AbortSignal): Promise<unknown> {
  if (client instanceof Client1) return client.callTool({ name: 'sleep' }, undefined, { signal })
  return client.callTool({ name: 'sleep' }, { signal })
}
