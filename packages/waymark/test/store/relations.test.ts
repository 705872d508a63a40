import { describe, expect, test } from 'vitest'
import type { RelationRow } from '../../src/relation/store.ts'
import type { Store } from '../../src/core/store/store.ts'
import { createEntity, createWorkspace, NOW, type Workspace } from './workspace.ts'
import type { EntityId } from '../../src/entity/entity-id.ts'

const LATER = { at: NOW + 5000, by: 'grace' }

describe('a relation', () => {
  test('is found from both ends', async () => {
    await using workspace = await createWorkspace()
    const { store, relate, a, b, c } = await setup(workspace)
    const ab = await relate(a, 'blocks', b)
    const cb = await relate(c, 'references', b)
    expect(await store.relations.of(b, 'to')).toEqual([ab, cb])
    expect(await store.relations.of(b, 'from')).toEqual([])
    expect(await store.relations.of(a, 'from')).toEqual([ab])
    expect(await store.relations.of(b, 'both')).toEqual([ab, cb])
    expect(await store.relations.find({ sourceId: a, type: 'blocks', targetId: b })).toEqual(ab)
    expect(await store.relations.find({ sourceId: b, type: 'blocks', targetId: a })).toBeUndefined()
    expect(await store.relations.count()).toBe(2)
  })

  test('exists once, and the first one stays', async () => {
    await using workspace = await createWorkspace()
    const { store, relate, a, b } = await setup(workspace)
    const first = await relate(a, 'blocks', b)
    const again = await store.write((tx) =>
      tx.relations.insert({ ...first, properties: { other: true }, createdAt: LATER.at }),
    )
    expect(again).toBe(false)
    expect(await store.relations.of(a, 'from')).toEqual([first])
    await relate(a, 'references', b)
    await relate(b, 'blocks', a)
    expect(await store.relations.count()).toBe(3)
  })

  test('that was removed is gone, and can come back as a new one', async () => {
    await using workspace = await createWorkspace()
    const { store, relate, a, b } = await setup(workspace)
    const first = await relate(a, 'blocks', b)
    expect(await store.write((tx) => tx.relations.remove(first, LATER))).toBe(true)
    expect(await store.write((tx) => tx.relations.remove(first, LATER))).toBe(false)
    expect(await store.relations.find(first)).toBeUndefined()
    expect(await store.relations.count()).toBe(0)
    const second = {
      ...first,
      properties: { reason: 'again' },
      createdAt: LATER.at,
      createdBy: 'grace',
    }
    expect(await store.write((tx) => tx.relations.insert(second))).toBe(true)
    expect(await store.relations.of(b, 'to')).toEqual([second])
  })

  test('goes with either of its entities', async () => {
    await using workspace = await createWorkspace()
    const { store, relate, a, b, c } = await setup(workspace)
    const ab = await relate(a, 'blocks', b)
    const bc = await relate(b, 'blocks', c)
    const ac = await relate(a, 'references', c)
    const removed = await store.write((tx) => tx.relations.removeAllOf(b, LATER))
    expect(removed).toHaveLength(2)
    expect(removed).toEqual(expect.arrayContaining([ab, bc]))
    expect(await store.relations.of(c, 'both')).toEqual([ac])
    expect(await store.write((tx) => tx.relations.removeAllOf(b, LATER))).toEqual([])
  })
})

async function setup(workspace: Workspace): Promise<{
  store: Store
  relate: (sourceId: EntityId, type: string, targetId: EntityId) => Promise<RelationRow>
  a: EntityId
  b: EntityId
  c: EntityId
}> {
  const store = await workspace.open()
  const create = async (): Promise<EntityId> => (await createEntity(store)).id
  let at = NOW
  const relate = async (
    sourceId: EntityId,
    type: string,
    targetId: EntityId,
  ): Promise<RelationRow> => {
    at += 1
    const relation = { sourceId, type, targetId, properties: {}, createdAt: at, createdBy: 'ada' }
    expect(await store.write((tx) => tx.relations.insert(relation))).toBe(true)
    return relation
  }
  return { store, relate, a: await create(), b: await create(), c: await create() }
}
