import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { askServer } from '../../src/surfaces/join/team-call.ts'

/** A server that is busy for the first call and says so with these headers. */
async function busyOnce(retryAfter: string) {
  const times: number[] = []
  const server = createServer((_, response) => {
    times.push(performance.now())
    if (times.length === 1) response.writeHead(429, { 'retry-after': retryAfter }).end('{}')
    else response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    times,
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

// What proxies send: seconds, a date, and nonsense.
it.each(['0', 'Wed, 21 Oct 2015 07:28:00 GMT', '-5', 'soon'])(
  'a call waits before it is sent again to a busy server, also if told %j [team-retry-after]',
  async (retryAfter) => {
    await using server = await busyOnce(retryAfter)
    expect(await askServer({ url: server.url, token: 'x' }, '/')).toEqual({ ok: true })
    const [first = 0, second = 0] = server.times
    expect(second - first).toBeGreaterThan(200)
  },
)
