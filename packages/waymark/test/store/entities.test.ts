import { Connection } from '@waymark/sqlite'
import { describe, expect, test } from 'vitest'
import { LARGEST_NUMBER } from '../../src/core/store/counters.ts'
import type { NewEntity } from '../../src/entity/store.ts'
import type { Store } from '../../src/core/store/store.ts'
import { createEntity, createWorkspace, NOW, toNewEntity } from './workspace.ts'
import { toEntityId } from '../../src/entity/entity-id.ts'

const LATER = { at: NOW + 5000, by: 'grace' }

describe('an entity', () => {
  test('comes back as it was written', async () => {
    await using workspace = await createWorkspace()
    const store = await workspace.open()
    const entity: NewEntity = toNewEntity({
      type: 'decision',
      title: 'Ünïcode 🧭 "quotes"',
      content: '# Why\n\nBecause.',
      tags: ['b', 'a', 'b'],
      status: 'accepted',
      properties: { consequences: ['one', 'two'], nested: { deep: [1, null, true] } },
      origin: { via: 'mcp', model: 'a-model' },
    })
    const created = await store.write((tx) => tx.entities.insert(entity))
    const expected = {
      ...entity,
      arrival: null,
      number: 1,
      updatedAt: NOW,
      updatedBy: 'ada',
      revision: 1,
    }
    expect(created).toEqual(expected)
    expect(await store.entities.byId(entity.id)).toEqual(expected)
    expect(await store.entities.byNumber(1)).toEqual(expected)
  })

  test('gets the number after one that an arrival has', async () => {
    await using workspace = await createWorkspace()
    const store = await workspace.open()
    await createEntity(store, { number: 4 })
    const numbers: number[] = []
    for (let times = 0; times < 4; times += 1) numbers.push((await createEntity(store)).number)
    expect(numbers).toEqual([1, 2, 3, 5])
  })

  test('gets the smallest number that is free once the largest has been given', async () => {
    await using workspace = await createWorkspace()
    const store = await workspace.open()
    const numbers = [(await createEntity(store)).number]
    const connection = new Connection(workspace.database, 'write')
    connection.exec(`UPDATE counter SET value = ${LARGEST_NUMBER - 1} WHERE name = 'entity'`)
    connection.close()
    for (let times = 0; times < 3; times += 1) numbers.push((await createEntity(store)).number)
    expect(numbers).toEqual([1, LARGEST_NUMBER, 2, 3])
  })

  test('changes only where it is told to', async () => {
    await using workspace = await createWorkspace()
    const store = await workspace.open()
    const before = await createEntity(store, { tags: ['old'], content: 'kept', status: 'active' })
    const after = await store.write((tx) =>
      tx.entities.update(before.id, { title: 'new', tags: ['new'], status: null }, LATER),
    )
    expect(after).toEqual({
      ...before,
      title: 'new',
      tags: ['new'],
      status: null,
      updatedAt: LATER.at,
      updatedBy: 'grace',
      revision: 2,
    })
    expect(await store.entities.byId(before.id)).toEqual(after)
    expect(await titles(store, { tag: 'old' })).toEqual([])
    expect(await titles(store, { tag: 'new' })).toEqual(['new'])
  })

  test('that does not exist cannot be changed or removed', async () => {
    await using workspace = await createWorkspace()
    const store = await workspace.open()
    const { id } = toNewEntity()
    expect(await store.write((tx) => tx.entities.update(id, { title: 'x' }, LATER))).toBeUndefined()
    expect(await store.write((tx) => tx.entities.remove(id, LATER))).toBe(false)
  })

  test('that was removed is invisible but for its tombstone', async () => {
    await using workspace = await createWorkspace()
    const store = await workspace.open()
    const kept = await createEntity(store, { title: 'kept' })
    const entity = await createEntity(store, { title: 'gone', tags: ['t'], status: 'active' })
    expect(await store.write((tx) => tx.entities.remove(entity.id, LATER))).toBe(true)

    expect(await store.entities.byId(entity.id)).toBeUndefined()
    expect(await store.entities.byNumber(entity.number)).toBeUndefined()
    expect(await store.entities.byIdPrefix(entity.id, 2)).toEqual([])
    expect(await titles(store, {})).toEqual(['kept'])
    expect(await titles(store, { tag: 't' })).toEqual([])
    expect(await titles(store, { statuses: ['active'] })).toEqual([])
    expect(await store.entities.counts()).toEqual(new Map([['note', 1]]))
    expect(await store.entities.lastModified()).toBe(LATER.at)

    expect(await store.entities.deletedById(entity.id)).toMatchObject({
      title: 'gone',
      tags: ['t'],
      deletedAt: LATER.at,
      deletedBy: 'grace',
      revision: 2,
    })
    expect(await store.entities.deletedById(kept.id)).toBeUndefined()

    const again = store.write(async (tx) => [
      await tx.entities.remove(entity.id, LATER),
      await tx.entities.update(entity.id, { title: 'back' }, LATER),
    ])
    expect(await again).toEqual([false, undefined])
    expect((await createEntity(store)).number).toBe(3)
  })
})

