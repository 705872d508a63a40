import { expect, it } from 'vitest'
import { LegacyClient, eventsOf, readAll, take, toMessage } from '../http-client.ts'
import { createTestServer, describeHttp } from '../servers.ts'

describeHttp('a session', (serve) => {
  it('starts with initialize, and its id is in a header [streamable-legacy-starts-initialize]', async () => {
    await using served = await serve(createTestServer().server)
    const client = new LegacyClient(served)
    const response = await client.initialize()
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('mcp-session-id')).toMatch(/^[\x21-\x7e]{32,}$/)
    expect(await response.json()).toMatchObject({
      id: 'init',
      result: { protocolVersion: '2025-11-25', serverInfo: { name: 'http-test' } },
    })
    const initialized = await client.notify('notifications/initialized')
    expect(initialized.status).toBe(202)
    expect(await initialized.text()).toBe('')
    expect(await client.call('tools/list')).toMatchObject({ result: { tools: { length: 3 } } })
  })

  it('a refused initialize creates no session', async () => {
    await using served = await serve(createTestServer().server)
    const client = new LegacyClient(served)
    const response = await client.post({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} })
    expect(response.headers.get('mcp-session-id')).toBeNull()
    expect(await response.json()).toMatchObject({ id: 1, error: { code: -32602 } })
  })

  it('a plain response is JSON with a content length', async () => {
    await using served = await serve(createTestServer().server)
    const client = await LegacyClient.connect(served)
    const response = await client.request('tools/call', {
      name: 'echo',
      arguments: { text: 'é' },
    })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toMatchObject({ result: { content: [{ text: 'é' }] } })
  })

  it('a message before the response makes it a stream', async () => {
    await using served = await serve(createTestServer().server)
    const client = await LegacyClient.connect(served)
    const response = await client.request('tools/call', { name: 'count', arguments: { to: 3 } })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(response.headers.get('x-accel-buffering')).toBe('no')
    const [priming, ...events] = await take(eventsOf(response), 5)
    expect(priming).toMatchObject({ data: '', retry: 1000 })
    expect(priming?.id).toBeTruthy()
    expect(new Set(events.map(({ id }) => id)).size).toBe(4)
    expect(events.map((event) => toMessage(event))).toMatchObject([
      { method: 'notifications/message', params: { data: 1 } },
      { method: 'notifications/message', params: { data: 2 } },
      { method: 'notifications/message', params: { data: 3 } },
      { result: { content: [{ text: 'counted to 3' }] } },
    ])
  })

  it.each(['2025-03-26', '2025-06-18'])(
    'clients of %s, which could not read it, get no priming event',
    async (protocolVersion) => {
      await using served = await serve(createTestServer().server)
      const client = await LegacyClient.connect({ ...served, protocolVersion })
      const response = await client.request('tools/call', { name: 'count', arguments: { to: 1 } })
      const events = await take(eventsOf(response), 2)
      expect(events.every(({ data, id }) => data !== '' && id !== undefined)).toBe(true)
    },
  )

  it('ends with DELETE, after which its id is unknown', async () => {
    await using served = await serve(createTestServer().server)
    const client = await LegacyClient.connect(served)
    expect((await client.delete()).status).toBe(204)
    expect((await client.request('tools/list')).status).toBe(404)
    expect((await client.get()).status).toBe(404)
    expect((await client.delete()).status).toBe(404)
  })

  it('an invented id is a 404, no id is a 400', async () => {
    await using served = await serve(createTestServer().server)
    const client = new LegacyClient(served)
    expect((await client.request('tools/list')).status).toBe(400)
    client.sessionId = 'no-such-session'
    const response = await client.request('tools/list')
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({
      id: null,
      error: { message: 'session not found' },
    })
  })

  it('a revision that does not exist is refused', async () => {
    await using served = await serve(createTestServer().server)
    const client = await LegacyClient.connect(served)
    const headers = client.headers({ 'mcp-protocol-version': '2023-01-01' })
    const response = await client.post({ jsonrpc: '2.0', id: 1, method: 'ping' }, { headers })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { code: -32022 } })
  })

  it('a client without a version header is served', async () => {
    await using served = await serve(createTestServer().server)
    const client = await LegacyClient.connect({ ...served, protocolVersion: '2025-03-26' })
    const { 'mcp-protocol-version': _absent, ...headers } = client.headers()
    const response = await client.post({ jsonrpc: '2.0', id: 1, method: 'ping' }, { headers })
    expect(await response.json()).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
  })

  it('a batch of 2025-03-26 is answered as one', async () => {
    await using served = await serve(createTestServer().server)
    const client = await LegacyClient.connect({ ...served, protocolVersion: '2025-03-26' })
    const response = await client.post([
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { jsonrpc: '2.0', method: 'notifications/roots/list_changed' },
      {
        jsonrpc: '2.0',
        id: 2,
        method: 'tools/call',
        params: { name: 'echo', arguments: { text: 'b' } },
      },
    ])
    const answers: unknown = await response.json()
    expect(answers).toHaveLength(2)
    expect(answers).toEqual(
      expect.arrayContaining([
        { jsonrpc: '2.0', id: 1, result: {} },
        expect.objectContaining({ id: 2 }),
      ]),
    )
    const onlyNotifications = await client.post([
      { jsonrpc: '2.0', method: 'notifications/roots/list_changed' },
    ])
    expect(onlyNotifications.status).toBe(202)
  })

  it('a cancelled request ends its HTTP request', async () => {
    const { server, gate } = createTestServer()
    await using served = await serve(server)
    const client = await LegacyClient.connect(served)
    const held = gate('a')
    const waiting = client.post({
      jsonrpc: '2.0',
      id: 'slow',
      method: 'tools/call',
      params: { name: 'hold', arguments: { gate: 'a', quiet: true } },
    })
    const signal = await held.reached
    await client.notify('notifications/cancelled', { requestId: 'slow' })
    expect((await waiting).status).toBe(202)
    expect(signal.aborted).toBe(true)
    held.open()
  })
})

