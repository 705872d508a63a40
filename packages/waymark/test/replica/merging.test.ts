import { describe, expect, test } from 'vitest'
import { showBrief } from '../../src/brief/operations.ts'
import { createEntity, deleteEntity, getEntity, updateEntity } from '../../src/entity/operations.ts'
import { checkStore } from '../../src/integrity/operations.ts'
import { createRelation } from '../../src/relation/operations.ts'
import { loadLoro } from '../../src/sync/document/loro.ts'
import { applyLines, emptyMergeReport } from '../../src/sync/merge/merge.ts'
import { createReplica, exchange, type TestReplica } from './replicas.ts'
import { BEFORE_ALL } from '../../src/event/event-id.ts'

async function expectSame(...replicas: readonly TestReplica[]): Promise<void> {
  const [first, ...others] = await Promise.all(replicas.map((replica) => replica.snapshot()))
  for (const other of others) expect(other).toEqual(first)
}

const note = { type: 'note', title: 'a note' } as const

describe('two clones', () => {
  test('know the same after an exchange, and a second one changes nothing', async () => {
    await using ada = await createReplica('ada')
    await using bob = await createReplica('bob')
    const task = await ada.run(createEntity, {
      type: 'task',
      title: 'write',
      content: 'one\ntwo',
      tags: ['b', 'a'],
      properties: { acceptance_criteria: ['x', 'x', 'y'], priority: 'high' },
    })
    const other = await ada.run(createEntity, note)
    await ada.run(createRelation, { source: other.id, target: task.id, type: 'documents' })
    await exchange(ada, bob)
    await expectSame(ada, bob)
    expect(await bob.run(getEntity, { id: task.id })).toMatchObject(task)
    const again = await bob.takeIn(await ada.lines())
    expect(again).toMatchObject({ created: 0, updated: 0, deleted: 0, relations: 0, damaged: 0 })
  })

  test('that edit different paragraphs of a text both see both edits', async () => {
    await using ada = await createReplica('ada')
    await using bob = await createReplica('bob')
    const { id } = await ada.run(createEntity, {
      type: 'decision',
      title: 'storage',
      content: 'first\n\nsecond\n\nthird\n',
    })
    await exchange(ada, bob)
    await ada.run(updateEntity, { id, content: 'FIRST\n\nsecond\n\nthird\n' })
    await bob.run(updateEntity, { id, content: 'first\n\nsecond\n\nthird\nfourth\n' })
    await exchange(ada, bob)
    await expectSame(ada, bob)
    const { content } = await ada.run(getEntity, { id })
    expect(content).toBe('FIRST\n\nsecond\n\nthird\nfourth\n')
  })

  test('that together make a list too long keep as much of it as it may have', async () => {
    await using ada = await createReplica('ada')
    await using bob = await createReplica('bob')
    const { id } = await ada.run(createEntity, { type: 'task', title: 'storage' })
    await exchange(ada, bob)
    for (const [by, replica] of [['ada', ada] as const, ['bob', bob] as const]) {
      const criteria = Array.from({ length: 30 }, (_, at) => `${by} ${at}`)
      await replica.run(updateEntity, { id, properties: { acceptance_criteria: criteria } })
    }
    await exchange(ada, bob)
    await expectSame(ada, bob)
    const { properties } = await ada.run(getEntity, { id })
    expect(properties['acceptance_criteria']).toHaveLength(50)
  })

  test('that together say more than one call may say keep all of it, and more can be changed', async () => {
    await using ada = await createReplica('ada')
    await using bob = await createReplica('bob')
    const { id } = await ada.run(createEntity, { type: 'decision', title: 'storage' })
    await exchange(ada, bob)
    for (const [by, replica] of [['ada', ada] as const, ['bob', bob] as const]) {
      const consequences = Array.from({ length: 600 }, (_, at) => `${by} ${at}`)
      await replica.run(updateEntity, { id, properties: { consequences } })
    }
    await exchange(ada, bob)
    await ada.run(updateEntity, { id, properties: { status: 'accepted' } })
    await exchange(ada, bob)
    await expectSame(ada, bob)
    const { properties } = await bob.run(getEntity, { id })
    expect(properties['status']).toBe('accepted')
    expect(properties['consequences']).toHaveLength(1_200)
  })

  test.each([
    ['decision', 'context'],
    ['prompt', 'template'],
  ] as const)(
    'that together make a %s’s %s longer than one call may keep all of it, and more can be changed',
    async (type, field) => {
      await using ada = await createReplica('ada')
      await using bob = await createReplica('bob')
      const { id } = await ada.run(createEntity, { type, title: 'storage' })
      await exchange(ada, bob)
      const byAda = 'ada said this\n'.repeat(2_200)
      const byBob = 'bob said that\n'.repeat(2_200)
      await ada.run(updateEntity, { id, properties: { [field]: byAda } })
      await bob.run(updateEntity, { id, properties: { [field]: byBob } })
      await exchange(ada, bob)
      await expectSame(ada, bob)
      await ada.run(updateEntity, { id, title: 'storage again' })
      await exchange(ada, bob)
      await expectSame(ada, bob)
      const { title, properties } = await bob.run(getEntity, { id })
      expect(title).toBe('storage again')
      const merged = String(properties[field])
      expect(merged.split('\n').toSorted()).toEqual(
        `${byAda}${byBob}`.split('\n').concat('').toSorted(),
      )
      const tooMuch = bob.run(updateEntity, { id, properties: { [field]: merged } })
      await expect(tooMuch).rejects.toMatchObject({
        code: 'invalid_input',
        details: { field: `properties.${field}`, rule: 'too_large' },
      })
    },
  )

  test('that both add to the end of a text have each line once', async () => {
    await using ada = await createReplica('ada')
    await using bob = await createReplica('bob')
    const { id } = await ada.run(createEntity, { ...note, content: 'one\ntwo' })
    await exchange(ada, bob)
    await ada.run(updateEntity, { id, content: 'one\ntwo\nby ada' })
    await bob.run(updateEntity, { id, content: 'one\ntwo\nby bob' })
    await exchange(ada, bob)
    await expectSame(ada, bob)
    const lines = (await ada.run(getEntity, { id })).content?.split('\n')
    expect(lines?.slice(0, 2)).toEqual(['one', 'two'])
    expect(lines?.slice(2).toSorted()).toEqual(['by ada', 'by bob'])
  })

  test('that add the same tag have it once, and keep each other’s', async () => {
    await using ada = await createReplica('ada')
    await using bob = await createReplica('bob')
    const { id } = await ada.run(createEntity, { ...note, tags: ['old'] })
    await exchange(ada, bob)
    await ada.run(updateEntity, { id, add_tags: ['same', 'ada'], remove_tags: ['old'] })
    await bob.run(updateEntity, { id, add_tags: ['same', 'bob'] })
    await exchange(ada, bob)
    await expectSame(ada, bob)
    const { tags } = await bob.run(getEntity, { id })
    expect(tags.toSorted()).toEqual(['ada', 'bob', 'same'])
  })

  test('that set a status at once agree on the one that is further on its way', async () => {
    await using ada = await createReplica('ada')
    await using bob = await createReplica('bob')
    const { id } = await ada.run(createEntity, { type: 'task', title: 'do it' })
    await exchange(ada, bob)
    await bob.run(updateEntity, { id, properties: { status: 'done' } })
    bob.tick(1000)
    ada.tick(5000)
    await ada.run(updateEntity, { id, properties: { status: 'in_progress' } })
    await exchange(ada, bob)
    await expectSame(ada, bob)
    expect((await ada.run(getEntity, { id })).properties['status']).toBe('done')
    await ada.run(updateEntity, { id, properties: { status: 'todo' } })
    await exchange(ada, bob)
    expect((await bob.run(getEntity, { id })).properties['status']).toBe('todo')
  })

  test('never bring back what one of them deleted, however late the other edits it', async () => {
    await using ada = await createReplica('ada')
    await using bob = await createReplica('bob')
    const { id } = await ada.run(createEntity, note)
    const { id: other } = await ada.run(createEntity, note)
    await exchange(ada, bob)
    await ada.run(deleteEntity, { id })
    bob.tick(1_000_000)
    await bob.run(updateEntity, { id, title: 'edited late', content: 'more' })
    await bob.run(createRelation, { source: other, target: id, type: 'references' })
    await exchange(ada, bob)
    await exchange(bob, ada)
    await expectSame(ada, bob)
    await expect(bob.run(getEntity, { id })).rejects.toMatchObject({ code: 'not_found' })
    expect(await bob.store.relations.count()).toBe(0)
    expect(await bob.store.replica.dangling()).toHaveLength(1)
  })

  test('that gave the same number to different entities agree on who keeps it', async () => {
    await using ada = await createReplica('ada')
    await using bob = await createReplica('bob')
    const first = await ada.run(createEntity, { ...note, title: 'older' })
    bob.tick(1000)
    const second = await bob.run(createEntity, { ...note, title: 'younger' })
    expect(first.number).toBe(second.number)
    await exchange(ada, bob)
    await exchange(ada, bob)
    await expectSame(ada, bob)
    expect((await bob.run(getEntity, { id: first.id })).number).toBe(1)
    expect((await ada.run(getEntity, { id: second.id })).number).toBe(2)
    expect((await ada.run(createEntity, note)).number).toBe(3)
  })

  test('leave a sound store when one is interrupted before it settles the numbers', async () => {
    await using ada = await createReplica('ada')
    await using bob = await createReplica('bob')
    for (let n = 0; n < 3; n++) await ada.run(createEntity, note)
    const lines = await ada.lines()
    // The rest of a fetch that would settle the numbers never comes.
    const received = { lines, isLogged: true, received: { via: 'sync' }, numbers: 'later' } as const
    await applyLines(bob.context, loadLoro(), received, emptyMergeReport())
    expect(await bob.run(checkStore, {})).toMatchObject({ ok: true })
    expect((await bob.run(createEntity, note)).number).toBe(4)
  })

  test('that gave the same number to different entities are told the numbers that hold', async () => {
    await using ada = await createReplica('ada')
    await using bob = await createReplica('bob')
    await using cam = await createReplica('cam')
    const older = await ada.run(createEntity, { ...note, title: 'older' })
    bob.tick(1000)
    const younger = await bob.run(createEntity, { ...note, title: 'younger' })
    await exchange(bob, cam)
    await exchange(ada, bob)
    await exchange(bob, cam)
    await expectSame(ada, bob, cam)
    for (const { store } of [ada, bob, cam]) {
      const told = new Map<string, unknown>()
      for (const { subject, data } of await store.events.after(BEFORE_ALL, { limit: 100 })) {
        expect(data['number']).toBeGreaterThan(0)
        told.set(subject, data['number'])
      }
      expect(told).toEqual(
        new Map([
          [older.id, 1],
          [younger.id, 2],
        ]),
      )
    }
  })

  test('draw an edge once both ends have arrived, in whatever order they do', async () => {
    await using ada = await createReplica('ada')
    await using bob = await createReplica('bob')
    const target = await ada.run(createEntity, note)
    const source = await ada.run(createEntity, note)
    await ada.run(createRelation, { source: source.id, target: target.id, type: 'references' })
    const lines = await ada.lines()
    await bob.takeIn(lines.filter(({ entityId }) => entityId === source.id))
    expect(await bob.store.relations.count()).toBe(0)
    await bob.takeIn(lines.filter(({ entityId }) => entityId === target.id))
    await expectSame(ada, bob)
    expect(await bob.store.relations.count()).toBe(1)
  })

  test.each(['kim', 'ada'])(
    'hear in a brief what was done in the other, whoever merges it: %s',
    async (name) => {
      await using ada = await createReplica('ada')
      await using here = await createReplica(name)
      const news = async () => {
        await here.takeIn(await ada.lines())
        const { changes } = await here.run(showBrief, {})
        return changes.map(({ what, by }) => `${what} by ${by}`)
      }
      await here.run(showBrief, {})
      const { id } = await ada.run(createEntity, { type: 'task', title: 'do it' })
      expect(await news()).toEqual(['created by ada'])
      await ada.run(updateEntity, { id, properties: { status: 'done' } })
      expect(await news()).toEqual(['done by ada'])
      await ada.run(deleteEntity, { id })
      expect(await news()).toEqual(['deleted by ada'])
    },
  )

  test('hear what a merge has changed through events, and a finished task is nobody’s any more', async () => {
    await using ada = await createReplica('ada')
    await using bob = await createReplica('bob')
    const { id } = await ada.run(createEntity, { type: 'task', title: 'do it' })
    await exchange(ada, bob)
    const cursor = await bob.store.events.latest()
    await ada.run(updateEntity, { id, properties: { status: 'done' } })
    await bob.takeIn(await ada.lines())
    const events = await bob.store.events.after(cursor, { limit: 10 })
    expect(events.map(({ type }) => type)).toEqual(['entity.updated', 'task.done'])
  })
})
