import { createServer, type Server } from '@waymark/baton'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { MODERN_META } from '../../support/sample-server.ts'
import { openStdio } from '../../support/stdio-client.ts'
import { eventsOf, LegacyClient, readAll, take } from '../http-client.ts'
import { sendModern } from '../modern-client.ts'
import { createTestServer, describeHttp, type Served } from '../servers.ts'

const VERSION = 'io.modelcontextprotocol/protocolVersion'
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel'
const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo'
const WHO = { method: 'tools/call', params: { name: 'who', arguments: {} } }

/** A server that returns the era and session of its caller. */
function createWho(): Server {
  return createServer({ name: 'who', version: '1' })
    .tool({
      name: 'who',
      inputSchema: z.object({}),
      run(_input, { era, session, client, log }) {
        log('info', 'heard')
        const hasSession = session !== undefined
        return { structuredContent: { era, hasSession, client: client?.name } }
      },
    })
    .resource({ uri: 'a://b', name: 'b', read: () => ({ text: 'b' }) })
}

interface Parties {
  readonly served: Served
  readonly legacy: LegacyClient
}

/** The response: the status, and either the era and session that the server saw or the error code. */
async function outcomeOf(response: Response): Promise<unknown[]> {
  if (response.status === 202 || response.status === 204) return [response.status]
  const messages = await readAll(response)
  const { result, error } = messages.at(-1) ?? {}
  const heard = messages.some(({ method }) => method === 'notifications/message')
  const who = result?.['structuredContent'] as { era: string; hasSession: boolean } | undefined
  if (error !== undefined) return [response.status, error.code]
  if (who === undefined) return [response.status]
  const parts = [who.era, who.hasSession ? 'in its session' : 'without a session']
  return [response.status, ...parts, ...(heard ? ['and told of it'] : [])]
}

const MODERN_200 = [200, 'modern', 'without a session']
const LEGACY_200 = [200, 'legacy', 'in its session', 'and told of it']

type MixUp = readonly [
  title: string,
  send: (parties: Parties) => Promise<Response>,
  outcome: readonly unknown[],
]

const MIX_UPS: readonly MixUp[] = [
  // Session features in a request without a session.
  [
    'a modern request with the id of a session that is not there',
    ({ served }) => sendModern(served, { ...WHO, headers: { 'mcp-session-id': 'x' } }),
    MODERN_200,
  ],
  [
    'a modern request with the id of a session that is there',
    ({ served, legacy }) =>
      sendModern(served, { ...WHO, headers: { 'mcp-session-id': legacy.sessionId } }),
    MODERN_200,
  ],
  [
    'a modern request with Last-Event-ID',
    ({ served }) => sendModern(served, { ...WHO, headers: { 'last-event-id': 'x.1' } }),
    MODERN_200,
  ],
  [
    'a modern GET on a session',
    ({ legacy }) => legacy.get({ 'mcp-protocol-version': '2026-07-28' }),
    [405, -32600],
  ],
  [
    'a modern DELETE of a session',
    ({ served, legacy }) =>
      served.send(
        new Request(served.url, {
          method: 'DELETE',
          headers: legacy.headers({ 'mcp-protocol-version': '2026-07-28' }),
        }),
      ),
    [405, -32600],
  ],
  ...['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe'].map(
    (method): MixUp => [
      `a modern ${method}`,
      ({ served }) =>
        sendModern(served, { method, params: { level: 'info', protocolVersion: '2025-11-25' } }),
      [404, -32601],
    ],
  ),
  [
    'a modern notifications/initialized',
    ({ served, legacy }) =>
      served.send(
        new Request(served.url, {
          method: 'POST',
          headers: legacy.headers({ 'mcp-protocol-version': '2026-07-28' }),
          body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
        }),
      ),
    [202],
  ],
  // Header and body declare different eras.
  [
    'a modern _meta under the header of an older revision',
    ({ served }) =>
      sendModern(served, { ...WHO, headers: { 'mcp-protocol-version': '2025-11-25' } }),
    [400, -32020],
  ],
  [
    'a modern _meta without a header',
    ({ served }) => sendModern(served, { ...WHO, headers: { 'mcp-protocol-version': undefined } }),
    [400, -32020],
  ],
  [
    'a modern header without _meta',
    ({ served }) => sendModern(served, { ...WHO, meta: {} }),
    [400, -32602],
  ],
  [
    'an older revision in a modern _meta and in the header',
    ({ served }) =>
      sendModern(served, {
        ...WHO,
        meta: { ...MODERN_META, [VERSION]: '2025-11-25' },
        headers: { 'mcp-protocol-version': '2025-11-25' },
      }),
    [400, -32022],
  ],
  [
    'a modern _meta in a session',
    ({ legacy }) => legacy.request('tools/call', { ...WHO.params, _meta: MODERN_META }),
    [400, -32020],
  ],
  // Modern features in a session.
  [
    'a session that describes its client again in _meta',
    ({ legacy }) =>
      legacy.request('tools/call', {
        ...WHO.params,
        _meta: { [CLIENT_INFO]: { name: 'other', version: '1' } },
      }),
    LEGACY_200,
  ],
  [
    'a session that names a log level in _meta',
    ({ legacy }) =>
      legacy.request('tools/call', { ...WHO.params, _meta: { [LOG_LEVEL]: 'error' } }),
    LEGACY_200,
  ],
  [
    'a session with a state and answers of a round',
    ({ legacy }) =>
      legacy.request('tools/call', {
        ...WHO.params,
        requestState: 'x.y',
        inputResponses: { a: 1 },
      }),
    LEGACY_200,
  ],
  [
    'a session whose headers name another method',
    ({ legacy }) =>
      legacy.request('tools/call', WHO.params, {
        headers: legacy.headers({ 'mcp-method': 'tools/list', 'mcp-name': 'other' }),
      }),
    LEGACY_200,
  ],
  [
    'a server/discover in a session',
    ({ legacy }) => legacy.request('server/discover'),
    [200, -32601],
  ],
  [
    'a subscriptions/listen in a session',
    ({ legacy }) => legacy.request('subscriptions/listen', { notifications: {} }),
    [200, -32601],
  ],
  [
    'a second initialize in a session',
    ({ legacy }) =>
      legacy.request('initialize', { protocolVersion: '2025-11-25', capabilities: {} }),
    [200],
  ],
  [
    'an old request without a session',
    ({ served }) => new LegacyClient(served).request('tools/call', WHO.params),
    [400, -32600],
  ],
]

