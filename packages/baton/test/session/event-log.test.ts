import { expect, it } from 'vitest'
import { startOfStream } from '../../src/session/event-id.ts'
import type { Session } from '../../src/session/session.ts'
import type { SessionStore } from '../../src/session/session-store.ts'
import { appendFrame } from '../../src/transport/http/session/append-frame.ts'
import { ALICE, BOB, STATE, createClock, describeStores } from './stores.ts'

const MINUTE = 60_000

async function appendAll(
  store: SessionStore,
  session: Session,
  streamId: string,
  data: readonly string[],
): Promise<string[]> {
  const ids: string[] = []
  for (const item of data) ids.push((await store.events.append(session.id, streamId, item)) ?? '')
  return ids
}

async function openStream(store: SessionStore, session: Session): Promise<string> {
  const streamId = await store.events.openStream(session.id)
  expect(streamId).toBeDefined()
  return streamId ?? ''
}

describeStores('a droppable message', (open) => {
  it.each([
    ['many', { eventsPerStream: 10 }, 'x'],
    ['large', { bytesPerStream: 1_000 }, 'x'.repeat(100)],
  ])(
    'is dropped while %s events are unread, and required messages never are',
    async (_what, limits, data) => {
      await using store = await open({ limits })
      const session = await store.create({ owner: ALICE, state: STATE })
      const stream = await openStream(store, session)
      const offer = async () => await store.events.offer?.(session.id, stream, data)
      const offered = await Promise.all(Array.from({ length: 20 }, offer))
      expect(offered.filter((id) => id !== undefined)).toHaveLength(5)
      const answer = await store.events.append(session.id, stream, 'answer')
      const read = await store.events.readAfter(session.id, startOfStream(stream))
      const events = read.outcome === 'events' ? read.events : []
      expect(events).toHaveLength(6)
      expect(events.at(-1)).toEqual({ id: answer, data: 'answer' })
      expect(await offer()).toBeUndefined()
      store.events.markDelivered(session.id, answer ?? '')
      expect(await offer()).toBeDefined()
    },
  )
})

it('a log without drop support stores droppable messages', async () => {
  const kept: string[] = []
  const append = (_session: string, _stream: string, data: string) =>
    Promise.resolve(String(kept.push(data)))
  const stream = { sessionId: 's', streamId: 't' }
  await appendFrame({ append }, stream, { kind: 'notification', text: 'x', droppable: true })
  expect(kept).toEqual(['x'])
})

