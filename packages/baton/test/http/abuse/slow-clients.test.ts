import { once } from 'node:events'
import { Agent, request as ask } from 'node:http'
import { connect, type Socket } from 'node:net'
import { createHttpApp, type HttpRequest } from '@waymark/baton/http'
import { type HttpListener, listenHandler, listenHttp } from '@waymark/baton/node'
import { expect, it } from 'vitest'
import { ClientDisconnectedError } from '../../../src/transport/http/client-disconnected-error.ts'
import { MODERN_META } from '../../support/sample-server.ts'
import { LegacyClient, eventsOf, take } from '../http-client.ts'
import { sendModern } from '../modern-client.ts'
import { createTestServer, withResolvers } from '../servers.ts'

const MAX_OPEN = 512
const ATTACKERS = 500
const CLIENTS = 50
const CALLS = 8

const body = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'server/discover',
  params: { _meta: MODERN_META },
})
const wholeHead = ({ port }: HttpListener): string =>
  [
    'POST /mcp HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    'MCP-Protocol-Version: 2026-07-28',
    'Mcp-Method: server/discover',
    `Content-Length: ${body.length}`,
    '',
    '',
  ].join('\r\n')

/** Requests of clients that only want to occupy connections. */
const OBSTRUCTIONS: Readonly<Record<string, (listener: HttpListener) => string>> = {
  'says nothing': () => '',
  'stops within the headers': (listener) => wholeHead(listener).slice(0, 60),
  'stops within the body': (listener) => wholeHead(listener) + body.slice(0, 20),
  'asks once and stays': (listener) => wholeHead(listener) + body,
}

function obstruct(listener: HttpListener, text: string): Socket {
  const socket = connect(listener.port, '127.0.0.1')
  socket.on('error', () => {})
  socket.resume().write(text)
  return socket
}

/** Keeps that many obstructing connections open, and replaces each one that is closed. */
function obstructMany(
  listener: HttpListener,
  count: number,
): { readonly settled: Promise<unknown>; stop(): void; readonly cut: () => number } {
  const texts = Object.values(OBSTRUCTIONS).map((toText) => toText(listener))
  const sockets = new Set<Socket>()
  let isOver = false
  let cut = 0
  const open = (index: number): Socket => {
    const text = texts[index % texts.length] ?? ''
    const socket = obstruct(listener, text)
    // One byte now and then defeats a timeout that only looks for idle connections.
    const isDripping = text !== '' && !text.endsWith('}')
    const timer = setInterval(() => isDripping && socket.write('x'), 1_000)
    sockets.add(socket)
    socket.on('close', () => {
      clearInterval(timer)
      sockets.delete(socket)
      if (isOver) return
      cut += 1
      setImmediate(() => isOver || open(index + 1))
    })
    return socket
  }
  const settled = Promise.all(
    Array.from({ length: count }, (_, index) => once(open(index), 'connect').catch(() => {})),
  )
  return {
    settled,
    cut: () => cut,
    stop() {
      isOver = true
      for (const socket of sockets) socket.destroy()
    },
  }
}

function isServed(listener: HttpListener, agent: Agent): Promise<boolean> {
  return new Promise((resolve) => {
    const [, ...lines] = wholeHead(listener).trimEnd().split('\r\n')
    const headers = Object.fromEntries(lines.map((line) => line.split(/: (.*)/)))
    const posted = ask(listener.url, { method: 'POST', headers, agent }, (response) => {
      response.resume().on('close', () => resolve(response.complete && response.statusCode === 200))
    })
    posted.on('error', () => resolve(false)).end(body)
  })
}

it('500 connections with partial requests do not block other clients [slow-clients-500-connections]', async () => {
  const { server, gate } = createTestServer()
  await using listener = await listenHttp(server, {
    authenticator: 'none',
    graceMs: 0,
    connections: { maxOpen: MAX_OPEN },
  })
  const served = { url: listener.url, send: (request: Request) => fetch(request) }
  const reader = await LegacyClient.connect(served)
  const events = eventsOf(await reader.get())
  await take(events, 1)
  const held = sendModern(served, {
    method: 'tools/call',
    params: { name: 'hold', arguments: { gate: 'a', quiet: true } },
  })
  await gate('a').reached

  const attack = obstructMany(listener, ATTACKERS)
  await attack.settled
  let answered = 0
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      // Not `fetch`, which retries by itself and so hides a refused connection.
      const agent = new Agent({ keepAlive: true })
      for (let call = 0; call < CALLS; call += 1) if (await isServed(listener, agent)) answered += 1
      agent.destroy()
    }),
  )
  console.log(`${answered} of ${CLIENTS * CALLS} served, ${attack.cut()} obstructions cut`)
  expect(answered).toBeGreaterThanOrEqual(CLIENTS * CALLS * 0.99)

  // An open stream and a request in progress are not affected.
  gate('a').open()
  expect((await held).status).toBe(200)
  await reader.call('resources/subscribe', { uri: 'test://watched' })
  server.notify.resourceUpdated('test://watched')
  expect((await take(events, 1))[0]?.data).toContain('test://watched')
  attack.stop()
})

