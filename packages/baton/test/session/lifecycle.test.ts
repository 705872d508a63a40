import { expect, it } from 'vitest'
import { SessionCapacityError } from '../../src/session/session-store.ts'
import { ALICE, BOB, STATE, createClock, describeStores } from './stores.ts'

const MINUTE = 60_000

describeStores('sessions', (open) => {
  it('a session is read back as it was created [lifecycle-session-read]', async () => {
    const clock = createClock()
    await using store = await open({ now: clock.now })
    const created = await store.create({ owner: ALICE, state: STATE })
    expect(await store.get(created.id, ALICE)).toEqual(created)
    expect(created).toMatchObject({
      owner: ALICE,
      state: STATE,
      createdAt: clock.now(),
      seenAt: clock.now(),
    })
  })

  it('ids are 256 random bits and never repeat', async () => {
    await using store = await open({ limits: { maxSessions: 100_000 } })
    const sessions = await Promise.all(
      Array.from({ length: 500 }, () => store.create({ owner: ALICE, state: STATE })),
    )
    for (const { id } of sessions) expect(id).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(new Set(sessions.map(({ id }) => id)).size).toBe(500)
    expect(new Set(sessions.map(({ standaloneStream }) => standaloneStream)).size).toBe(500)
  })

  it('a session of another owner does not exist', async () => {
    await using store = await open()
    const { id } = await store.create({ owner: ALICE, state: STATE })
    expect(await store.get(id, BOB)).toBeUndefined()
    expect(await store.update(id, BOB, () => ({ ...STATE, logLevel: 'debug' }))).toBeUndefined()
    expect(await store.delete(id, BOB)).toBe(false)
    expect(await store.get(id, ALICE)).toMatchObject({ state: STATE })
  })

  it('an invented id does not exist', async () => {
    await using store = await open()
    expect(await store.get('no-such-session', ALICE)).toBeUndefined()
    expect(await store.delete('no-such-session', ALICE)).toBe(false)
    store.touch('no-such-session', 'message')
    expect(await store.expire()).toEqual([])
  })

  it('live sessions are counted, those with an open stream separately [lifecycle-live-sessions]', async () => {
    const clock = createClock()
    await using store = await open({ now: clock.now })
    expect(await store.stats()).toEqual({ total: 0, connected: 0 })
    const { id } = await store.create({ owner: ALICE, state: STATE })
    await store.create({ owner: BOB, state: STATE })
    store.touch(id, 'connected')
    expect(await store.stats()).toEqual({ total: 2, connected: 1 })
    store.touch(id, 'disconnected')
    expect(await store.stats()).toEqual({ total: 2, connected: 0 })
    clock.advance(10 * MINUTE)
    expect(await store.stats()).toEqual({ total: 0, connected: 0 })
  })

  it('an update sees the state of the update before it', async () => {
    await using store = await open()
    const { id } = await store.create({ owner: ALICE, state: STATE })
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        store.update(id, ALICE, (state) => ({
          ...state,
          subscriptions: [...state.subscriptions, `test://${index}`],
        })),
      ),
    )
    const session = await store.get(id, ALICE)
    expect(session?.state.subscriptions).toHaveLength(20)
    expect(new Set(session?.state.subscriptions).size).toBe(20)
  })

  it('an update that throws changes nothing, and others succeed', async () => {
    await using store = await open()
    const { id } = await store.create({ owner: ALICE, state: STATE })
    const failing = store.update(id, ALICE, () => {
      throw new Error('no')
    })
    const working = store.update(id, ALICE, (state) => ({ ...state, logLevel: 'info' }))
    await expect(failing).rejects.toThrow('no')
    expect(await working).toMatchObject({ state: { logLevel: 'info' } })
  })

  it('a deleted session is not found', async () => {
    await using store = await open()
    const { id } = await store.create({ owner: ALICE, state: STATE })
    expect(await store.delete(id, ALICE)).toBe(true)
    expect(await store.get(id, ALICE)).toBeUndefined()
    expect(await store.delete(id, ALICE)).toBe(false)
  })
})

