import { createHttpHandler, MemorySessionStore } from '@waymark/baton/http'
import { listenHttp } from '@waymark/baton/node'
import { expect, it } from 'vitest'
import { LiveSession } from '../../../src/transport/http/session/live-session.ts'
import { LiveSessions } from '../../../src/transport/http/session/live-sessions.ts'
import { describeStores, STATE } from '../../session/stores.ts'
import { MODERN_META } from '../../support/sample-server.ts'
import {
  eventsOf,
  type JsonMessage,
  LegacyClient,
  openEvents,
  readAll,
  take,
  toMessage,
} from '../http-client.ts'
import { sendModern } from '../modern-client.ts'
import { createTestServer, serveNode, withResolvers } from '../servers.ts'

/** Closes while calls are held on every transport; returns the response and the signal of each. */
async function closeOver(given: { readonly heeds: boolean }) {
  const { server, gate } = createTestServer()
  const listener = await listenHttp(server, { authenticator: 'none', graceMs: 0 })
  const served = { url: listener.url, send: (request: Request) => fetch(request) }
  const client = await LegacyClient.connect(served)
  const hold = (name: string, quiet: boolean) => ({
    name: 'hold',
    arguments: { gate: name, quiet, ...given },
  })
  const meta = { ...MODERN_META, 'io.modelcontextprotocol/logLevel': 'info' }
  const modern = (name: string, quiet: boolean): Promise<Response> =>
    sendModern(served, { method: 'tools/call', params: hold(name, quiet), meta })
  const asked = [
    client.request('tools/call', hold('a', true)),
    client.request('tools/call', hold('b', false)),
    modern('c', true),
    modern('d', false),
  ].map(async (answer) => (await readAll(await answer)).at(-1))

  const oldest = eventsOf(await fetch(`${listener.url}/sse`))
  const [endpoint] = await take(oldest, 1)
  const post = (message: object): Promise<Response> =>
    fetch(new URL(endpoint?.data ?? '', listener.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    })
  const clientInfo = { name: 'raw', version: '0' }
  const agreed = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo }
  await post({ id: 0, method: 'initialize', params: agreed })
  await post({ method: 'notifications/initialized' })
  await post({ id: 1, method: 'tools/call', params: hold('e', true) })
  const signals = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => gate(name).reached))

  await listener.close()
  const answers = await Promise.all(asked)
  const heard: JsonMessage[] = []
  for await (const event of oldest) heard.push(toMessage(event))
  return { answers: [...answers, heard.at(-1)], signals }
}

it('closing aborts calls that do not finish in time, and sends their own responses', async () => {
  const { answers } = await closeOver({ heeds: true })
  const result = { content: [{ text: 'done' }] }
  expect(answers).toMatchObject(Array.from({ length: 5 }, () => ({ result })))
})

it('closing answers calls that do not finish in time, on every transport', async () => {
  const { answers, signals } = await closeOver({ heeds: false })
  // Not busy, which is retryable: a call that did not stop may have taken effect.
  const error = { code: -32603, message: expect.stringContaining('may have taken effect') }
  expect(answers).toMatchObject(Array.from({ length: 5 }, () => ({ error })))
  expect(signals.every(({ aborted }) => aborted)).toBe(true)
})

it('a call whose body completes after closing began is refused and not run', async () => {
  const { server, gate } = createTestServer()
  const handler = createHttpHandler(server, { authenticator: 'none', path: '/mcp' })
  const served = { url: 'http://localhost/mcp', send: handler.fetch }
  const client = await LegacyClient.connect(served)
  const held = client.request('tools/call', { name: 'hold', arguments: { gate: 'a', quiet: true } })
  await gate('a').reached

  const { promise: isWhole, resolve: complete } = withResolvers<void>()
  const params = { name: 'hold', arguments: { gate: 'late', quiet: true } }
  const late = (headers: Record<string, string>, extra: object): Promise<Response> => {
    const text = JSON.stringify({
      jsonrpc: '2.0',
      id: 9,
      method: 'tools/call',
      params: { ...params, ...extra },
    })
    const body = ReadableStream.from(inTwo(text, isWhole))
    const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit
    return handler.fetch(new Request(served.url, init))
  }
  const legacy = late(client.headers(), {})
  const modern = late(
    {
      ...new LegacyClient(served).headers(),
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'hold',
    },
    { _meta: MODERN_META },
  )
  let isBegun = false
  void gate('late').reached.then(() => {
    isBegun = true
  })
  const closing = handler.close(60_000)
  complete()
  const statuses = [(await legacy).status, (await modern).status]
  gate('a').open()
  await closing
  expect([...statuses, (await held).status, isBegun]).toEqual([503, 503, 200, false])
})

async function* inTwo(text: string, isWhole: Promise<void>): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text.slice(0, 10))
  await isWhole
  yield Buffer.from(text.slice(10))
}

