import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createHttpHandler, MemorySessionStore, type SessionEvent } from '@waymark/baton/http'
import { formatCount, isFullLevel } from '../../level.ts'
import { createFolder } from '../../session/stores.ts'
import { createTestServer } from '../servers.ts'
import { type SessionServer, startSessionServer } from '../session-server.ts'
import { LegacyClient, eventsOf, openEvents, readAll } from '../http-client.ts'
import type { ParsedEvent } from '../sse-parser.ts'

const RESTARTS = isFullLevel ? 20 : 2
const RECONNECTS_PER_LIFE = isFullLevel ? 10 : 4
const EVENTS_PER_CALL = 540
const EVENTS = isFullLevel ? 100_000 : 3_500
const TIMEOUT_MS = 300_000

const LIMITS = { eventsPerStream: 1_000_000, bytesPerStream: 1_000_000_000 }

const startServer = (path: string): Promise<SessionServer> => startSessionServer(path, LIMITS)

function connectTo(url: string): LegacyClient {
  return new LegacyClient({ url, send: (request) => fetch(request) })
}

it('after kill -9 a client continues its session: identity, log level and subscriptions [restart-after-kill]', async () => {
  await using folder = await createFolder()
  const path = join(folder.path, 'sessions.db')
  const first = await startServer(path)
  const client = connectTo(first.url)
  await client.initialize({ elicitation: {}, sampling: {} })
  await client.notify('notifications/initialized')
  await client.call('logging/setLevel', { level: 'warning' })
  await client.call('resources/subscribe', { uri: 'test://tick' })
  const before = await client.call('tools/call', { name: 'whoami' })
  await client.call('tools/call', { name: 'emit', arguments: { count: 3 } })
  await first.child.kill()

  const second = await startServer(path)
  client.url = second.url
  expect((await client.call('tools/call', { name: 'whoami' })).result).toEqual(before.result)
  const logged = await readAll(await client.request('tools/call', { name: 'log_all_levels' }))
  expect(logged.map(({ params }) => params?.['level'])).toEqual(['warning', 'error', undefined])
  await client.call('tools/call', { name: 'emit', arguments: { count: 1 } })
  const events = eventsOf(await client.get())
  const uris: unknown[] = []
  for await (const { data } of events) {
    if (data !== '') uris.push((JSON.parse(data) as { params: { uri: string } }).params.uri)
    if (uris.length === 4) break
  }
  expect(uris).toEqual(Array.from({ length: 4 }, () => 'test://tick'))
  const stranger = connectTo(second.url)
  stranger.sessionId = 'A'.repeat(43)
  expect((await stranger.request('ping')).status).toBe(404)
  await second.child.kill()
})

it('a restored session gets notifications before its client reconnects, any other only afterwards', async () => {
  for (const isRevived of [true, false]) {
    await using store = new MemorySessionStore()
    const before = createTestServer().server
    await using first = createHttpHandler(before, { authenticator: 'none', store })
    const client = new LegacyClient({ url: 'http://localhost:4120/mcp', send: first.fetch })
    await client.initialize()
    await client.notify('notifications/initialized')
    await client.call('resources/subscribe', { uri: 'test://watched' })

    const resumed: string[] = []
    const { server } = createTestServer()
    const onSession = ({ kind }: SessionEvent): void => void resumed.push(kind)
    await using second = createHttpHandler(server, { authenticator: 'none', store, onSession })
    if (isRevived) await second.restoreSessions()
    server.notify.resourceUpdated('test://watched')
    server.notify.resourceUpdated('test://other')
    const { sessionId } = client
    const back = new LegacyClient({ url: client.url, send: second.fetch })
    back.sessionId = sessionId
    await back.call('ping')
    server.notify.resourceUpdated('test://watched')
    expect(resumed).toEqual(['resumed'])
    const events = eventsOf(await back.get())
    const heard: unknown[] = []
    for await (const { data } of events) {
      if (data !== '') heard.push((JSON.parse(data) as { params: unknown }).params)
      if (heard.length === (isRevived ? 2 : 1)) break
    }
    expect(new Set(heard.map((params) => JSON.stringify(params)))).toEqual(
      new Set(['{"uri":"test://watched"}']),
    )
  }
})

it(
  `${RESTARTS} kills and ${RESTARTS * RECONNECTS_PER_LIFE} reconnects lose or duplicate none of ${formatCount(EVENTS)} events [restart-kills-reconnects]`,
  async () => {
    await using folder = await createFolder()
    const path = join(folder.path, 'sessions.db')
    const received: string[] = []
    let acknowledged = 0
    let reconnects = 0
    let lastEventId: string | undefined
    let { child, url } = await startServer(path)
    const client = connectTo(url)
    await client.initialize()
    await client.notify('notifications/initialized')
    await client.call('resources/subscribe', { uri: 'test://tick' })

    /** Opens the stream where the client lost it, and reads in the background until it ends. */
    const listen = async (): Promise<{ hangUp: () => Promise<void> } | undefined> => {
      const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
      const response = await client.get(headers)
      // Without an event id the client cannot be told from a second reader, and has to retry.
      if (response.status === 409 && lastEventId === undefined) return undefined
      expect(response.status).toBe(200)
      reconnects += 1
      const { events, hangUp } = openEvents(response)
      const reading = remember(events).catch(() => {})
      return {
        hangUp: () =>
          hangUp().then(
            () => reading,
            () => reading,
          ),
      }
    }

    /** Remembers the last id as a client does, also that of an event without data. */
    const remember = async (events: AsyncGenerator<ParsedEvent>): Promise<void> => {
      for await (const { id, data } of events) {
        lastEventId = id
        if (data !== '') received.push(id ?? '')
      }
    }

    const emit = async (): Promise<void> => {
      const params = { name: 'emit', arguments: { count: EVENTS_PER_CALL } }
      const answer = await client.call('tools/call', params).catch(() => undefined)
      if (answer?.result !== undefined) acknowledged += EVENTS_PER_CALL
    }

    for (let life = 0; life < RESTARTS; life += 1) {
      for (let attempt = 0; attempt < RECONNECTS_PER_LIFE; attempt += 1) {
        const listening = await listen()
        const emitting = emit()
        // Half of the kills happen during a call, the others right after one.
        const isLast = attempt === RECONNECTS_PER_LIFE - 1
        if (isLast && life % 2 === 0) await child.kill()
        await emitting
        await listening?.hangUp()
      }
      await child.kill()
      ;({ child, url } = await startServer(path))
      client.url = url
    }

    const listening = await listen()
    await emit()
    let seen = -1
    while (seen < received.length || received.length < acknowledged) {
      seen = received.length
      await client.call('ping')
    }
    await listening?.hangUp()
    await child.kill()

    const [stream] = (received[0] ?? '').split(/\.\d+$/)
    const isInOrder = received.every((id, index) => id === `${stream}.${index + 1}`)
    expect(isInOrder).toBe(true)
    expect(received.length).toBeGreaterThanOrEqual(Math.max(acknowledged, EVENTS))
    expect(reconnects).toBeGreaterThan((RESTARTS - 1) * RECONNECTS_PER_LIFE)
    console.log(`${received.length} events, ${acknowledged} acknowledged, ${reconnects} reconnects`)
  },
  TIMEOUT_MS,
)
