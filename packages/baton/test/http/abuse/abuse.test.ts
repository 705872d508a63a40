import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFolder, type Folder } from '../../session/stores.ts'
import { readMemory } from '../../support/memory.ts'
import { MODERN_META } from '../../support/sample-server.ts'
import { sendModern } from '../modern-client.ts'
import { type SessionServer, startSessionServer } from '../session-server.ts'

const MEBIBYTE = 1024 * 1024
const SUBSCRIPTIONS = 1_000
const KEYS = 100_000

describe('memory stays bounded when a server', () => {
  let folder: Folder
  let server: SessionServer
  beforeAll(async () => {
    folder = await createFolder()
    server = await startSessionServer(join(folder.path, 'sessions.db'))
  })
  afterAll(async () => {
    await server.child.kill()
    await folder[Symbol.asyncDispose]()
  })

  const post = (
    body: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = {},
  ): Promise<Response> =>
    fetch(server.url, {
      method: 'POST',
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'server/discover',
        ...headers,
      },
      body,
    })
  const discover = (params: object = {}): string =>
    JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'server/discover',
      params: { ...params, _meta: MODERN_META },
    })

  /** Runs an action and returns how much the memory of the process grew, where the system reports it. */
  async function growthOf(step: () => Promise<void>): Promise<number> {
    const before = readMemory(server.child.pid)
    await step()
    const after = readMemory(server.child.pid)
    const growth = ((after?.peak ?? 0) - (before?.peak ?? 0)) / MEBIBYTE
    console.log(`${expect.getState().currentTestName}: the peak grew by ${growth.toFixed(1)} MiB`)
    expect((await post(discover())).status).toBe(200)
    return growth
  }

  it('gets 1,000 subscriptions at once, each of which is notified of a change [abuse-gets-1]', async () => {
    const sockets: Socket[] = []
    const growth = await growthOf(async () => {
      const heard = Array.from({ length: SUBSCRIPTIONS }, async (_, id) => {
        const { socket, said } = subscribe(server.url, id)
        sockets.push(socket)
        await said('notifications/subscriptions/acknowledged')
        return { said }
      })
      const listeners = await Promise.all(heard)
      const params = { name: 'emit', arguments: { count: 1 } }
      const target = { url: server.url, send: (request: Request) => fetch(request) }
      expect((await sendModern(target, { method: 'tools/call', params })).status).toBe(200)
      await Promise.all(listeners.map(({ said }) => said('notifications/resources/updated')))
    })
    for (const socket of sockets) socket.destroy()
    expect(growth).toBeLessThan(128)
  })

  it.each([
    ['many', 1_000, 200],
    ['more than fit', 3_000, 431],
  ])('gets %s headers', async (_title, count, status) => {
    const headers = Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`x-${index}`, '1']),
    )
    const growth = await growthOf(async () => {
      expect((await post(discover(), headers)).status).toBe(status)
    })
    expect(growth).toBeLessThan(64)
  })

  it('gets a small compressed body of 256 MiB [abuse-gets-small]', async () => {
    const packed = new Uint8Array(gzipSync(Buffer.alloc(256 * MEBIBYTE, ' '), { level: 1 }))
    expect(packed.length).toBeLessThan(4 * MEBIBYTE)
    const growth = await growthOf(async () => {
      const response = await post(packed, { 'content-encoding': 'gzip' })
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ error: { code: -32700 } })
    })
    expect(growth).toBeLessThan(64)
  })

  it.each([
    ['numbers far apart', (index: number) => String(index * 65_536)],
    ['numbers that grow', (index: number) => String(index)],
    [
      'pairs of letters that weigh the same',
      (index: number) =>
        index.toString(2).padStart(17, '0').replaceAll('0', 'Aa').replaceAll('1', 'BB'),
    ],
  ])('gets 100,000 names that are %s', async (_title, toName) => {
    const names = Object.fromEntries(Array.from({ length: KEYS }, (_, index) => [toName(index), 1]))
    const body = discover({ names })
    const growth = await growthOf(async () => {
      expect((await post(body)).status).toBe(200)
    })
    expect(growth).toBeLessThan(128)
  })
})

/** Subscribes to a resource on a separate connection. */
function subscribe(
  url: string,
  id: number,
): { socket: Socket; said: (what: string) => Promise<void> } {
  const { hostname, port, host, pathname } = new URL(url)
  const params = { notifications: { resourceSubscriptions: ['test://tick'] }, _meta: MODERN_META }
  const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'subscriptions/listen', params })
  const socket = connect(Number(port), hostname)
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  socket.write(
    [
      `POST ${pathname} HTTP/1.1`,
      `Host: ${host}`,
      'Content-Type: application/json',
      'Accept: application/json, text/event-stream',
      'MCP-Protocol-Version: 2026-07-28',
      'Mcp-Method: subscriptions/listen',
      `Content-Length: ${body.length}`,
      '',
      body,
    ].join('\r\n'),
  )
  const said = async (what: string): Promise<void> => {
    while (!text.includes(what)) await once(socket, 'data')
  }
  return { socket, said }
}
