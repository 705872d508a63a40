import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { expect, it } from 'vitest'
import { eventsOf, openEvents, take, toMessage } from '../http-client.ts'
import { createTestServer, describeHttp, type Served, serveNode } from '../servers.ts'

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2024-11-05',
    capabilities: {},
    clientInfo: { name: 'old', version: '0' },
  },
}

describeHttp('HTTP+SSE', (serve) => {
  it('sends the message path as a bare URI, and responses on the stream [sse-transport-sends-message]', async () => {
    const { server } = createTestServer()
    await using served = await serve(server)
    const events = eventsOf(await served.send(new Request(`${served.url}/sse`)))
    const [endpoint] = await take(events, 1)
    expect(endpoint?.event).toBe('endpoint')
    expect(endpoint?.data).toMatch(/^\/mcp\/message\?sessionId=[\w-]{43}$/)
    const post = posterTo(served, new URL(endpoint?.data ?? '', served.url))
    expect((await post(INITIALIZE)).status).toBe(202)
    const [initialized] = await take(events, 1)
    expect(initialized?.event).toBe('message')
    expect(toMessage(initialized!)).toMatchObject({
      id: 1,
      result: { protocolVersion: '2024-11-05' },
    })
    await post({ jsonrpc: '2.0', method: 'notifications/initialized' })
    const params = { name: 'count', arguments: { to: 2 } }
    await post({ jsonrpc: '2.0', id: 2, method: 'tools/call', params })
    expect((await take(events, 3)).map((event) => toMessage(event))).toMatchObject([
      { params: { data: 1 } },
      { params: { data: 2 } },
      { id: 2, result: { content: [{ text: 'counted to 2' }] } },
    ])
    server.notify.toolsChanged()
    const [changed] = await take(events, 1)
    expect(toMessage(changed!).method).toBe('notifications/tools/list_changed')
    await events.return(undefined)
  })

  it('starts at the endpoint too, for clients that try it first [sse-transport-first]', async () => {
    await using served = await serve(createTestServer().server)
    const accept = 'text/event-stream'
    const events = eventsOf(await served.send(new Request(served.url, { headers: { accept } })))
    const [endpoint] = await take(events, 1)
    expect(endpoint?.event).toBe('endpoint')
    const post = posterTo(served, new URL(endpoint?.data ?? '', served.url))
    expect((await post(INITIALIZE)).status).toBe(202)
    const [initialized] = await take(events, 1)
    expect(toMessage(initialized!)).toMatchObject({ id: 1 })
    await events.return(undefined)
    for (const headers of [{ accept: '*/*' }, { accept, 'mcp-protocol-version': '2025-06-18' }]) {
      const refused = await served.send(new Request(served.url, { headers: { ...headers } }))
      expect(refused.status).toBe(400)
    }
  })

  it('an unknown session is not found', async () => {
    await using served = await serve(createTestServer().server)
    for (const query of ['', '?sessionId=', '?sessionId=no-such-session']) {
      const response = await served.send(
        new Request(`${served.url}/message${query}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(INITIALIZE),
        }),
      )
      expect(response.status).toBe(404)
    }
    const stream = await served.send(new Request(`${served.url}/sse?sessionId=no-such-session`))
    expect(stream.status).toBe(404)
  })

  it('a broken stream is resumed by its session id, with the missed responses [sse-transport-broken-stream]', async () => {
    const { server, gate } = createTestServer()
    await using served = await serve(server)
    const first = openEvents(await served.send(new Request(`${served.url}/sse`)))
    const [endpoint] = await take(first.events, 1)
    const messageUrl = new URL(endpoint?.data ?? '', served.url)
    const post = posterTo(served, messageUrl)
    await post(INITIALIZE)
    const [initialized] = await take(first.events, 1)
    const params = { name: 'hold', arguments: { gate: 'a', quiet: true } }
    await post({ jsonrpc: '2.0', id: 2, method: 'tools/call', params })
    await gate('a').reached
    await first.hangUp()
    gate('a').open()

    const response = await served.send(
      new Request(`${served.url}/sse${messageUrl.search}`, {
        headers: { 'last-event-id': initialized?.id ?? '' },
      }),
    )
    const [greeting, answer] = await take(eventsOf(response), 2)
    expect(greeting).toMatchObject({ event: 'endpoint', data: endpoint?.data })
    expect(toMessage(answer!)).toMatchObject({ id: 2, result: { content: [{ text: 'done' }] } })
  })

  it('a client that reconnects without its session id resumes the session of its last event', async () => {
    const { server, gate } = createTestServer()
    await using served = await serve(server)
    const reopen = (id = ''): Promise<Response> =>
      served.send(new Request(`${served.url}/sse`, { headers: { 'last-event-id': id } }))
    const first = openEvents(await served.send(new Request(`${served.url}/sse`)))
    const [endpoint] = await take(first.events, 1)
    await first.hangUp()
    const second = openEvents(await reopen(endpoint?.id))
    expect((await take(second.events, 1))[0]).toMatchObject({ data: endpoint?.data })
    const post = posterTo(served, new URL(endpoint?.data ?? '', served.url))
    await post(INITIALIZE)
    const [initialized] = await take(second.events, 1)
    const params = { name: 'hold', arguments: { gate: 'a', quiet: true } }
    await post({ jsonrpc: '2.0', id: 2, method: 'tools/call', params })
    await gate('a').reached
    await second.hangUp()
    gate('a').open()
    const third = openEvents(await reopen(initialized?.id))
    const [greeting, answer] = await take(third.events, 2)
    expect(greeting).toMatchObject({ event: 'endpoint', data: endpoint?.data })
    expect(toMessage(answer!)).toMatchObject({ id: 2, result: { content: [{ text: 'done' }] } })
    await third.hangUp()

    for (const unknown of ['of another server', `${'A'.repeat(16)}.0.7`]) {
      const [fresh] = await take(eventsOf(await reopen(unknown)), 1)
      expect(fresh?.event).toBe('endpoint')
      expect(fresh?.data).not.toBe(endpoint?.data)
    }
  })

  it('paths take only their own method', async () => {
    await using served = await serve(createTestServer().server)
    const post = new Request(`${served.url}/sse`, { method: 'POST' })
    expect((await served.send(post)).status).toBe(405)
    for (const accept of ['*/*', 'text/event-stream']) {
      const get = new Request(`${served.url}/message`, { headers: { accept } })
      expect((await served.send(get)).status).toBe(405)
    }
  })
})

it('the official client of the old transport is served [sse-transport-official-client]', async () => {
  await using served = await serveNode(createTestServer().server)
  const client = new Client({ name: 'sdk1-sse', version: '1.0.0' })
  await client.connect(new SSEClientTransport(new URL(`${served.url}/sse`)))
  const result = await client.callTool({ name: 'echo', arguments: { text: 'old but well' } })
  expect(result.content).toEqual([{ type: 'text', text: 'old but well' }])
  await client.close()
})

/** Sends messages to the address that a stream has told. */
function posterTo(served: Served, url: URL): (message: object) => Promise<Response> {
  return (message) =>
    served.send(
      new Request(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(message),
      }),
    )
}