describeStores('replay', (open) => {
  it('an event id replays the following events in order', async () => {
    await using store = await open()
    const session = await store.create({ owner: ALICE, state: STATE })
    const stream = session.standaloneStream
    const ids = await appendAll(store, session, stream, ['a', 'b', 'c'])
    expect(await store.events.readAfter(session.id, ids[0] ?? '')).toEqual({
      outcome: 'events',
      streamId: stream,
      events: [
        { id: ids[1], data: 'b' },
        { id: ids[2], data: 'c' },
      ],
      closed: false,
    })
    expect(await store.events.readAfter(session.id, startOfStream(stream))).toMatchObject({
      events: [{ data: 'a' }, { data: 'b' }, { data: 'c' }],
    })
    expect(await store.events.readAfter(session.id, ids[2] ?? '')).toMatchObject({ events: [] })
  })

  it('text comes back unchanged', async () => {
    await using store = await open()
    const session = await store.create({ owner: ALICE, state: STATE })
    const data = '{"text":"line\\nbreak \u2028 é 🜲 \\u0000"}'
    await store.events.append(session.id, session.standaloneStream, data)
    const replay = await store.events.readAfter(session.id, startOfStream(session.standaloneStream))
    expect(replay).toMatchObject({ events: [{ data }] })
  })

  it('concurrent appends keep their order and numbers', async () => {
    await using store = await open()
    const session = await store.create({ owner: ALICE, state: STATE })
    const sent = Array.from({ length: 200 }, (_, index) => String(index))
    const ids = await Promise.all(
      sent.map((data) => store.events.append(session.id, session.standaloneStream, data)),
    )
    expect(new Set(ids).size).toBe(200)
    const replay = await store.events.readAfter(session.id, startOfStream(session.standaloneStream))
    expect(replay.outcome === 'events' && replay.events.map(({ data }) => data)).toEqual(sent)
  })

  it('streams of one session are separate', async () => {
    await using store = await open()
    const session = await store.create({ owner: ALICE, state: STATE })
    const first = await openStream(store, session)
    const second = await openStream(store, session)
    await appendAll(store, session, first, ['first 1', 'first 2'])
    await appendAll(store, session, second, ['second 1'])
    await appendAll(store, session, session.standaloneStream, ['standalone 1'])
    for (const [stream, expected] of [
      [first, ['first 1', 'first 2']],
      [second, ['second 1']],
      [session.standaloneStream, ['standalone 1']],
    ] as const) {
      const replay = await store.events.readAfter(session.id, startOfStream(stream))
      expect(replay.outcome === 'events' && replay.events.map(({ data }) => data)).toEqual(expected)
    }
  })

  it('an event id of another session is unknown', async () => {
    await using store = await open()
    const mine = await store.create({ owner: ALICE, state: STATE })
    const other = await store.create({ owner: BOB, state: STATE })
    const [foreign] = await appendAll(store, other, other.standaloneStream, ['secret', 'secret'])
    expect(await store.events.readAfter(mine.id, foreign ?? '')).toEqual({ outcome: 'unknown' })
    expect(await store.events.append(mine.id, other.standaloneStream, 'planted')).toBeUndefined()
    expect(
      await store.events.readAfter(other.id, startOfStream(other.standaloneStream)),
    ).toMatchObject({ events: [{ data: 'secret' }, { data: 'secret' }] })
  })

  it('forged and far-future ids are unknown', async () => {
    await using store = await open()
    const session = await store.create({ owner: ALICE, state: STATE })
    const [id] = await appendAll(store, session, session.standaloneStream, ['a'])
    const tag = (id ?? '').split('.')[0]
    const forged = [
      '',
      '.',
      '..',
      'x',
      `${id}.1`,
      `${id} `,
      `${tag}.0`,
      `${tag}.0.2`,
      `${tag}.0.-1`,
    ]
    forged.push(`${tag}.0.01`, `${tag}.0.1e0`, `${tag}.1.0`, `${tag}.0.99999999999999999999`)
    forged.push(`x${id}`, (id ?? '').toLowerCase().replace(/^./, '*'), `${tag}.0.0x1`, '\0')
    for (const eventId of forged) {
      expect(await store.events.readAfter(session.id, eventId), eventId).toEqual({
        outcome: 'unknown',
      })
    }
  })

  it('the end of a session ends its streams', async () => {
    await using store = await open()
    const session = await store.create({ owner: ALICE, state: STATE })
    const stream = await openStream(store, session)
    await store.delete(session.id, ALICE)
    expect(await store.events.append(session.id, stream, 'late')).toBeUndefined()
    expect(await store.events.openStream(session.id)).toBeUndefined()
    expect(await store.events.readAfter(session.id, startOfStream(stream))).toEqual({
      outcome: 'unknown',
    })
  })
})

describeStores('event budget', (open) => {
  it('a stream keeps its newest events, and reports older ones as purged', async () => {
    await using store = await open({ limits: { eventsPerStream: 3 } })
    const session = await store.create({ owner: ALICE, state: STATE })
    const data = ['1', '2', '3', '4', '5']
    const ids = await appendAll(store, session, session.standaloneStream, data)
    expect(await store.events.readAfter(session.id, ids[0] ?? '')).toEqual({ outcome: 'purged' })
    expect(await store.events.readAfter(session.id, ids[1] ?? '')).toMatchObject({
      events: [{ data: '3' }, { data: '4' }, { data: '5' }],
    })
  })

  it('sizes are in bytes of UTF-8', async () => {
    await using store = await open({ limits: { bytesPerStream: 8 } })
    const session = await store.create({ owner: ALICE, state: STATE })
    const ids = await appendAll(store, session, session.standaloneStream, ['éé', 'éé', 'é'])
    expect(await store.events.readAfter(session.id, ids[0] ?? '')).toMatchObject({
      events: [{ data: 'éé' }, { data: 'é' }],
    })
    expect(
      await store.events.readAfter(session.id, startOfStream(session.standaloneStream)),
    ).toEqual({ outcome: 'purged' })
  })

  it('an event larger than the budget is kept until the next one', async () => {
    await using store = await open({ limits: { bytesPerStream: 8 } })
    const session = await store.create({ owner: ALICE, state: STATE })
    const [first, large] = await appendAll(store, session, session.standaloneStream, [
      'small',
      'x'.repeat(100),
    ])
    expect(await store.events.readAfter(session.id, first ?? '')).toMatchObject({
      events: [{ id: large }],
    })
  })

  it('the oldest closed streams are dropped for new ones, open ones are kept', async () => {
    await using store = await open({ limits: { streamsPerSession: 3 } })
    const session = await store.create({ owner: ALICE, state: STATE })
    const [closedEarly, open1, closedLate] = [
      await openStream(store, session),
      await openStream(store, session),
      await openStream(store, session),
    ]
    await appendAll(store, session, session.standaloneStream, ['kept'])
    await store.events.closeStream(session.id, closedLate)
    await store.events.closeStream(session.id, closedEarly)
    await openStream(store, session)
    expect(await store.events.readAfter(session.id, startOfStream(closedEarly))).toEqual({
      outcome: 'purged',
    })
    for (const stream of [open1, session.standaloneStream]) {
      expect(await store.events.readAfter(session.id, startOfStream(stream))).toMatchObject({
        outcome: 'events',
      })
    }
  })

  it('all sessions together stay within the budget, at the cost of the longest idle one', async () => {
    const clock = createClock()
    await using store = await open({ now: clock.now, limits: { bytesTotal: 250 } })
    const idle = await store.create({ owner: ALICE, state: STATE })
    await appendAll(store, idle, idle.standaloneStream, ['x'.repeat(100)])
    clock.advance(MINUTE)
    const busy = await store.create({ owner: ALICE, state: STATE })
    await appendAll(store, busy, busy.standaloneStream, ['y'.repeat(100), 'z'.repeat(100)])
    await store.expire()
    expect(await store.events.readAfter(idle.id, startOfStream(idle.standaloneStream))).toEqual({
      outcome: 'purged',
    })
    expect(
      await store.events.readAfter(busy.id, startOfStream(busy.standaloneStream)),
    ).toMatchObject({ outcome: 'events', events: { length: 2 } })
    const next = await store.events.append(idle.id, idle.standaloneStream, 'goes on')
    expect(next).toMatch(/\.2$/)
  })
})

