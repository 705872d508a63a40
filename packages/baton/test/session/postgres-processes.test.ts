import { expect, it } from 'vitest'
import { startOfStream } from '../../src/session/event-id.ts'
import { createSessionSchema } from './postgres-schema.ts'
import { ALICE, BOB, STATE } from './stores.ts'

it('a session continues in another process, with its state and its streams [postgres-continues]', async () => {
  await using schema = await createSessionSchema()
  await using first = await schema.open()
  await using second = await schema.open()
  const session = await first.create({ owner: ALICE, state: STATE })
  const stream = session.standaloneStream
  expect(await second.get(session.id, ALICE)).toEqual(session)
  expect(await second.get(session.id, BOB)).toBeUndefined()
  await second.update(session.id, ALICE, (state) => ({ ...state, logLevel: 'info' }))
  expect(await first.get(session.id, ALICE)).toMatchObject({ state: { logLevel: 'info' } })
  const before = await first.events.append(session.id, stream, 'of the first')
  const after = await second.events.append(session.id, stream, 'of the second')
  expect(await second.events.readAfter(session.id, before ?? '')).toMatchObject({
    events: [{ id: after, data: 'of the second' }],
  })
  expect(await second.delete(session.id, ALICE)).toBe(true)
  expect(await first.get(session.id, ALICE)).toBeUndefined()
})

it('a session of another endpoint does not exist', async () => {
  await using schema = await createSessionSchema()
  await using store = await schema.open()
  const session = await store.create({ owner: ALICE, state: STATE })
  await schema.query("UPDATE SCHEMA.mcp_session SET endpoint = 'another'")
  const stream = session.standaloneStream
  expect(await store.get(session.id, ALICE)).toBeUndefined()
  expect(await store.delete(session.id, ALICE)).toBe(false)
  expect(await store.events.openStream(session.id)).toBeUndefined()
  expect(await store.events.append(session.id, stream, 'x')).toBeUndefined()
  expect(await store.events.readAfter(session.id, startOfStream(stream))).toEqual({
    outcome: 'unknown',
  })
  expect(await store.list()).toEqual([])
})

it.each([
  ['by a signal', true],
  ['by the poll when signals are lost', false],
])(
  'a reader hears of the events of another process %s [postgres-wakes-%#]',
  async (_how, hears) => {
    await using schema = await createSessionSchema()
    await using reader = await schema.open({ hears })
    await using writer = await schema.open()
    const session = await reader.create({ owner: ALICE, state: STATE })
    const stream = session.standaloneStream
    for (const change of ['append', 'close', 'delete'] as const) {
      let stop = (): void => {}
      const woken = new Promise<void>((wake) => {
        let wakes = 0
        // The first poll wakes, because it cannot know what has happened before.
        stop = reader.events.watch(stream, () => {
          wakes += 1
          if (hears || wakes > 1) wake()
        })
      })
      if (!hears) await new Promise((resolve) => setTimeout(resolve, 1_500))
      if (change === 'append') await writer.events.append(session.id, stream, 'x')
      else if (change === 'close') await writer.events.closeStream(session.id, stream)
      else await writer.delete(session.id, ALICE)
      await woken
      stop()
    }
  },
)

it('of the processes that notice a change, the one with the current state notifies the session [postgres-announces]', async () => {
  await using schema = await createSessionSchema()
  await using first = await schema.open()
  await using second = await schema.open()
  const session = await first.create({ owner: ALICE, state: STATE })
  const announce = async (): Promise<boolean[]> =>
    await Promise.all(
      [first, second].map(async ({ events }) => {
        const added = await events.announce?.(session.id, session.standaloneStream, 'changed')
        return added !== undefined
      }),
    )
  // No caller waits for a takeover; until it is stored, both processes may notify. Writes of a session keep their order.
  const takenOver = async ({ events }: typeof first): Promise<void> =>
    void (await events.append(session.id, session.standaloneStream, 'after the takeover'))
  expect(await announce()).toEqual([true, false])
  await second.update(session.id, ALICE, (state) => ({ ...state, subscriptions: ['test://x'] }))
  expect(await announce()).toEqual([false, true])
  first.touch(session.id, 'opened')
  await takenOver(first)
  expect(await announce()).toEqual([true, false])
  // A heartbeat is no sign of a current state.
  second.touch(session.id, 'connected')
  expect(await announce()).toEqual([true, false])
  // The first process was killed, and its lease has run out.
  await schema.query(`UPDATE SCHEMA.mcp_writer SET alive_until = 0
    WHERE id = (SELECT notifier FROM SCHEMA.mcp_session)`)
  await second.get(session.id, ALICE)
  await takenOver(second)
  expect(await announce()).toEqual([false, true])
})

it('the stream of a process that died ends with its fallback answer, once [postgres-orphans]', async () => {
  await using schema = await createSessionSchema()
  await using dead = await schema.open()
  const session = await dead.create({ owner: ALICE, state: STATE })
  const stream = (await dead.events.openStream(session.id, 'it died')) ?? ''
  await dead.events.append(session.id, stream, 'progress')
  await using first = await schema.open()
  await using second = await schema.open()
  const read = async () =>
    await Promise.all(
      [first, second].map(({ events }) => events.readAfter(session.id, startOfStream(stream))),
    )
  for (const replay of await read())
    expect(replay).toMatchObject({ events: [{ data: 'progress' }], closed: false })
  await schema.query('UPDATE SCHEMA.mcp_writer SET alive_until = 0')
  await read()
  for (const replay of await read())
    expect(replay).toMatchObject({
      events: [{ data: 'progress' }, { data: 'it died' }],
      closed: true,
    })
})

it('writes of one session keep their order whatever connection they take [postgres-order]', async () => {
  await using schema = await createSessionSchema()
  await using store = await schema.open()
  const session = await store.create({ owner: ALICE, state: STATE })
  const stream = (await store.events.openStream(session.id)) ?? ''
  const numbers = Array.from({ length: 50 }, (_, index) => String(index))
  const sent = numbers.map((data) => store.events.append(session.id, stream, data))
  const closed = store.events.closeStream(session.id, stream)
  const late = store.events.append(session.id, stream, 'late')
  await closed
  expect(new Set(await Promise.all(sent)).size).toBe(50)
  expect(await late).toBeUndefined()
  const replay = await store.events.readAfter(session.id, startOfStream(stream))
  expect(replay.outcome === 'events' && replay.events.map(({ data }) => data)).toEqual(numbers)
})

it('two processes that write one stream neither lose nor repeat a number', async () => {
  await using schema = await createSessionSchema()
  await using first = await schema.open()
  await using second = await schema.open()
  const session = await first.create({ owner: ALICE, state: STATE })
  const stream = session.standaloneStream
  const add = async ({ events }: typeof first): Promise<string[]> => {
    const ids: string[] = []
    for (let count = 0; count < 50; count += 1)
      ids.push((await events.append(session.id, stream, 'x')) ?? '')
    return ids
  }
  const ids = (await Promise.all([add(first), add(second)])).flat()
  expect(new Set(ids).size).toBe(100)
  const replay = await first.events.readAfter(session.id, startOfStream(stream))
  expect(replay.outcome === 'events' && new Set(replay.events.map(({ id }) => id))).toEqual(
    new Set(ids),
  )
})
