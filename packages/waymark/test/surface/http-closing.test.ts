import { expect, it } from 'vitest'
import { withResolvers } from '../../../baton/test/http/servers.ts'
import { setup } from '../setup.ts'
import { createTestSite } from './test-site.ts'

it('a site that closes answers the routes that cannot finish in time', async () => {
  await using project = await setup()
  await using site = createTestSite(project.directory)
  const waiting = site.ask('/api/event.wait?seconds=300')
  await site.site.close(10)
  const response = await waiting
  expect(response.status).toBe(503)
  expect(await response.json()).toMatchObject({
    error: { code: 'busy', message: 'the server is shutting down', retryable: true },
  })
})

it('so does one over MCP: a call that it stopped before anything was done may be made again', async () => {
  await using project = await setup()
  await using site = createTestSite(project.directory)
  const wait = (seconds: number): Promise<Response> => {
    const params = { name: 'events', arguments: { wait_seconds: seconds } }
    return site.askMcp('/mcp', { method: 'tools/call', params })
  }
  // Loads all that the other will need, which must not cost it the time that it has for its last words.
  await (await wait(0)).text()
  const waiting = wait(300)
  await (await wait(0)).text()
  await site.site.close(10)
  expect(await (await waiting).json()).toMatchObject({
    result: {
      isError: true,
      structuredContent: {
        error: { code: 'busy', message: 'the server is shutting down', retryable: true },
      },
    },
  })
})

/** Hands over one piece and falls silent when it is asked for the next. */
async function* stall(onAsked: () => void): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(10)
  onAsked()
  await new Promise(() => {})
}

it('a site that closes answers an upload that does not come to its end', async () => {
  await using project = await setup()
  await using site = createTestSite(project.directory)
  const { promise: isRead, resolve: onRead } = withResolvers<void>()
  const body = ReadableStream.from(stall(onRead))
  const waiting = site.ask('/cas', { method: 'POST', body, duplex: 'half' } as RequestInit)
  await isRead
  await site.site.close(10)
  const response = await waiting
  expect(response.status).toBe(503)
  expect(await response.json()).toMatchObject({ error: { code: 'busy', retryable: true } })
})

it('a site that closes lets a download come to its end', async () => {
  await using project = await setup()
  await using site = createTestSite(project.directory)
  const bytes = Buffer.alloc(3_000_000, 'x')
  const made = await site.ask('/cas', { method: 'POST', body: bytes })
  await made.text()
  const response = await site.ask(made.headers.get('location') ?? '')
  let isClosed = false
  const closing = site.site.close(60_000).then(() => {
    isClosed = true
  })
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(isClosed).toBe(false)
  expect((await response.arrayBuffer()).byteLength).toBe(bytes.length)
  await closing
})