describe('an id prefix', () => {
  const IDS = [
    '01890a5d-ac96-774b-bcce-b302099a8057',
    '01890a5d-ac96-774b-bcce-b302099a8058',
    '01890a5d-ac97-7000-8000-000000000000',
    '0189ffff-0000-7000-8000-000000000000',
  ]

  test.each([
    ['0189', [0, 1, 2, 3]],
    ['01890a5d', [0, 1, 2]],
    ['01890A5D', [0, 1, 2]],
    ['01890a5dac9', [0, 1, 2]],
    ['01890a5d-ac9', [0, 1, 2]],
    ['01890a5d-', [0, 1, 2]],
    ['01890a5dac96', [0, 1]],
    ['01890a5dac96774bbcceb302099a8058', [1]],
    ['0-1-8-9-f', [3]],
    ['f', []],
    ['018g', []],
    ['', []],
    ['-', []],
    ['%', []],
    ['01890a5dac96774bbcceb302099a80580', []],
  ])('%s finds what it starts', async (prefix, expected) => {
    await using workspace = await createWorkspace()
    const store = await workspace.open()
    for (const id of IDS) await createEntity(store, { id: toEntityId(id) })
    const found = await store.entities.byIdPrefix(prefix, 10)
    expect(found.map(({ id }) => IDS.indexOf(id))).toEqual(expected)
    expect(await store.entities.byIdPrefix(prefix, 1)).toHaveLength(Math.min(1, expected.length))
  })
})

describe('a list', () => {
  test('filters, pages and counts', async () => {
    await using workspace = await createWorkspace()
    const store = await workspace.open()
    for (let n = 1; n <= 6; n++) {
      await createEntity(store, {
        title: String(n),
        type: n % 2 ? 'component' : 'note',
        status: n % 3 ? 'todo' : 'done',
        tags: n > 3 ? ['late', 'all'] : ['all'],
      })
    }
    expect(await titles(store, {})).toEqual(['1', '2', '3', '4', '5', '6'])
    expect(await titles(store, { type: 'component' })).toEqual(['1', '3', '5'])
    expect(await titles(store, { statuses: ['done'] })).toEqual(['3', '6'])
    expect(await titles(store, { tag: 'late' })).toEqual(['4', '5', '6'])
    expect(await titles(store, { type: 'component', statuses: ['todo'], tag: 'late' })).toEqual([
      '5',
    ])
    expect(await titles(store, { type: 'nothing' })).toEqual([])
    const page = await store.entities.list({ tag: 'all', limit: 2, offset: 3 })
    expect(page.total).toBe(6)
    expect(page.entities.map(({ title }) => title)).toEqual(['4', '5'])
    expect(await store.entities.counts()).toEqual(
      new Map([
        ['note', 3],
        ['component', 3],
      ]),
    )
  })

  test('says how many there are after each change, also of kinds that a newer program knows', async () => {
    await using workspace = await createWorkspace()
    const store = await workspace.open()
    const filters = ['component', 'note', 'epic', undefined].flatMap((type) =>
      [[], ['active'], ['planned'], ['paused'], ['active', 'planned']].flatMap((statuses) => [
        { type, statuses },
        { type, exceptStatuses: statuses },
      ]),
    )
    const check = async () => {
      for (const filter of filters) {
        const { entities, total } = await store.entities.list({ ...filter, limit: 100, offset: 0 })
        expect(total, JSON.stringify(filter)).toBe(entities.length)
      }
      expect(await store.consistency.countWrongKinds()).toBe(0)
    }
    const first = await createEntity(store, { type: 'component', status: 'active' })
    await createEntity(store, { type: 'component', status: 'planned' })
    await createEntity(store, { type: 'note', status: null })
    await check()
    await store.write((tx) => tx.entities.update(first.id, { status: 'planned' }, LATER))
    await check()
    const strange = await createEntity(store, { type: 'epic', status: 'active' })
    const odd = await createEntity(store, { type: 'component', status: 'paused' })
    await check()
    expect(await store.entities.counts()).toEqual(
      new Map(Object.entries({ component: 3, note: 1, epic: 1 })),
    )
    await store.write((tx) => tx.entities.remove(strange.id, LATER))
    await store.write((tx) => tx.entities.update(odd.id, { status: 'active' }, LATER))
    await store.write((tx) => tx.entities.remove(first.id, LATER))
    await check()
    // Nothing of a failed write is counted.
    const failed = store.write(async (tx) => {
      await tx.entities.insert(toNewEntity({ type: 'component', status: 'active' }))
      throw new Error('no')
    })
    await expect(failed).rejects.toThrow('no')
    await check()
    expect(await store.entities.counts()).toEqual(
      new Map(Object.entries({ component: 2, note: 1 })),
    )
  })

  test('reads no more rows than it has to', async () => {
    await using workspace = await createWorkspace()
    const database = await workspace.openDatabase()
    const plans = await Promise.all(
      [
        "type = 'task'",
        "status = 'todo'",
        "id IN (SELECT entity_id FROM tag WHERE tag = 't')",
        "id >= 'a' AND id < 'ag'",
      ].map(async (where) => {
        const steps = await database.all<{ detail: string }>(
          `EXPLAIN QUERY PLAN SELECT * FROM entity WHERE deleted_at IS NULL AND ${where}`,
        )
        return steps.map(({ detail }) => detail).join('; ')
      }),
    )
    for (const plan of plans) {
      expect(plan).toContain('SEARCH entity')
      expect(plan).not.toContain('SCAN entity')
    }
  })
})

async function titles(
  store: Store,
  filter: { type?: string; statuses?: readonly string[]; tag?: string },
): Promise<string[]> {
  const { entities, total } = await store.entities.list({ ...filter, limit: 100, offset: 0 })
  expect(total).toBe(entities.length)
  return entities.map(({ title }) => title)
}
