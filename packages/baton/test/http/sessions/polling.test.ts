import { createServer, type Server } from '@waymark/baton'
import { expect, it } from 'vitest'
import { LegacyClient, eventsOf, readAll, take, toMessage } from '../http-client.ts'
import { sendModern } from '../modern-client.ts'
import { describeHttp, withResolvers } from '../servers.ts'

/** A server whose tool disconnects its client and returns when the test says so. */
function createPollingServer(): { server: Server; answer: () => void } {
  const { promise, resolve } = withResolvers<void>()
  const server = createServer({ name: 'polling', version: '1.0.0' }).tool({
    name: 'slow',
    async run(_input, context) {
      context.disconnect()
      context.disconnect()
      await promise
      return { content: [{ type: 'text', text: 'worth the wait' }] }
    },
  })
  return { server, answer: () => resolve() }
}

describeHttp('a tool that disconnects its client', (serve) => {
  it('leaves it an event id, with which it resumes for the response', async () => {
    const { server, answer } = createPollingServer()
    await using served = await serve(server)
    const client = await LegacyClient.connect(served)
    const first = eventsOf(await client.request('tools/call', { name: 'slow' }))
    const [priming] = await take(first, 1)
    expect(priming).toMatchObject({ data: '', retry: 1000 })
    expect(await first.next()).toMatchObject({ done: true })

    answer()
    const second = eventsOf(await client.get({ 'last-event-id': priming?.id ?? '' }))
    const [, event] = await take(second, 2)
    expect(toMessage(event!)).toMatchObject({
      id: 1,
      result: { content: [{ text: 'worth the wait' }] },
    })
    expect(await second.next()).toMatchObject({ done: true })
  })

  it('keeps a client that could not resume', async () => {
    const { server, answer } = createPollingServer()
    await using served = await serve(server)
    const old = await LegacyClient.connect({ ...served, protocolVersion: '2025-06-18' })
    const legacy = old.request('tools/call', { name: 'slow' })
    const modern = sendModern(served, { method: 'tools/call', params: { name: 'slow' } })
    answer()
    for (const response of [await legacy, await modern])
      expect(await readAll(response)).toMatchObject([{ result: { content: [{}] } }])
  })
})
