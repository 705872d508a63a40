import { createServer } from '@waymark/baton'
import { expect, it } from 'vitest'
import { MemorySessionStore } from '@waymark/baton/http'
import type { SessionEvent } from '@waymark/baton/http'
import { listenHttp } from '@waymark/baton/node'
import { LegacyClient, eventsOf, openEvents, readAll, take } from '../http-client.ts'
import { sendModern } from '../modern-client.ts'
import { createTestServer, describeHttp, serveNode, withResolvers } from '../servers.ts'
import { MODERN_META } from '../../support/sample-server.ts'

describeHttp('limits', (serve) => {
  it('a caller over the rate limit has to wait', async () => {
    let now = 1_800_000_000_000
    const options = { rateLimit: { perSecond: 1, burst: 3 }, now: () => now }
    await using served = await serve(createTestServer().server, options)
    const ping = (): Promise<Response> => sendModern(served, { method: 'server/discover' })
    for (let count = 0; count < 3; count += 1) expect((await ping()).status).toBe(200)
    const refused = await ping()
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('1')
    now += 1_000
    expect((await ping()).status).toBe(200)
    expect((await ping()).status).toBe(429)
    // A clock that was set back must not lock callers out.
    now -= 3_600_000
    expect((await ping()).status).toBe(200)
  })

  it('a full store refuses new sessions and keeps the old ones', async () => {
    const store = new MemorySessionStore({ limits: { maxSessions: 2 } })
    await using served = await serve(createTestServer().server, { store })
    const clients = [await LegacyClient.connect(served), await LegacyClient.connect(served)]
    const refused = await new LegacyClient(served).initialize()
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe('60')
    for (const client of clients) expect((await client.request('ping')).status).toBe(200)
  })

  it('session events report creation, resumption and end', async () => {
    const events: SessionEvent[] = []
    const store = new MemorySessionStore()
    const options = { store, onSession: (event: SessionEvent) => events.push(event) }
    let client: LegacyClient
    {
      await using served = await serve(createTestServer().server, options)
      client = await LegacyClient.connect(served)
    }
    await using served = await serve(createTestServer().server, options)
    const again = new LegacyClient(served)
    again.sessionId = client.sessionId
    await again.request('ping')
    await again.delete()
    expect(events.map(({ kind }) => kind)).toEqual(['created', 'resumed', 'terminated'])
    expect(new Set(events.map(({ sessionId }) => sessionId))).toEqual(new Set([client.sessionId]))
  })

  it('an idle stream gets keep-alive comments', async () => {
    await using served = await serve(createTestServer().server, { keepAliveMs: 5 })
    const client = await LegacyClient.connect(served)
    const response = await client.get()
    const reader = response.body?.getReader()
    let text = ''
    while (!text.includes(': keep-alive\n\n')) {
      const chunk = await reader?.read()
      text += new TextDecoder().decode(chunk?.value)
    }
    await reader?.cancel()
  })
})

/** Logs a thousand characters that many times, with pauses in between. */
async function talk(times: number, say: (text: string) => void): Promise<void> {
  for (let count = 0; count < times; count += 1) {
    say('x'.repeat(1_000))
    if (count % 100 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
}

it('a client that does not read is disconnected, and others are served', async () => {
  const { server } = createTestServer()
  await using served = await serveNode(server)
  const client = await LegacyClient.connect(served)
  const other = await LegacyClient.connect(served)
  const { events } = openEvents(await client.get())
  await talk(40_000, (text) => server.notify.log('info', text))
  expect((await other.request('ping')).status).toBe(200)
  const received = []
  for await (const event of events) received.push(event)
  // The stream ends early because later events were dropped, which the client learns when it resumes.
  expect(received.length).toBeGreaterThan(1)
  expect(received.length).toBeLessThan(40_000)
  const resumed = await client.get({ 'last-event-id': received.at(-1)?.id ?? '' })
  expect(resumed.status).toBe(410)
})

it('a slow client misses progress of a call, but not its response', async () => {
  const { promise: finished, resolve: finish } = withResolvers<void>()
  const server = createServer({ name: 'chatterbox', version: '1.0.0' }).tool({
    name: 'talk',
    async run(_input, context) {
      await talk(10_000, (text) => context.log('info', text))
      finish()
      return { content: [{ type: 'text', text: 'that is all' }] }
    },
  })
  await using served = await serveNode(server)
  const client = await LegacyClient.connect(served)
  const response = await client.request('tools/call', { name: 'talk' })
  await finished
  const messages = await readAll(response)
  expect(messages.at(-1)).toMatchObject({ result: { content: [{ text: 'that is all' }] } })
})

describeHttp('a call that sends many messages at once', (serve) => {
  it('is answered', async () => {
    await using served = await serve(createTestServer().server)
    const client = await LegacyClient.connect(served)
    const answer = await client.call('tools/call', { name: 'count', arguments: { to: 1_500 } })
    expect(answer).toMatchObject({ result: { content: [{ text: 'counted to 1500' }] } })
  })
})

it('listening on all addresses needs an authenticator', async () => {
  const { server } = createTestServer()
  await expect(listenHttp(server, { authenticator: 'none', host: '0.0.0.0' })).rejects.toThrow(
    'needs an authenticator',
  )
})

it('closing lets running requests finish and ends the streams', async () => {
  const { server, gate } = createTestServer()
  const listener = await listenHttp(server, { authenticator: 'none', graceMs: 5_000 })
  const served = { url: listener.url, send: (request: Request) => fetch(request) }
  const client = await LegacyClient.connect(served)
  const stream = eventsOf(await client.get())
  await take(stream, 1)
  const params = { name: 'hold', arguments: { gate: 'a', quiet: true } }
  const legacy = client.call('tools/call', params)
  await gate('a').reached
  const modern = sendModern(served, {
    method: 'tools/call',
    params: { name: 'hold', arguments: { gate: 'b', quiet: true } },
    meta: MODERN_META,
  })
  await gate('b').reached
  const closing = listener.close()
  gate('a').open()
  gate('b').open()
  expect(await legacy).toMatchObject({ result: { content: [{ text: 'done' }] } })
  expect((await modern).status).toBe(200)
  expect(await stream.next()).toMatchObject({ done: true })
  await closing
  await expect(fetch(listener.url)).rejects.toThrow('fetch failed')
})