describeStores('session lifetime', (open) => {
  it('a session without a stream ends five minutes after its last message', async () => {
    const clock = createClock()
    await using store = await open({ now: clock.now })
    const { id } = await store.create({ owner: ALICE, state: STATE })
    clock.advance(4 * MINUTE)
    store.touch(id, 'message')
    clock.advance(5 * MINUTE - 1)
    expect(await store.get(id, ALICE)).toBeDefined()
    clock.advance(1)
    expect(await store.get(id, ALICE)).toBeUndefined()
  })

  it('an open stream keeps an idle session for thirty minutes [lifecycle-open-stream]', async () => {
    const clock = createClock()
    await using store = await open({ now: clock.now })
    const { id } = await store.create({ owner: ALICE, state: STATE })
    for (let minute = 0; minute < 30; minute += 0.5) {
      store.touch(id, 'connected')
      expect(await store.get(id, ALICE)).toBeDefined()
      clock.advance(MINUTE / 2)
    }
    store.touch(id, 'connected')
    expect(await store.get(id, ALICE)).toBeUndefined()
  })

  it('an idle listener has five minutes to reconnect after its stream dropped', async () => {
    const clock = createClock()
    await using store = await open({ now: clock.now })
    const { id } = await store.create({ owner: ALICE, state: STATE })
    for (let minute = 0; minute < 20; minute += 0.5) {
      store.touch(id, 'connected')
      clock.advance(MINUTE / 2)
    }
    store.touch(id, 'disconnected')
    clock.advance(5 * MINUTE - 1)
    expect(await store.get(id, ALICE)).toBeDefined()
    clock.advance(1)
    expect(await store.get(id, ALICE)).toBeUndefined()
  })

  it('a stream whose lease has expired no longer counts', async () => {
    const clock = createClock()
    await using store = await open({ now: clock.now })
    const { id } = await store.create({ owner: ALICE, state: STATE })
    store.touch(id, 'connected')
    clock.advance(45_000 + 5 * MINUTE)
    expect(await store.get(id, ALICE)).toBeUndefined()
  })

  it('clean-up reports each ended session once', async () => {
    const clock = createClock()
    await using store = await open({ now: clock.now })
    const idle = await store.create({ owner: ALICE, state: STATE })
    const createdAt = clock.now()
    clock.advance(4 * MINUTE)
    const active = await store.create({ owner: ALICE, state: STATE })
    clock.advance(2 * MINUTE)
    expect(await store.expire()).toEqual([{ id: idle.id, createdAt, reason: 'idle' }])
    expect(await store.expire()).toEqual([])
    expect(await store.get(active.id, ALICE)).toBeDefined()
  })

  it('limits can be set', async () => {
    const clock = createClock()
    await using store = await open({ now: clock.now, limits: { disconnectedIdleMs: 1_000 } })
    const { id } = await store.create({ owner: ALICE, state: STATE })
    clock.advance(1_000)
    expect(await store.get(id, ALICE)).toBeUndefined()
  })
})

describeStores('session capacity', (open) => {
  it('a full store evicts the longest idle session', async () => {
    const clock = createClock()
    await using store = await open({ now: clock.now, limits: { maxSessions: 3 } })
    const ids: string[] = []
    for (let count = 0; count < 3; count += 1) {
      ids.push((await store.create({ owner: ALICE, state: STATE })).id)
      clock.advance(1_000)
    }
    const [oldest, second, third] = ids as [string, string, string]
    store.touch(oldest, 'message')
    clock.advance(MINUTE)
    store.touch(third, 'message')
    const newcomer = await store.create({ owner: BOB, state: STATE })
    expect(await store.get(second, ALICE)).toBeUndefined()
    for (const id of [oldest, third]) expect(await store.get(id, ALICE)).toBeDefined()
    expect(await store.get(newcomer.id, BOB)).toBeDefined()
    expect(await store.expire()).toMatchObject([{ id: second, reason: 'evicted' }])
  })

  it('sessions in use are never evicted', async () => {
    const clock = createClock()
    await using store = await open({ now: clock.now, limits: { maxSessions: 2 } })
    const listener = await store.create({ owner: ALICE, state: STATE })
    const caller = await store.create({ owner: ALICE, state: STATE })
    clock.advance(2 * MINUTE)
    store.touch(listener.id, 'connected')
    store.touch(caller.id, 'message')
    await expect(store.create({ owner: BOB, state: STATE })).rejects.toThrow(SessionCapacityError)
    expect(await store.get(listener.id, ALICE)).toBeDefined()
    expect(await store.get(caller.id, ALICE)).toBeDefined()
  })
})
