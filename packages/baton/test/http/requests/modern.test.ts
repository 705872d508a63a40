import { expect, it } from 'vitest'
import { MODERN_META } from '../../support/sample-server.ts'
import { eventsOf, openEvents, take, toMessage } from '../http-client.ts'
import { sendModern } from '../modern-client.ts'
import { createTestServer, describeHttp } from '../servers.ts'

const VERSION = 'io.modelcontextprotocol/protocolVersion'
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel'
const ECHO = { method: 'tools/call', params: { name: 'echo', arguments: { text: 'hi' } } }

describeHttp('a modern request', (serve) => {
  it('needs no session and gets JSON', async () => {
    await using served = await serve(createTestServer().server)
    const response = await sendModern(served, ECHO)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('mcp-session-id')).toBeNull()
    expect(await response.json()).toMatchObject({
      id: 1,
      result: { resultType: 'complete', content: [{ text: 'hi' }] },
    })
  })

  it('ignores a session header', async () => {
    await using served = await serve(createTestServer().server)
    const headers = { 'mcp-session-id': 'no-such-session' }
    expect((await sendModern(served, { ...ECHO, headers })).status).toBe(200)
  })

  it('gets a stream when messages precede the response', async () => {
    await using served = await serve(createTestServer().server)
    const response = await sendModern(served, {
      method: 'tools/call',
      params: { name: 'count', arguments: { to: 2 } },
      meta: { ...MODERN_META, [LOG_LEVEL]: 'info' },
    })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const events = await take(eventsOf(response), 3)
    expect(events.map(({ id }) => id)).toEqual([undefined, undefined, undefined])
    expect(events.map((event) => toMessage(event))).toMatchObject([
      { method: 'notifications/message', params: { data: 1 } },
      { method: 'notifications/message', params: { data: 2 } },
      { id: 1, result: { resultType: 'complete' } },
    ])
  })

  it.each([
    ['no version header', { headers: { 'mcp-protocol-version': undefined } }, -32020],
    [
      'another version in the header',
      { headers: { 'mcp-protocol-version': '2025-11-25' } },
      -32020,
    ],
    ['no method header', { headers: { 'mcp-method': undefined } }, -32020],
    ['another method in the header', { headers: { 'mcp-method': 'tools/list' } }, -32020],
    ['the method in another case', { headers: { 'mcp-method': 'TOOLS/CALL' } }, -32020],
    ['no name header', { headers: { 'mcp-name': undefined } }, -32020],
    ['another name in the header', { headers: { 'mcp-name': 'count' } }, -32020],
    ['the name in another case', { headers: { 'mcp-name': 'Echo' } }, -32020],
    ['two names', { headers: { 'mcp-name': 'echo, echo' } }, -32020],
    ['bad base64 padding', { headers: { 'mcp-name': '=?base64?ZWNobw?=' } }, -32020],
    ['bad base64 characters', { headers: { 'mcp-name': '=?base64?ZWN!bw==?=' } }, -32020],
    ['base64 of something else', { headers: { 'mcp-name': '=?base64?Y291bnQ=?=' } }, -32020],
    ['base64 that is no UTF-8', { headers: { 'mcp-name': '=?base64?/w==?=' } }, -32020],
    ['no version', { meta: { [CAPABILITIES]: {} } }, -32602],
    ['no capabilities', { meta: { [VERSION]: '2026-07-28' } }, -32602],
    ['nothing in _meta', { meta: {} }, -32602],
    [
      'a version that does not exist',
      {
        meta: { ...MODERN_META, [VERSION]: '2099-01-01' },
        headers: { 'mcp-protocol-version': '2099-01-01' },
      },
      -32022,
    ],
  ])('with %s is refused', async (_what, change, code) => {
    await using served = await serve(createTestServer().server)
    const response = await sendModern(served, { ...ECHO, id: 'x', ...change })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ id: 'x', error: { code } })
  })

  it.each([
    ['spaces around a value', { 'mcp-name': '  echo  ' }],
    ['base64', { 'mcp-name': '=?base64?ZWNobw==?=' }],
  ])('may have %s in its headers', async (_what, headers) => {
    await using served = await serve(createTestServer().server)
    expect((await sendModern(served, { ...ECHO, headers })).status).toBe(200)
  })

  it('in a batch is refused', async () => {
    await using served = await serve(createTestServer().server)
    const params = { _meta: MODERN_META }
    const one = { jsonrpc: '2.0', id: 1, method: 'server/discover', params }
    const headers = {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': '2026-07-28',
    }
    const body = JSON.stringify([one])
    const response = await served.send(new Request(served.url, { method: 'POST', headers, body }))
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ id: null, error: { code: -32600 } })
  })

  it('for an unknown or removed method gets a 404', async () => {
    await using served = await serve(createTestServer().server)
    for (const method of ['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'x/y']) {
      const response = await sendModern(served, { method, id: 7 })
      expect(response.status, method).toBe(404)
      expect(await response.json()).toMatchObject({ id: 7, error: { code: -32601 } })
    }
  })

  it('is cancelled when its client disconnects before the response', async () => {
    const { server, gate } = createTestServer()
    await using served = await serve(server)
    const connection = new AbortController()
    const pending = sendModern(served, {
      method: 'tools/call',
      params: { name: 'hold', arguments: { gate: 'a', quiet: true } },
      signal: connection.signal,
    })
    const signal = await gate('a').reached
    connection.abort()
    await pending.catch(() => {})
    await aborted(signal)
    gate('a').open()
  })

  it('is cancelled when its client closes the stream', async () => {
    const { server, gate } = createTestServer()
    await using served = await serve(server)
    const response = await sendModern(served, {
      method: 'tools/call',
      params: { name: 'hold', arguments: { gate: 'a' } },
      meta: { ...MODERN_META, [LOG_LEVEL]: 'info' },
    })
    const { events, hangUp } = openEvents(response)
    await take(events, 1)
    const signal = await gate('a').reached
    await hangUp()
    await aborted(signal)
    gate('a').open()
  })

  it('with GET or DELETE is not allowed', async () => {
    await using served = await serve(createTestServer().server)
    for (const method of ['GET', 'DELETE']) {
      const headers = { accept: 'text/event-stream', 'mcp-protocol-version': '2026-07-28' }
      expect((await served.send(new Request(served.url, { method, headers }))).status).toBe(405)
    }
  })

  it('that is a notification gets a 202', async () => {
    await using served = await serve(createTestServer().server)
    const response = await served.send(
      new Request(served.url, {
        method: 'POST',
        headers: {
          accept: '*/*',
          'content-type': 'application/json',
          'mcp-protocol-version': '2026-07-28',
        },
        body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/unknown' }),
      }),
    )
    expect(response.status).toBe(202)
  })

  it('can listen to changes until it disconnects', async () => {
    const { server } = createTestServer()
    await using served = await serve(server)
    const response = await sendModern(served, {
      method: 'subscriptions/listen',
      params: { notifications: { toolsListChanged: true } },
      id: 'listen-1',
    })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const events = eventsOf(response)
    const [acknowledged] = await take(events, 1)
    expect(toMessage(acknowledged!)).toMatchObject({
      method: 'notifications/subscriptions/acknowledged',
    })
    server.notify.toolsChanged()
    const [changed] = await take(events, 1)
    expect(toMessage(changed!)).toMatchObject({
      method: 'notifications/tools/list_changed',
      params: { _meta: { 'io.modelcontextprotocol/subscriptionId': 'listen-1' } },
    })
    await events.return(undefined)
  })
})

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise((resolve) => {
    signal.addEventListener('abort', resolve)
  })
}
