import { expect, it, vi } from 'vitest'
import { OpenStreams } from '../../../src/transport/http/session/open-streams.ts'
import { createIssuer, type Issuer } from '../../auth/issuer.ts'
import { createResource } from '../../auth/resource.ts'
import { MODERN_META } from '../../support/sample-server.ts'
import { eventsOf, LegacyClient, take } from '../http-client.ts'
import { sendModern } from '../modern-client.ts'
import { createTestServer, describeHttp, type Serve, type Served } from '../servers.ts'

const LISTEN = {
  method: 'subscriptions/listen',
  params: { notifications: { toolsListChanged: true } },
}

/** Keeps comments out of the streams. */
const QUIET = { keepAliveMs: 60_000 }

/** A server, and the headers of a client whose token expires in so many seconds. */
async function serveFor(serve: Serve, server: Parameters<Serve>[0], issuer: Issuer) {
  const authenticator = createResource(issuer)
  const served = await serve(server, { authenticator, ...QUIET })
  const expireIn = async (seconds: number) => {
    // A NumericDate may have a fraction, RFC 7519 section 2.
    const exp = Date.now() / 1000 + seconds
    const token = await issuer.sign({ ...issuer.goodClaims(), exp })
    return { exp: exp * 1000, headers: { authorization: `Bearer ${token}` } }
  }
  return { served, expireIn }
}

type Open = (served: Served, headers: Record<string, string>) => Promise<Response>

const STREAMS: Readonly<Record<string, Open>> = {
  'the stream of a session': async (served, headers) =>
    (await LegacyClient.connect({ ...served, headers })).get(),
  'the stream of a call in a session': async (served, headers) => {
    const client = await LegacyClient.connect({ ...served, headers })
    return client.request('tools/call', { name: 'hold', arguments: { gate: 'never' } })
  },
  'the stream of the oldest transport': (served, headers) =>
    served.send(new Request(`${served.url}/sse`, { headers })),
  'the stream of a modern subscription': (served, headers) =>
    sendModern(served, { ...LISTEN, headers }),
  'the stream of a modern call': (served, headers) =>
    sendModern(served, {
      method: 'tools/call',
      params: { name: 'hold', arguments: { gate: 'never' } },
      meta: { ...MODERN_META, 'io.modelcontextprotocol/logLevel': 'info' },
      headers,
    }),
}

/** Retries with a longer token lifetime if the machine was too slow for the short one. */
async function withShortestLife(attempt: (seconds: number) => Promise<void>): Promise<void> {
  for (const seconds of [0.5, 3, 10]) {
    const tooLate = Date.now() + seconds * 1000
    try {
      await attempt(seconds)
      return
    } catch (error) {
      if (Date.now() < tooLate) throw error
    }
  }
  await attempt(60)
}

describeHttp('when a token expires', (serve) => {
  it('every kind of stream that it opened ends at once [expiry-every-kind]', async () => {
    await using issuer = await createIssuer()
    const { served, expireIn } = await serveFor(serve, createTestServer().server, issuer)
    await using _ = served
    // Without heartbeats, so that only the stream's own timer can end it.
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const opened = vi.spyOn(OpenStreams.prototype, 'add')
    try {
      await withShortestLife(async (seconds) => {
        const { exp, headers } = await expireIn(seconds)
        const ends = await Promise.all(
          Object.values(STREAMS).map(async (open) => {
            const events = eventsOf(await open(served, headers))
            // A stream that began after the token expired ends without an event: then the attempt is repeated.
            await take(events, 1)
            for await (const _event of events);
            return Date.now()
          }),
        )
        // A timer may fire a little early. How late it fires depends on the machine, so the requested time is checked.
        expect(Math.min(...ends)).toBeGreaterThan(exp - 100)
        const inTime = opened.mock.calls.filter(([{ expiresAt }]) => expiresAt === exp)
        expect(inTime).toHaveLength(ends.length)
      })
    } finally {
      opened.mockRestore()
      vi.useRealTimers()
    }
  })

  it('a session can be resumed with a new one', async () => {
    await using issuer = await createIssuer()
    const { served, expireIn } = await serveFor(serve, createTestServer().server, issuer)
    await using _ = served
    await withShortestLife(async (seconds) => {
      const soon = await expireIn(seconds)
      const client = await LegacyClient.connect({ ...served, headers: soon.headers })
      const stream = eventsOf(await client.get())
      await take(stream, 1)
      for await (const _event of stream);
      const { headers } = await expireIn(600)
      const again = new LegacyClient({ ...served, headers })
      again.sessionId = client.sessionId
      const response = await again.get()
      expect(response.status).toBe(200)
      await response.body?.cancel()
    })
  })

  it('a modern request is cancelled with its stream', async () => {
    await using issuer = await createIssuer()
    await withShortestLife(async (seconds) => {
      const { server, gate } = createTestServer()
      const { served, expireIn } = await serveFor(serve, server, issuer)
      await using _ = served
      const { headers } = await expireIn(seconds)
      const open = STREAMS['the stream of a modern call'] ?? expect.unreachable()
      const call = open(served, headers)
      const refused = call.then(({ ok, status }) => ok || Promise.reject(new Error(`${status}`)))
      const [signal] = await Promise.all([gate('never').reached, refused])
      for await (const _event of eventsOf(await call));
      await vi.waitFor(() => expect(signal.aborted).toBe(true), { timeout: 30_000 })
    })
  })
})

it('a stream has its own timer, and clock jumps are noticed with the next heartbeat', () => {
  vi.useFakeTimers()
  try {
    let jump = 0
    const streams = new OpenStreams(15_000, () => Date.now() + jump)
    const open = (lifeMs: number) => {
      const sink = { closed: false, backlog: 0, write: () => true, end: () => {} }
      const end = vi.fn<() => void>(() => void (sink.closed = true))
      const drained = () => Promise.resolve()
      streams.add({ sink: { ...sink, drained }, expiresAt: Date.now() + lifeMs, end })
      return end
    }
    const [soon, later, muchLater] = [open(1_200), open(60_000), open(2 ** 40)]
    vi.advanceTimersByTime(1_199)
    expect(soon).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(soon).toHaveBeenCalled()
    vi.advanceTimersByTime(10_000)
    expect(later).not.toHaveBeenCalled()
    jump = 60_000
    vi.advanceTimersByTime(5_000)
    expect(later).toHaveBeenCalled()
    expect(muchLater).not.toHaveBeenCalled()
  } finally {
    vi.useRealTimers()
  }
})

it('a clock that is set back does not stop keep-alives', () => {
  vi.useFakeTimers()
  try {
    let jump = 0
    const streams = new OpenStreams(15_000, () => Date.now() + jump)
    const write = vi.fn<(text: string) => boolean>(() => true)
    const drained = () => Promise.resolve()
    const sink = { closed: false, backlog: 0, write, drained, end: () => {} }
    const remove = streams.add({ sink, end: () => {} })
    vi.advanceTimersByTime(60_000)
    const before = write.mock.calls.length
    jump = -3_600_000
    vi.advanceTimersByTime(60_000)
    expect(write.mock.calls.length).toBeGreaterThanOrEqual(2 * before)
    remove()
  } finally {
    vi.useRealTimers()
  }
})