it('a pending request is answered with an error when its session ends', async () => {
  const { server, gate } = createTestServer()
  await using served = await serveNode(server)
  const client = await LegacyClient.connect(served)
  const answer = client.call('tools/call', { name: 'hold', arguments: { gate: 'a', quiet: true } })
  await gate('a').reached
  await client.delete()
  expect(await answer).toMatchObject({ error: { message: 'the session has ended' } })
})

describeStores('a client whose connection broke', (open) => {
  it.each([
    ['an answer that is ready in time', { heeds: false, graceMs: 60_000 }],
    ['the last word of a call that is told to stop', { heeds: true, graceMs: 0 }],
  ])('gets %s when the server closes', async (_what, { heeds, graceMs }) => {
    const { server, gate } = createTestServer()
    await using store = await open()
    const handler = createHttpHandler(server, { authenticator: 'none', path: '/mcp', store })
    const client = await LegacyClient.connect({
      url: 'http://localhost/mcp',
      send: handler.fetch,
    })
    const params = { name: 'hold', arguments: { gate: 'a', heeds } }
    const lost = openEvents(await client.request('tools/call', params))
    const [, began] = await take(lost.events, 2)
    await lost.hangUp()
    const resumed = eventsOf(await client.get({ 'last-event-id': began?.id ?? '' }))
    await take(resumed, 1)
    const standalone = eventsOf(await client.get())
    await take(standalone, 1)

    const closing = handler.close(graceMs)
    if (!heeds) gate('a').open()
    const rest: unknown[] = []
    for await (const event of resumed) rest.push(toMessage(event))
    expect(rest.at(-1)).toMatchObject({ id: 1, result: { content: [{ text: 'done' }] } })
    expect(await standalone.next()).toMatchObject({ done: true })
    await closing
  })
})

describeStores('a request that is being answered with a stream', (open) => {
  it('gets the error that its session has ended', async () => {
    const { server, gate } = createTestServer()
    await using store = await open()
    await using served = await serveNode(server, { store })
    const client = await LegacyClient.connect(served)
    const params = { name: 'hold', arguments: { gate: 'a' } }
    const events = eventsOf(await client.request('tools/call', params))
    await take(events, 2)
    await client.delete()
    const rest: unknown[] = []
    for await (const event of events) rest.push(toMessage(event))
    expect(rest).toMatchObject([{ id: 1, error: { message: 'the session has ended' } }])
    gate('a').open()
  })
})

it('a log that cannot be written does not block closing', async () => {
  await using store = new MemorySessionStore()
  const { server } = createTestServer()
  const { promise: failing, resolve: fail } = withResolvers<void>()
  store.events.append = async () => {
    await failing
    throw new Error('the disk is full')
  }
  const errors: unknown[] = []
  const onError = (error: unknown) => void errors.push(error)
  const options = { authenticator: 'none', path: '/mcp', store, onError } as const
  const handler = createHttpHandler(server, options)
  const client = await LegacyClient.connect({ url: 'http://localhost/mcp', send: handler.fetch })
  const standalone = eventsOf(await client.get())
  await take(standalone, 1)
  server.notify.toolsChanged()
  const closing = handler.close(0)
  setTimeout(fail, 20)
  await closing
  expect(await standalone.next()).toMatchObject({ done: true })
  expect(errors).toMatchObject([{ message: 'the disk is full' }])
})

it('a session that another process has ended ends here with the next sweep', async () => {
  await using store = new MemorySessionStore()
  const { server } = createTestServer()
  const open = (): LiveSessions =>
    new LiveSessions({ server, store, now: Date.now, onEvent: () => {}, onError: () => {} })
  const [here, there] = [open(), open()]
  const { id } = await here.create('ann', STATE)
  const kept = await here.create('ann', STATE)
  await there.find(id, 'ann')
  await there.terminate(id, 'ann')
  await here.forgetEnded()
  expect(here.size).toBe(1)
  expect(await here.find(kept.id, 'ann')).toBe(kept)
})

it('messages to an ended session are answered with an error, each message of a batch separately', async () => {
  await using store = new MemorySessionStore()
  const { server } = createTestServer()
  const parts = { server, store, onError: () => {} }
  const state = { ...STATE, protocolVersion: '2025-03-26' }
  const live = new LiveSession(await store.create({ owner: 'ann', state }), parts)
  live.end()
  const sent: unknown[] = []
  const sink = { send: ({ text }: { text: string }) => void sent.push(JSON.parse(text)) }
  const toRequest = (id: number) => ({ kind: 'request', id, method: 'ping', params: {} }) as const
  const invalid = { kind: 'invalid', id: null, code: -32600, reason: 'no' } as const
  live.connection.receive(toRequest(1), { sink })
  live.connection.receive({ kind: 'batch', messages: [toRequest(2), invalid] }, { sink })
  const error = { message: 'the session has ended' }
  expect(sent).toMatchObject([
    { id: 1, error },
    [
      { id: 2, error },
      { id: null, error },
    ],
  ])
})
