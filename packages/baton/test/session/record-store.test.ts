import { expect, it } from 'vitest'
import { ALICE, BOB, createClock, describeStores } from './stores.ts'

const KEY = { collection: 'task', key: 'one', owner: ALICE }

describeStores('records', (open) => {
  it('a record is read back with its version', async () => {
    await using store = await open()
    const written = await store.records.write({
      ...KEY,
      value: '{"a":1}',
      expiresAt: null,
      replaces: 0,
    })
    expect(written).toBe(true)
    expect(await store.records.read(KEY)).toEqual({ value: '{"a":1}', version: 1, expiresAt: null })
  })

  it('of two writers that read the same version one succeeds', async () => {
    await using store = await open()
    await store.records.write({ ...KEY, value: 'start', expiresAt: null, replaces: 0 })
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        store.records.write({ ...KEY, value: `writer ${index}`, expiresAt: null, replaces: 1 }),
      ),
    )
    expect(outcomes.filter(Boolean)).toHaveLength(1)
    expect(await store.records.read(KEY)).toMatchObject({ version: 2 })
  })

  it('a key can be created once, which makes single use possible', async () => {
    await using store = await open()
    const take = (): Promise<boolean> =>
      store.records.write({ ...KEY, value: '', expiresAt: null, replaces: 0 })
    expect(await take()).toBe(true)
    expect(await take()).toBe(false)
  })

  it('a record of another owner does not exist and cannot be changed', async () => {
    await using store = await open()
    await store.records.write({ ...KEY, value: 'mine', expiresAt: null, replaces: 0 })
    const foreign = { ...KEY, owner: BOB }
    expect(await store.records.read(foreign)).toBeUndefined()
    for (const replaces of [0, 1]) {
      const write = { ...foreign, value: 'stolen', expiresAt: null, replaces }
      expect(await store.records.write(write)).toBe(false)
    }
    expect(await store.records.remove(foreign)).toBe(false)
    expect(await store.records.read(KEY)).toMatchObject({ value: 'mine', version: 1 })
  })

  it('collections are separate', async () => {
    await using store = await open()
    await store.records.write({ ...KEY, value: 'task', expiresAt: null, replaces: 0 })
    expect(await store.records.read({ ...KEY, collection: 'state' })).toBeUndefined()
  })

  it('an expired record is not found, and its key is free again', async () => {
    const clock = createClock()
    await using store = await open({ now: clock.now })
    const write = { ...KEY, value: 'old', expiresAt: clock.now() + 1_000, replaces: 0 }
    await store.records.write(write)
    clock.advance(999)
    expect(await store.records.read(KEY)).toBeDefined()
    clock.advance(1)
    expect(await store.records.read(KEY)).toBeUndefined()
    expect(await store.records.remove(KEY)).toBe(false)
    expect(await store.records.write({ ...write, value: 'new', expiresAt: null })).toBe(true)
    await store.expire()
    expect(await store.records.read(KEY)).toMatchObject({ value: 'new', version: 1 })
  })

  it('a removed record is not found', async () => {
    await using store = await open()
    await store.records.write({ ...KEY, value: '', expiresAt: null, replaces: 0 })
    expect(await store.records.remove(KEY)).toBe(true)
    expect(await store.records.read(KEY)).toBeUndefined()
    expect(await store.records.remove(KEY)).toBe(false)
  })
})