describeHttp('a POST', (serve) => {
  const PING = { jsonrpc: '2.0', id: 1, method: 'ping' }

  it.each([
    ['text/plain', 415],
    ['application/x-www-form-urlencoded', 415],
    ['application/jsonx', 415],
    ['', 415],
    ['application/json; charset=utf-8', 200],
    ['Application/JSON', 200],
  ])('with content type %j is answered with %i', async (contentType, status) => {
    await using served = await serve(createTestServer().server)
    const client = await LegacyClient.connect(served)
    const headers = client.headers({ 'content-type': contentType })
    expect((await client.post(PING, { headers })).status).toBe(status)
  })

  it.each([
    ['application/json', 406],
    ['text/event-stream', 406],
    ['text/html', 406],
    ['*/*', 200],
    ['application/*, text/*', 200],
    ['text/event-stream;q=0.5, Application/JSON', 200],
  ])('that accepts %j is answered with %i', async (accept, status) => {
    await using served = await serve(createTestServer().server)
    const client = await LegacyClient.connect(served)
    expect((await client.post(PING, { headers: client.headers({ accept }) })).status).toBe(status)
  })

  it.each([
    ['{', -32700, null],
    ['', -32600, null],
    ['7', -32600, null],
    ['{"jsonrpc":"2.0","id":5,"method":7}', -32600, 5],
    ['[]', -32600, null],
  ])('with the body %j is an error', async (body, code, id) => {
    await using served = await serve(createTestServer().server)
    const client = await LegacyClient.connect(served)
    const response = await client.post(body)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ id, error: { code } })
  })

  it('longer than the limit is refused, whether it says so or not', async () => {
    await using served = await serve(createTestServer().server)
    const client = await LegacyClient.connect(served)
    const text = 'x'.repeat(4 * 1024 * 1024)
    const long = JSON.stringify({ ...PING, params: { text } })
    expect((await client.post(long)).status).toBe(413)
    const chunked = new Blob([long]).stream()
    const init = { body: chunked, duplex: 'half' } as RequestInit
    const response = await client.post(long, init).catch(() => undefined)
    // A server that stops reading may close the connection before the client has sent everything.
    if (response !== undefined) expect(response.status).toBe(413)
    expect((await client.request('ping')).status).toBe(200)
  })

  it.each(['PUT', 'PATCH'])('is not %s', async (method) => {
    await using served = await serve(createTestServer().server)
    const response = await served.send(new Request(served.url, { method }))
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('GET, POST, DELETE')
  })

  it('to another path finds nothing', async () => {
    await using served = await serve(createTestServer().server)
    for (const path of ['x', '/../other', '/sse/x', '/message/'])
      expect((await served.send(new Request(`${served.url}${path}`))).status).toBe(404)
  })
})

describeHttp('the standalone stream', (serve) => {
  it('carries messages that belong to no request', async () => {
    const { server } = createTestServer()
    await using served = await serve(server)
    const client = await LegacyClient.connect(served)
    await client.call('resources/subscribe', { uri: 'test://watched' })
    const response = await client.get()
    expect(response.status).toBe(200)
    const events = eventsOf(response)
    expect(await take(events, 1)).toMatchObject([{ data: '', retry: 1000 }])
    server.notify.resourceUpdated('test://watched')
    const [updated] = await take(events, 1)
    expect(updated?.id).toBeTruthy()
    expect(JSON.parse(updated?.data ?? '')).toMatchObject({
      method: 'notifications/resources/updated',
      params: { uri: 'test://watched' },
    })
    await events.return(undefined)
  })

  it('has one reader: a second is refused and the first continues', async () => {
    const { server } = createTestServer()
    await using served = await serve(server)
    const client = await LegacyClient.connect(served)
    await client.call('resources/subscribe', { uri: 'test://watched' })
    const events = eventsOf(await client.get())
    await take(events, 1)
    expect((await client.get()).status).toBe(409)
    server.notify.resourceUpdated('test://watched')
    expect(await take(events, 1)).toHaveLength(1)
    await events.return(undefined)
  })

  it('gives a late reader the undelivered messages', async () => {
    const { server } = createTestServer()
    await using served = await serve(server)
    const client = await LegacyClient.connect(served)
    await client.call('resources/subscribe', { uri: 'test://watched' })
    server.notify.resourceUpdated('test://watched')
    server.notify.resourceUpdated('test://watched')
    const events = eventsOf(await client.get())
    expect(await take(events, 3)).toHaveLength(3)
    await events.return(undefined)
  })

  it('must be requested as an event stream', async () => {
    await using served = await serve(createTestServer().server)
    const client = await LegacyClient.connect(served)
    expect((await client.get({ accept: 'application/json' })).status).toBe(406)
  })
})

it('responses to several messages are read in order', async () => {
  const stream = 'data: {"a":1}\n\nevent: message\ndata: {"b":2}\n\n'
  const response = new Response(stream, { headers: { 'content-type': 'text/event-stream' } })
  expect(await readAll(response)).toEqual([{ a: 1 }, { b: 2 }])
})