it('there are at least 24 mix-ups [era-mix-ups-least-24]', () => {
  expect(MIX_UPS.length + OTHERS).toBeGreaterThanOrEqual(24)
})

describeHttp('of two eras', (serve) => {
  it.each(MIX_UPS)('%s', async (_title, send, outcome) => {
    await using served = await serve(createWho())
    const legacy = await LegacyClient.connect(served)
    expect(await outcomeOf(await send({ served, legacy }))).toEqual(outcome)
    // In any case the session is unchanged.
    expect(await outcomeOf(await legacy.request('tools/call', WHO.params))).toEqual(LEGACY_200)
  })

  it('a lost connection cancels a modern request but not one of a session', async () => {
    const { server, gate } = createTestServer()
    await using served = await serve(server)
    const legacy = await LegacyClient.connect(served)
    const old = await legacy.request('tools/call', { name: 'hold', arguments: { gate: 'old' } })
    const modern = await sendModern(served, {
      method: 'tools/call',
      params: { name: 'hold', arguments: { gate: 'new' } },
      meta: { ...MODERN_META, [LOG_LEVEL]: 'info' },
    })
    const signals = await Promise.all([gate('old').reached, gate('new').reached])
    const [oldEvents, newEvents] = [eventsOf(old), eventsOf(modern)]
    const seen = await take(oldEvents, 2)
    await take(newEvents, 1)
    await Promise.all([oldEvents.return(undefined), newEvents.return(undefined)])
    await expect.poll(() => signals[1].aborted).toBe(true)
    expect(signals[0].aborted).toBe(false)
    gate('old').open()
    gate('new').open()
    const rest = await readAll(await legacy.get({ 'last-event-id': seen.at(-1)?.id ?? '' }))
    expect(rest.at(-1)).toMatchObject({ result: { content: [{ text: 'done' }] } })
  })

  it('a modern cancellation does not reach the request of a session', async () => {
    const { server, gate } = createTestServer()
    await using served = await serve(server)
    const legacy = await LegacyClient.connect(served)
    const held = legacy.post({
      jsonrpc: '2.0',
      id: 7,
      method: 'tools/call',
      params: { name: 'hold', arguments: { gate: 'a', quiet: true } },
    })
    const signal = await gate('a').reached
    const response = await served.send(
      new Request(served.url, {
        method: 'POST',
        headers: legacy.headers({ 'mcp-protocol-version': '2026-07-28' }),
        body: JSON.stringify({
          jsonrpc: '2.0',
          method: 'notifications/cancelled',
          params: { requestId: 7, _meta: MODERN_META },
        }),
      }),
    )
    expect([response.status, signal.aborted]).toEqual([202, false])
    gate('a').open()
    expect((await held).status).toBe(200)
  })
})

/** Mix-ups that need more than a request and its answer. */
const OTHERS = 2

describe('of two eras on one pipe', () => {
  it('each request has its own era, before and after initialize', async () => {
    const client = openStdio(createWho())
    const ask = (id: number, meta?: object): void =>
      client.write(
        `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { ...WHO.params, _meta: meta } })}\n`,
      )
    const initialize = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'old', version: '0' },
    }
    ask(1, MODERN_META)
    client.write(
      `${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'initialize', params: initialize })}\n`,
    )
    ask(3)
    ask(4, MODERN_META)
    const answers = (await client.end()).filter(({ result }) => result !== undefined)
    const callers = answers.map(({ id, result }) => [
      id,
      (result as { structuredContent?: unknown }).structuredContent,
    ])
    expect(Object.fromEntries(callers)).toEqual({
      1: { era: 'modern', hasSession: false, client: 'test' },
      2: undefined,
      3: { era: 'legacy', hasSession: false, client: 'old' },
      4: { era: 'modern', hasSession: false, client: 'test' },
    })
  })
})
