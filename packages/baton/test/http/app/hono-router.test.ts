import { Hono } from 'hono'
import { expect, it } from 'vitest'
import { createHonoRouter, createHttpHandler, createHttpServer } from '@waymark/baton/http'
import { LegacyClient, eventsOf, take } from '../http-client.ts'
import { createTestServer } from '../servers.ts'

it('the router mounts beside other routes and shares their middleware [hono-router-mounts-beside]', async () => {
  const { server } = createTestServer()
  await using handler = createHttpHandler(server, { authenticator: 'none' })
  const app = new Hono()
  app.use(async (context, next) => {
    await next()
    context.header('x-traced', 'yes')
  })
  app.get('/health', (context) => context.json({ ok: true }))
  app.route('/deep/down/mcp', await createHonoRouter(handler))

  const send = async (request: Request): Promise<Response> => await app.fetch(request)
  expect(await (await send(new Request('http://localhost:3000/health'))).json()).toEqual({
    ok: true,
  })
  const url = 'http://localhost:3000/deep/down/mcp'
  const client = new LegacyClient({ url, send })
  const response = await client.initialize()
  expect(response.status).toBe(200)
  expect(response.headers.get('x-traced')).toBe('yes')
  await client.notify('notifications/initialized')
  const answer = await client.call('tools/call', { name: 'echo', arguments: { text: 'nested' } })
  expect(answer).toMatchObject({ result: { content: [{ text: 'nested' }] } })

  const events = eventsOf(await send(new Request(`${url}/sse`)))
  const [endpoint] = await take(events, 1)
  expect(endpoint?.data).toMatch(/^\/deep\/down\/mcp\/message\?sessionId=/)
  await events.return(undefined)
  expect((await send(new Request('http://localhost:3000/elsewhere'))).status).toBe(404)
  expect((await send(new Request(`http://evil.test/deep/down/mcp`))).status).toBe(403)
})

it('a server may be its own handler and router [hono-router-server-handler]', async () => {
  await using server = createHttpServer({
    name: 'web',
    version: '1',
    http: { authenticator: 'none' },
  }).tool({ name: 'look', run: () => ({ content: [{ type: 'text', text: 'seen' }] }) })
  const app = new Hono().route('/mcp', await server.router())
  const url = 'http://localhost:3000/mcp'
  for (const send of [server.fetch, async (request: Request) => await app.fetch(request)]) {
    const client = await LegacyClient.connect({ url, send })
    const answer = await client.call('tools/call', { name: 'look' })
    expect(answer).toMatchObject({ result: { content: [{ text: 'seen' }] } })
  }
})