it.each(Object.keys(OBSTRUCTIONS))('a client that %s is disconnected', async (name) => {
  await using listener = await listenHttp(createTestServer().server, {
    authenticator: 'none',
    graceMs: 0,
    connections: { headersMs: 100, requestMs: 200, idleMs: 100 },
  })
  const socket = obstruct(listener, OBSTRUCTIONS[name]?.(listener) ?? '')
  await once(socket, 'close')
})

it('headers without their own timeout have the timeout of the request', async () => {
  await using listener = await listenHttp(createTestServer().server, {
    authenticator: 'none',
    graceMs: 0,
    connections: { headersMs: 0, requestMs: 200 },
  })
  const toText = OBSTRUCTIONS['stops within the headers']
  await once(obstruct(listener, toText?.(listener) ?? ''), 'close')
})

const READERS: Readonly<Record<string, (request: HttpRequest) => Promise<unknown>>> = {
  whole: (request) => request.readBody(1_000),
  'as a stream': async (request) => {
    for await (const _ of request.streamBody());
  },
}

it.each(Object.keys(READERS))(
  'a reader of a body %s gets an error when the sender is disconnected',
  async (name) => {
    const { promise: reading, resolve: begin } = withResolvers<unknown>()
    await using listener = await listenHandler(
      { graceMs: 0, connections: { requestMs: 200 } },
      ({ allowedHosts }) =>
        createHttpApp({
          authenticator: 'none',
          allowedHosts,
          find: () => ({
            async serve({ request }) {
              const read = Promise.resolve(READERS[name]?.(request))
              begin(read.catch((error: unknown) => error))
              await read
            },
          }),
        }),
    )
    obstruct(listener, wholeHead(listener) + body.slice(0, 20))
    expect(await reading).toBeInstanceOf(ClientDisconnectedError)
  },
)

it('a response may take longer than the request timeout', async () => {
  const { server, gate } = createTestServer()
  await using listener = await listenHttp(server, {
    authenticator: 'none',
    graceMs: 0,
    connections: { headersMs: 600, requestMs: 800, idleMs: 50 },
  })
  const served = { url: listener.url, send: (request: Request) => fetch(request) }
  const slow = sendModern(served, {
    method: 'tools/call',
    params: { name: 'hold', arguments: { gate: 'a', quiet: true } },
  })
  await gate('a').reached
  // A client that connected later and sends nothing has been disconnected meanwhile.
  await once(obstruct(listener, ''), 'close')
  gate('a').open()
  expect((await slow).status).toBe(200)
})

it('when every connection has a response in progress, a new one is refused', async () => {
  const { server, gate } = createTestServer()
  await using listener = await listenHttp(server, {
    authenticator: 'none',
    graceMs: 0,
    connections: { maxOpen: 2 },
  })
  const served = { url: listener.url, send: (request: Request) => fetch(request) }
  const hold = (name: string): Promise<Response> =>
    sendModern(served, {
      method: 'tools/call',
      params: { name: 'hold', arguments: { gate: name, quiet: true } },
    })
  const held = [hold('a'), hold('b')]
  await Promise.all([gate('a').reached, gate('b').reached])
  await expect(sendModern(served, { method: 'server/discover' })).rejects.toThrow('fetch failed')
  for (const name of ['a', 'b']) gate(name).open()
  for (const response of held) expect((await response).status).toBe(200)
})

it.each([{ requestMs: 5_000 }, { headersMs: 0 }, { requestMs: 0 }])(
  'partial limits keep the other defaults: %j',
  async (connections) => {
    const { server } = createTestServer()
    const listener = await listenHttp(server, { authenticator: 'none', connections })
    const response = await sendModern(
      { url: listener.url, send: (request) => fetch(request) },
      { method: 'server/discover' },
    )
    expect(response.status).toBe(200)
    await listener.close()
  },
)
