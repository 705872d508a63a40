import { describe, expect, test } from 'vitest'
import { toAgentId } from '../../src/agent/agent.ts'
import { BEFORE_ALL } from '../../src/event/event-id.ts'
import type { Store, StoreTransaction } from '../../src/core/store/store.ts'
import { createEntity, createWorkspace, insertEntity, NOW } from './workspace.ts'

const ID = toAgentId('A1')

/** A writer keeps counters and small tables in memory; these are the ways in which they change behind it. */
describe('what a writer keeps in memory', () => {
  test('follows the commits of others: entities and events stay numbered without gaps', async () => {
    await using workspace = await createWorkspace()
    const stores = [await workspace.open(), await workspace.open(), await workspace.open()]
    const [first] = stores
    const numbers: number[] = []
    for (let round = 0; round < 12; round += 1) {
      const store = stores[(round * 2 + (round % 3)) % stores.length] ?? stores[0]
      if (store === undefined) continue
      numbers.push((await createEntity(store)).number)
    }
    expect(numbers).toEqual(numbers.map((_, at) => at + 1))
    const events = await first?.events.after(BEFORE_ALL, { limit: 100 })
    expect(events?.map(({ id }) => Number(id))).toEqual(numbers.map((_, at) => at + 1))
  })

  test('is undone with a write that fails, beside others in its transaction [kept-rows-undone]', async () => {
    await using workspace = await createWorkspace()
    const store = await workspace.open()
    await createEntity(store)
    const failing = (): Promise<unknown> =>
      store.write(async (tx) => {
        await insertEntity(tx)
        await put(tx, 'renamed')
        expect((await tx.agents.byId(ID))?.name).toBe('renamed')
        throw new Error('no')
      })
    await store.write((tx) => put(tx, 'first'))
    const settled = await Promise.allSettled([
      createEntity(store),
      failing(),
      createEntity(store),
      failing(),
    ])
    expect(settled.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
    ])
    expect((await createEntity(store)).number).toBe(4)
    expect(await store.write((tx) => tx.agents.byId(ID))).toMatchObject({ name: 'first' })
  })

  test('is what the last write has made of it, also one of another process [kept-rows-others]', async () => {
    await using workspace = await createWorkspace()
    const [mine, other] = [await workspace.open(), await workspace.open()]
    const nameIn = (store: Store): Promise<string | null | undefined> =>
      store.write(async (tx) => (await tx.agents.byId(ID))?.name)
    expect(await nameIn(mine)).toBeUndefined()
    await mine.write((tx) => put(tx, 'one'))
    expect(await nameIn(mine)).toBe('one')
    await other.write((tx) => put(tx, 'two'))
    expect(await nameIn(mine)).toBe('two')
    await mine.write((tx) => tx.agents.leave(ID, NOW + 5))
    expect(await mine.write((tx) => tx.agents.byId(ID))).toMatchObject({ leftAt: NOW + 5 })
  })
})

async function put(tx: StoreTransaction, name: string): Promise<void> {
  await tx.agents.put({
    id: ID,
    name,
    role: null,
    client: null,
    model: null,
    capabilities: {},
    leaseSeconds: 900,
    joinedAt: NOW,
    joinedAfter: 0,
    seenAt: NOW,
    leftAt: null,
  })
}