describeStores('closed streams', (open) => {
  it('a closed stream refuses messages but can be read', async () => {
    await using store = await open()
    const session = await store.create({ owner: ALICE, state: STATE })
    const stream = await openStream(store, session)
    await appendAll(store, session, stream, ['answer'])
    await store.events.closeStream(session.id, stream)
    await store.events.closeStream(session.id, stream)
    expect(await store.events.append(session.id, stream, 'late')).toBeUndefined()
    expect(await store.events.readAfter(session.id, startOfStream(stream))).toMatchObject({
      events: [{ data: 'answer' }],
      closed: true,
    })
  })

  it('a closed stream is purged after a while', async () => {
    const clock = createClock()
    await using store = await open({ now: clock.now })
    const session = await store.create({ owner: ALICE, state: STATE })
    const stream = await openStream(store, session)
    await store.events.closeStream(session.id, stream)
    clock.advance(4 * MINUTE)
    store.touch(session.id, 'message')
    await store.expire()
    expect(await store.events.readAfter(session.id, startOfStream(stream))).toMatchObject({
      outcome: 'events',
    })
    clock.advance(1 * MINUTE)
    await store.expire()
    expect(await store.events.readAfter(session.id, startOfStream(stream))).toEqual({
      outcome: 'purged',
    })
  })
})

describeStores('delivery', (open) => {
  it('a reader without a cursor starts after the delivered events', async () => {
    await using store = await open()
    const session = await store.create({ owner: ALICE, state: STATE })
    const stream = session.standaloneStream
    expect(await store.events.undeliveredFrom(session.id, stream)).toBe(startOfStream(stream))
    const ids = await appendAll(store, session, stream, ['a', 'b', 'c'])
    store.events.markDelivered(session.id, ids[1] ?? '')
    store.events.markDelivered(session.id, ids[0] ?? '')
    expect(await store.events.undeliveredFrom(session.id, stream)).toBe(ids[1])
    await store.expire()
    expect(await store.events.undeliveredFrom(session.id, stream)).toBe(ids[1])
  })

  it('watchers are woken by appends, by the close and by the end of the session', async () => {
    await using store = await open()
    const session = await store.create({ owner: ALICE, state: STATE })
    const stream = await openStream(store, session)
    const other = await openStream(store, session)
    let wakes = 0
    const stop = store.events.watch(stream, () => {
      wakes += 1
    })
    await store.events.append(session.id, other, 'elsewhere')
    expect(wakes).toBe(0)
    await store.events.append(session.id, stream, 'here')
    expect(wakes).toBe(1)
    await store.events.closeStream(session.id, stream)
    expect(wakes).toBe(2)
    await store.delete(session.id, ALICE)
    expect(wakes).toBe(3)
    stop()
    await store.create({ owner: ALICE, state: STATE })
    expect(wakes).toBe(3)
  })
})
