import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, Socket } from 'node:net'
import { createHttpHandler, type HttpHandler } from '@waymark/baton/http'
import { listenHandler } from '@waymark/baton/node'
import { expect, it, vi } from 'vitest'
import { markStreamed, BodyTimeout } from '../../../src/transport/http/node/body-timeout.ts'
import { sendModern } from '../modern-client.ts'
import { createTestServer } from '../servers.ts'

it('a request that arrives before the handler is created is answered by it', async () => {
  const { server } = createTestServer()
  let early: Promise<Response> | undefined
  await using _listener = await listenHandler({ graceMs: 0 }, async ({ port, allowedHosts }) => {
    const url = `http://127.0.0.1:${port}/mcp`
    early = sendModern({ url, send: (request) => fetch(request) }, { method: 'server/discover' })
    // Long enough for it to arrive on most machines; on others the test is easier to pass.
    await new Promise((resolve) => setTimeout(resolve, 50))
    return createHttpHandler(server, { authenticator: 'none', allowedHosts, path: '/mcp' })
  })
  expect((await early)?.status).toBe(200)
})

it('a reader of a body gets an error when its client disconnects', async () => {
  const socket = new Socket()
  let outcome: Promise<unknown> | undefined
  const handler: Pick<HttpHandler, 'handle' | 'close'> = {
    async handle(request, reply) {
      const gone = new Promise<void>((resolve) => reply.onDisconnect(resolve))
      socket.destroy()
      await gone
      outcome = request.readBody(1_000)
      outcome.catch(() => {})
    },
    close: () => Promise.resolve(),
  }
  await using listener = await listenHandler({ graceMs: 0 }, () => handler as HttpHandler)
  socket.on('error', () => {}).connect(listener.port, '127.0.0.1')
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhal')
  await vi.waitFor(() => expect(outcome).toBeDefined(), { timeout: 30_000 })
  await expect(outcome).rejects.toThrow('the client disconnected')
})

it('a request that was abandoned before it is read is not an error', async () => {
  const errors: unknown[] = []
  const onError = (error: unknown): void => void errors.push(error)
  await using handler = createHttpHandler(createTestServer().server, {
    authenticator: 'none',
    path: '/mcp',
    onError,
  })
  const url = 'http://localhost:4120/mcp'
  const response = await sendModern(
    { url, send: handler.fetch },
    { method: 'server/discover', signal: AbortSignal.abort() },
  )
  expect(response.status).toBe(499)
  await new Promise((resolve) => setImmediate(resolve))
  expect(errors).toEqual([])
})

/** A request of which the head and a little of the body have come, and the way to send more. */
async function openRequest() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nx')
  const [request, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse]
  request.resume()
  return {
    request,
    response,
    socket,
    async send(text: string): Promise<void> {
      const before = request.socket.bytesRead
      socket.write(text)
      await vi.waitFor(() => expect(request.socket.bytesRead).toBeGreaterThan(before), 30_000)
    },
    [Symbol.asyncDispose]: async () => {
      socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

it('a streamed body may take any time while it makes progress, a message must be complete in time', async () => {
  for (const isStream of [true, false]) {
    await using open = await openRequest()
    if (isStream) markStreamed(open.request)
    const patience = new BodyTimeout(1_000)
    const isCutAt = (now: number): boolean => {
      patience.check([open.response], now)
      return open.response.headersSent
    }
    for (const now of [0, 900]) expect(isCutAt(now)).toBe(false)
    await open.send('x')
    expect(isCutAt(1_800)).toBe(!isStream)
    if (isStream) expect([isCutAt(2_700), isCutAt(2_900)]).toEqual([false, true])
    const [answer] = (await once(open.socket, 'data')) as [Buffer]
    expect(String(answer)).toContain('408')
  }
})
