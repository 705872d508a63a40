import { expect, it } from 'vitest'
import { LegacyClient, eventsOf, openEvents, take, toMessage } from '../http-client.ts'
import { createTestServer, describeHttp } from '../servers.ts'

describeHttp('resumption', (serve) => {
  it('a lost connection does not cancel the request, and its response is fetched later [resumption-lost-connection]', async () => {
    const { server, gate } = createTestServer()
    await using served = await serve(server)
    const client = await LegacyClient.connect(served)
    const params = { name: 'hold', arguments: { gate: 'a' } }
    const lost = openEvents(await client.request('tools/call', params))
    const [, began] = await take(lost.events, 2)
    const signal = await gate('a').reached
    await lost.hangUp()
    gate('a').open()

    const resumed = await client.get({ 'last-event-id': began?.id ?? '' })
    expect(resumed.status).toBe(200)
    const events = eventsOf(resumed)
    const [, resumes, answer] = await take(events, 3)
    expect(toMessage(resumes!)).toMatchObject({ params: { data: 'goes on' } })
    expect(toMessage(answer!)).toMatchObject({ id: 1, result: { content: [{ text: 'done' }] } })
    expect(await events.next()).toMatchObject({ done: true })
    expect(signal.aborted).toBe(false)
  })

  it('the priming event is enough to resume', async () => {
    const { server, gate } = createTestServer()
    await using served = await serve(server)
    const client = await LegacyClient.connect(served)
    const params = { name: 'hold', arguments: { gate: 'a' } }
    const lost = openEvents(await client.request('tools/call', params))
    const [priming] = await take(lost.events, 1)
    await lost.hangUp()
    gate('a').open()
    const events = eventsOf(await client.get({ 'last-event-id': priming?.id ?? '' }))
    const [again, ...rest] = await take(events, 4)
    expect(again).toEqual(priming)
    expect(rest.map((event) => toMessage(event))).toMatchObject([
      { params: { data: 'began' } },
      { params: { data: 'goes on' } },
      { result: {} },
    ])
  })

  it('a response can be replayed from any event, without loss or duplicates', async () => {
    await using served = await serve(createTestServer().server)
    const client = await LegacyClient.connect(served)
    const params = { name: 'count', arguments: { to: 20 } }
    const original = await take(eventsOf(await client.request('tools/call', params)), 22)
    for (const [index, { id }] of original.entries()) {
      const resumed = eventsOf(await client.get({ 'last-event-id': id ?? '' }))
      const rest = []
      for await (const event of resumed) rest.push(event)
      expect(rest.slice(1).map((event) => event.data)).toEqual(
        original.slice(index + 1).map((event) => event.data),
      )
    }
  })

  it('concurrent streams are resumed separately', async () => {
    const { server, gate } = createTestServer()
    await using served = await serve(server)
    const client = await LegacyClient.connect(served)
    const start = async (name: string): Promise<string> => {
      const params = { name: 'hold', arguments: { gate: name } }
      const lost = openEvents(await client.request('tools/call', params))
      const [, began] = await take(lost.events, 2)
      await lost.hangUp()
      return began?.id ?? ''
    }
    const ids = [await start('a'), await start('b'), await start('c')]
    for (const name of ['c', 'a', 'b']) gate(name).open()
    for (const [index, id] of ids.entries()) {
      const events = eventsOf(await client.get({ 'last-event-id': id }))
      const [, , answer] = await take(events, 3)
      expect(toMessage(answer!).id).toBe(index + 1)
      expect(await events.next()).toMatchObject({ done: true })
    }
  })

  it('the standalone stream resumes where it broke', async () => {
    const { server } = createTestServer()
    await using served = await serve(server)
    const client = await LegacyClient.connect(served)
    await client.call('resources/subscribe', { uri: 'test://watched' })
    const first = openEvents(await client.get())
    await take(first.events, 1)
    server.notify.resourceUpdated('test://watched')
    const [seen] = await take(first.events, 1)
    await first.hangUp()
    server.notify.resourceUpdated('test://watched')
    server.notify.toolsChanged()
    const second = eventsOf(await client.get({ 'last-event-id': seen?.id ?? '' }))
    const [, update, list] = await take(second, 3)
    expect(toMessage(update!).method).toBe('notifications/resources/updated')
    expect(toMessage(list!).method).toBe('notifications/tools/list_changed')
    await second.return(undefined)
  })

  it('a client that reconnects before its old connection timed out takes the stream over', async () => {
    const { server } = createTestServer()
    await using served = await serve(server)
    const client = await LegacyClient.connect(served)
    const first = eventsOf(await client.get())
    const [priming] = await take(first, 1)
    const second = eventsOf(await client.get({ 'last-event-id': priming?.id ?? '' }))
    await take(second, 1)
    expect(await first.next()).toMatchObject({ done: true })
    server.notify.toolsChanged()
    expect(await take(second, 1)).toHaveLength(1)
    await second.return(undefined)
  })

  it('an event id of another session, or of none, is refused', async () => {
    await using served = await serve(createTestServer().server)
    const mine = await LegacyClient.connect(served)
    const other = await LegacyClient.connect(served)
    const params = { name: 'count', arguments: { to: 1 } }
    const [foreign] = await take(eventsOf(await other.request('tools/call', params)), 1)
    for (const id of [foreign?.id ?? '', 'x', `${foreign?.id}0`, '../..', '0.0.0'])
      expect((await mine.get({ 'last-event-id': id })).status, id).toBe(400)
  })

  it('dropped events are reported as a gap', async () => {
    const { server } = createTestServer()
    await using served = await serve(server)
    const client = await LegacyClient.connect(served)
    const stream = openEvents(await client.get())
    const [priming] = await take(stream.events, 1)
    await stream.hangUp()
    for (let count = 0; count < 1_100; count += 1) server.notify.toolsChanged()
    const response = await client.get({ 'last-event-id': priming?.id ?? '' })
    expect(response.status).toBe(410)
    expect(await response.json()).toMatchObject({ error: { message: /gone/ } })
  })

  it('the end of a session ends its streams', async () => {
    const { server, gate } = createTestServer()
    await using served = await serve(server)
    const client = await LegacyClient.connect(served)
    const standalone = eventsOf(await client.get())
    await take(standalone, 1)
    const params = { name: 'hold', arguments: { gate: 'a' } }
    const running = eventsOf(await client.request('tools/call', params))
    await take(running, 2)
    const signal = await gate('a').reached
    await client.delete()
    expect(await standalone.next()).toMatchObject({ done: true })
    const [last] = await take(running, 1)
    expect(last?.data).toContain('the session has ended')
    expect(await running.next()).toMatchObject({ done: true })
    expect(signal.aborted).toBe(true)
    gate('a').open()
  })
})
